import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Pace } from "../../../src/base/time/pace.ts";

/** Whether it has resolved by now, with nothing but turns between. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  for (let i = 0; i < 5; i++) await Promise.resolve();
  return settled;
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => 1000);
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("what did much is followed by the next one a while later, and at once when somebody waits", async () => {
  const pace = new Pace({ doneAMs: 8, msMax: 32 });
  assert.equal(await isSettled(pace.turn()), true);
  pace.made(0);
  assert.equal(await isSettled(pace.turn()), true);
  pace.made(80);
  const short = pace.turn();
  mock.timers.tick(9);
  assert.equal(await isSettled(short), false);
  mock.timers.tick(1);
  assert.equal(await isSettled(short), true);
  pace.made(1_000_000);
  const timed = pace.turn();
  assert.equal(await isSettled(timed), false);
  mock.timers.tick(32);
  assert.equal(await isSettled(timed), true);
  pace.made(1_000_000);
  const hurried = pace.turn();
  assert.equal(await isSettled(hurried), false);
  pace.hurry();
  assert.equal(await isSettled(hurried), true);
});
