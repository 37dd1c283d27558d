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
