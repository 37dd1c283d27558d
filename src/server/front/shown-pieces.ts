/** What comes in pieces as the body of an answer: a string where it is short, else bytes, read and put together while others are heard. */
import { type Piece, shortText } from "../../storage/tasks/views.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { gathered } from "./gathered.ts";
import { SLICE_MS } from "./sliced-queue.ts";

export function piecesAnswer(pieces: Iterable<Piece>): Answer | Promise<Answer> {
  const text = shortText(pieces);
  return text === null ? longAnswer(pieces) : bytesAnswer(200, JSON_TYPE, text);
}

async function longAnswer(pieces: Iterable<Piece>): Promise<Answer> {
  const read: Uint8Array[] = [];
  let end = performance.now() + SLICE_MS;
  for (const piece of pieces) {
    read.push(bytesOfPiece(piece));
    if (performance.now() < end) continue;
    await new Promise(setImmediate);
    end = performance.now() + SLICE_MS;
  }
  return bytesAnswer(200, JSON_TYPE, await gathered(read));
}

export function bytesOfPiece(piece: Piece): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
}
