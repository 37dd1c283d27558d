/** A collection on request: what is dead goes, what was compiled stays. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { constants, PerformanceObserver } from "node:perf_hooks";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { collectGarbage, collectGarbageSoon } from "../../../src/storage/memory/garbage.ts";
import { until } from "../../lib/patience.ts";

const WISHES = 20;
const COMPILED = fileURLToPath(new URL("./compiled.ts", import.meta.url));

test("what is dead is collected, on a heap of any size", async () => {
  const heap: object[] = [];
  for (const objects of [0, 100_000, 300_000]) {
    for (let i = 0; i < objects; i++) heap.push({ i });
    const dead = [new WeakRef({}), new WeakRef(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }))];
    await until(
      async () => {
        await collectGarbage();
        return dead.every((object) => object.deref() === undefined);
      },
      () => `collected from a heap of ${objects} more objects`,
    );
  }
  assert.equal(heap.length, 400_000);
});

test("many wishes for a collection within a moment are one", async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    // Node says of what kind a collection was; its types do not.
    const entries = list.getEntries() as unknown as { detail: { kind: number } }[];
    collections += entries.filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  });
  observer.observe({ entryTypes: ["gc"] });
  let isGone = false;
  const registry = new FinalizationRegistry(() => {
    isGone = true;
  });
  registry.register({}, null);
  for (let wish = 0; wish < WISHES; wish++) {
    collectGarbageSoon();
    // Time for a collection of its own.
    await setTimeout(10);
  }
  await until(
    () => isGone,
    () => "collected what was dead",
  );
  await collectGarbage();
  observer.disconnect();
  assert.ok(collections < WISHES, `${collections} collections`);
});

test("code stays compiled though no object that it works on is alive", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--allow-natives-syntax",
    "--import",
    "tsx",
    COMPILED,
  ]);
  assert.deepEqual(JSON.parse(stdout), { before: true, after: true });
});
