import assert from "node:assert/strict";
import { test } from "node:test";
import { IdleReaders } from "../../../src/engine/link/idle-readers.ts";

test("the first thread that sleeps is woken, and only that one", async () => {
  const idleReaders = IdleReaders.create(3);
  const woken: number[] = [];
  const asleep = [1, 2].map(async (thread) => {
    idleReaders.markIdle(thread);
    await idleReaders.sleepAsync(thread, 60_000);
    woken.push(thread);
  });
  idleReaders.wakeOne();
  await asleep[0];
  assert.deepEqual(woken, [1]);
  idleReaders.wakeOne();
  await asleep[1];
  assert.deepEqual(woken, [1, 2]);
});

test("a thread that was woken before it fell asleep does not sleep", () => {
  const idleReaders = IdleReaders.create(1);
  idleReaders.markIdle(0);
  idleReaders.wakeOne();
  assert.equal(idleReaders.sleep(0, 60_000), true);
});

test("a thread nobody wakes gets up by itself", () => {
  const idleReaders = IdleReaders.create(1);
  idleReaders.markIdle(0);
  assert.equal(idleReaders.sleep(0, 1), false);
});

test("a thread that is awake, or died, is passed over", () => {
  const idleReaders = IdleReaders.create(2);
  idleReaders.markIdle(0);
  idleReaders.markBusy(0);
  idleReaders.markIdle(1);
  idleReaders.wakeOne();
  assert.equal(idleReaders.sleep(1, 60_000), true);
});
