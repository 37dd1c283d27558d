/**
 * Pages of records that may be long, each of them: written one by one, and others are heard in between. A page of many such ends early, since
 * no answer may take all of the memory.
 */

import { setImmediate } from "node:timers/promises";
import { limits } from "../../base/limits.ts";
import type { Page } from "../../storage/tasks/pages.ts";
import { type Answer, bytesAnswer, JSON_TYPE } from "./answer.ts";
import { SLICE_MS } from "./sliced-queue.ts";

/** `text` gives what is shown of one, as JSON, and null for one that has gone meanwhile. */
export async function pageAnswer(
  { results, ...rest }: Page<number>,
  text: (uid: number) => string | null,
  unitsMax: number = limits.taskPageUnits,
): Promise<Answer> {
  const written: string[] = [];
  let { next } = rest;
  let units = 0;
  let end = performance.now() + SLICE_MS;
  for (const uid of results) {
    const shown = text(uid);
    units += shown?.length ?? 0;
    if (units > unitsMax && written.length > 0) {
      next = uid;
      break;
    }
    if (shown !== null) written.push(shown);
    if (performance.now() < end) continue;
    await setImmediate();
    end = performance.now() + SLICE_MS;
  }
  return bytesAnswer(200, JSON_TYPE, `{"results":[${written.join(",")}],${JSON.stringify({ ...rest, next }).slice(1)}`);
}
