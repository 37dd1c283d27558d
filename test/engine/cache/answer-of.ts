/** Answers as a search would give them, made up of any text. */
import type { SearchAnswer } from "../../../src/engine/answer/search.ts";

export const UID_LENGTH = 36;

export function answerOf(head: string, time: number, middle: string, uid: string, end: string): SearchAnswer {
  const before = Buffer.from(head);
  const between = Buffer.from(middle);
  const timeEnd = before.length + String(time).length;
  return {
    body: Buffer.concat([before, Buffer.from(String(time)), between, Buffer.from(uid + end)]),
    timeAt: before.length,
    timeEnd,
    uidAt: timeEnd + between.length,
    found: 0,
  };
}
