import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { QuietMoments, quietMoment } from "../../../src/base/time/quiet-moments.ts";

const LONG_MS = 600_000;

/** Nobody waits for a quiet moment in earnest, so that something else must keep the process alive. */
function stayAlive(t: TestContext): void {
  const alive = setInterval(() => {}, 10);
  t.after(() => clearInterval(alive));
}

test("a process that does nothing is quiet", async (t) => {
  stayAlive(t);
  await quietMoment(
    LONG_MS,
    () => false,
    () => 5,
  );
});

test("a busy process is not, until it is time or the moment is wanted", async (t) => {
  stayAlive(t);
  let workedMs = 0;
  const working = (): number => (workedMs += 30);
  const began = performance.now();
  await quietMoment(300, () => false, working);
  assert.ok(performance.now() - began >= 300);
  const before = workedMs;
  await quietMoment(LONG_MS, () => workedMs > before + 100, working);
  assert.ok(workedMs > before + 100);
});

test("somebody who asks ends a burst", async () => {
  let asked = 0;
  const idle = (): number => 5;
  const moments = new QuietMoments(0, 0, () => asked, idle);
  assert.equal(moments.isOne(), true);
  asked++;
  assert.equal(moments.isOne(), false);
  assert.ok(moments.pauseMs > 0);
});

test("a burst ends with another look", async () => {
  const moments = new QuietMoments(0, 0, undefined, () => 5);
  assert.equal(moments.isOne(), true);
  moments.spent(50);
  assert.equal(moments.pauseMs, 0);
  assert.equal(moments.isOne(), true);
  moments.spent(50);
  assert.ok(moments.pauseMs > 0);
  assert.equal(moments.isOne(), false);
});
