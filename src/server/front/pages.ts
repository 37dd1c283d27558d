/**
 * Pages of records that may be long, each of them: written one by one, and others are heard in between. A page of many such ends early, since
 * no answer may take all of the memory.
 */

import { setImmediate } from "node:timers/promises";
import { limits } from "../../base/limits.ts";
import type { Page } from "../../storage/tasks/pages.ts";
import type { Piece } from "../../storage/tasks/views.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { gathered } from "./gathered.ts";
import { bytesOfPiece } from "./shown-pieces.ts";
import { SLICE_MS } from "./sliced-queue.ts";

/** `pieces` gives what is shown of one, as JSON, and null for one that has gone meanwhile. */
export async function pageAnswer(
  { results, ...rest }: Page<number>,
  pieces: (uid: number) => Iterable<Piece> | null,
  lengthMax: number = limits.taskPageUnits,
): Promise<Answer> {
  const written: Piece[] = [];
  let { next } = rest;
  let length = 0;
  let end = performance.now() + SLICE_MS;
  for (const uid of results) {
    const before = written.length;
    for (const piece of pieces(uid) ?? []) {
      if (written.length === before) written.push(before === 0 ? "" : ",");
      written.push(piece);
      length += piece.length;
      if (length > lengthMax && before > 0) break;
      if (performance.now() < end) continue;
      await setImmediate();
      end = performance.now() + SLICE_MS;
    }
    if (length <= lengthMax || before === 0) continue;
    written.length = before;
    next = uid;
    break;
  }
  const body = ['{"results":[', ...written, `],${JSON.stringify({ ...rest, next }).slice(1)}`];
  const isText = body.every((piece) => typeof piece === "string");
  return bytesAnswer(200, JSON_TYPE, isText ? body.join("") : await gathered(body.map(bytesOfPiece)));
}
