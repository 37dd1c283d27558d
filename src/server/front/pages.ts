/**
 * Pages of records that may be long, each of them: written one by one, and others are heard in between. A page of many such ends early, since
 * no answer may take all of the memory.
 */
import { limits } from "../../base/limits.ts";
import type { Page } from "../../storage/tasks/pages.ts";
import type { Piece } from "../../storage/tasks/views.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { BodyPieces } from "./body-pieces.ts";
import { FrontSlices } from "./slices.ts";

/** `pieces` gives what is shown of one, as JSON, and null for one that has gone meanwhile. */
export async function pageAnswer(
  { results, ...rest }: Page<number>,
  pieces: (uid: number) => Iterable<Piece> | null,
  lengthMax: number = limits.taskPageUnits,
): Promise<Answer> {
  const slices = new FrontSlices();
  const body = new BodyPieces();
  let { next } = rest;
  let length = 0;
  let isFirst = true;
  body.add('{"results":[');
  for (const uid of results) {
    const one: Piece[] = [];
    for (const piece of pieces(uid) ?? []) {
      one.push(piece);
      length += piece.length;
      if (length > lengthMax && !isFirst) break;
      if (slices.isOver) await slices.pause();
    }
    if (length > lengthMax && !isFirst) {
      next = uid;
      break;
    }
    if (one.length === 0) continue;
    if (!isFirst) body.add(",");
    isFirst = false;
    for (const piece of one) body.add(piece);
  }
  body.add(`],${JSON.stringify({ ...rest, next }).slice(1)}`);
  return bytesAnswer(200, JSON_TYPE, await body.whole());
}
