import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { inBatches } from "../../../../src/engine/vector/embed/batches.ts";
import type { EmbedPurpose } from "../../../../src/engine/vector/embed/embedder.ts";
import { PriorityLimiter, together } from "../../../../src/engine/vector/embed/priority-limiter.ts";

const never = new AbortController().signal;

/** Jobs that run until they are told to end, and the order in which they began. */
function jobs(turns: PriorityLimiter) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    began,
    add(name: string, purpose: EmbedPurpose, signal = never): Promise<void> {
      return turns.run(purpose, signal, () => {
        began.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)!();
      await new Promise(setImmediate);
    },
  };
}

test("searches go before documents, each in their order", async () => {
  const { began, add, end } = jobs(new PriorityLimiter(1, 1));
  const all = [
    add("d1", "documents"),
    add("d2", "documents"),
    add("s1", "search"),
    add("d3", "documents"),
    add("s2", "search"),
  ];
  for (const name of ["d1", "s1", "s2", "d2", "d3"]) {
    assert.equal(began.at(-1), name);
    await end(name);
  }
  await Promise.all(all);
});

test("documents leave places free for searches", async () => {
  const { began, add, end } = jobs(new PriorityLimiter(3, 2));
  void add("d1", "documents");
  void add("d2", "documents");
  void add("d3", "documents");
  assert.deepEqual(began, ["d1", "d2"]);
  void add("s1", "search");
  void add("s2", "search");
  assert.deepEqual(began, ["d1", "d2", "s1"]);
  await end("d1");
  assert.deepEqual(began, ["d1", "d2", "s1", "s2"]);
  await end("s1");
  assert.deepEqual(began.slice(4), ["d3"]);
});

test("who is called off while waiting never runs, and a failure frees its place", async () => {
  const turns = new PriorityLimiter(1, 1);
  const { began, add, end } = jobs(turns);
  void add("d1", "documents");
  const stop = new AbortController();
  const waiting = add("d2", "documents", stop.signal);
  stop.abort(new Error("called off"));
  await assert.rejects(waiting, /called off/);
  await assert.rejects(add("d3", "documents", stop.signal), /called off/);
  await end("d1");
  await assert.rejects(
    turns.run("search", never, async () => {
      throw new Error("broken");
    }),
    /broken/,
  );
  void add("d4", "documents");
  assert.deepEqual(began, ["d1", "d4"]);
});

test("the first failure breaks the others off", async () => {
  const stopped: number[] = [];
  const call = together([1, 2, 3], never, (item, signal) => {
    if (item === 2) return Promise.reject(new Error("second"));
    return new Promise<void>((_, reject) => {
      signal.addEventListener("abort", () => {
        stopped.push(item);
        reject(signal.reason);
      });
    });
  });
  await assert.rejects(call, /second/);
  assert.deepEqual(stopped, [1, 3]);
  assert.deepEqual(await together([1, 2], never, async (item) => item * 2), [2, 4]);
});

test("batches keep the order and their bounds", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 5 }), fc.nat(30), (sizes, countMax, sizeMax) => {
      const batches = inBatches(sizes, (size) => size, countMax, sizeMax);
      assert.deepEqual(batches.flat(), sizes);
      for (const batch of batches) {
        assert.ok(batch.length > 0 && batch.length <= countMax);
        assert.ok(batch.length === 1 || batch.reduce((sum, size) => sum + size, 0) <= sizeMax);
      }
    }),
  );
});
