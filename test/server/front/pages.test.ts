import assert from "node:assert/strict";
import test from "node:test";
import { pageAnswer } from "../../../src/server/front/pages.ts";

const page = (results: number[]) => ({ results, total: 99, limit: 40, from: results[0] ?? null, next: null });

function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("a page is written as it would be at once, without what has gone", async () => {
  const { status, body } = await pageAnswer(page([3, 2, 1]), (uid) =>
    uid === 2 ? null : JSON.stringify({ uid, text: '"' }),
  );
  assert.equal(status, 200);
  const results = [3, 1].map((uid) => ({ uid, text: '"' }));
  assert.equal(body, JSON.stringify({ ...page([3, 2, 1]), results }));
  assert.equal((await pageAnswer(page([]), () => null)).body, JSON.stringify(page([])));
});

test("others are heard while a page of long records is written", async () => {
  let heard = 0;
  let isOver = false;
  const hear = (): void => {
    heard++;
    if (!isOver) setImmediate(hear);
  };
  setImmediate(hear);
  const uids = Array.from({ length: 40 }, (_, uid) => uid);
  await pageAnswer(page(uids), (uid) => {
    workFor(3);
    return `${uid}`;
  });
  isOver = true;
  assert.ok(heard >= uids.length / 4, `heard ${heard} times`);
});

test("a page of long records ends early, and says where the next one begins", async () => {
  const text = (uid: number): string => `"${"x".repeat(uid)}"`;
  const shown = async (uids: number[]): Promise<unknown> =>
    JSON.parse((await pageAnswer(page(uids), text, 29)).body as string);
  assert.deepEqual(await shown([9, 8, 7]), { ...page([9, 8, 7]), results: ["x".repeat(9), "x".repeat(8)], next: 7 });
  assert.deepEqual(
    await shown([90, 8]),
    { ...page([90, 8]), results: ["x".repeat(90)], next: 8 },
    "one is always shown",
  );
  assert.deepEqual(await shown([8, 7]), { ...page([8, 7]), results: ["x".repeat(8), "x".repeat(7)] });
});
