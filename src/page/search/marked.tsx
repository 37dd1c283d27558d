/** A text with the words of the query marked. */
import { piecesOf } from "./highlight.ts";

export function Marked({ text }: { text: string }) {
  // Pieces have no other identity than their place.
  return (
    <>
      {piecesOf(text).map(({ text: piece, marked }, place) =>
        marked ? <mark key={`${place}`}>{piece}</mark> : <span key={`${place}`}>{piece}</span>,
      )}
    </>
  );
}
