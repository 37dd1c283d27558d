import assert from "node:assert/strict";
import { test } from "node:test";
import { Sleepers } from "../../src/link/sleepers.ts";

test("the first thread that sleeps is woken, and only that one", async () => {
  const sleepers = Sleepers.create(3);
  const woken: number[] = [];
  const asleep = [1, 2].map(async (thread) => {
    sleepers.lieDown(thread);
    await sleepers.sleepAsync(thread, 60_000);
    woken.push(thread);
  });
  sleepers.wakeOne();
  await asleep[0];
  assert.deepEqual(woken, [1]);
  sleepers.wakeOne();
  await asleep[1];
  assert.deepEqual(woken, [1, 2]);
});

test("a thread that was woken before it fell asleep does not sleep", () => {
  const sleepers = Sleepers.create(1);
  sleepers.lieDown(0);
  sleepers.wakeOne();
  assert.equal(sleepers.sleep(0, 60_000), true);
});

test("a thread nobody wakes gets up by itself", () => {
  const sleepers = Sleepers.create(1);
  sleepers.lieDown(0);
  assert.equal(sleepers.sleep(0, 1), false);
});

test("a thread that is awake, or died, is passed over", () => {
  const sleepers = Sleepers.create(2);
  sleepers.lieDown(0);
  sleepers.rise(0);
  sleepers.lieDown(1);
  sleepers.wakeOne();
  assert.equal(sleepers.sleep(1, 60_000), true);
});
