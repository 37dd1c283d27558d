/** What comes in pieces as the body of an answer: a string where it is short, else bytes, read and put together while others are heard. */
import { type Piece, shortText } from "../../storage/tasks/views.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { BodyPieces } from "./body-pieces.ts";
import { FrontSlices } from "./slices.ts";

export function piecesAnswer(pieces: Iterable<Piece>): Answer | Promise<Answer> {
  const text = shortText(pieces);
  return text === null ? longAnswer(pieces) : bytesAnswer(200, JSON_TYPE, text);
}

async function longAnswer(pieces: Iterable<Piece>): Promise<Answer> {
  const slices = new FrontSlices();
  const body = new BodyPieces();
  for (const piece of pieces) {
    body.add(piece);
    if (slices.isOver) await slices.pause();
  }
  return bytesAnswer(200, JSON_TYPE, await body.whole());
}
