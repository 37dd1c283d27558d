/** A collection on request: what is dead goes, what was compiled stays. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { collectGarbage } from "../../../src/storage/memory/garbage.ts";
import { until } from "../../lib/patience.ts";

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

test("code stays compiled though no object that it works on is alive", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--allow-natives-syntax",
    "--import",
    "tsx",
    COMPILED,
  ]);
  assert.deepEqual(JSON.parse(stdout), { before: true, after: true });
});
