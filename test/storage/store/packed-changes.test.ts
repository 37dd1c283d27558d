import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import fc from "fast-check";
import { KIB } from "../../../src/base/limits.ts";
import type { Change } from "../../../src/storage/store/environment.ts";
import { type PackedChanges, packChanges, unpackChanges } from "../../../src/storage/store/packed-changes.ts";
import { TABLES } from "../../../src/storage/store/tables.ts";

/** As another thread gets them. */
async function sent(changes: readonly Change[]): Promise<Change[]> {
  const { port1, port2 } = new MessageChannel();
  const { packed, moved } = packChanges(changes);
  const came = new Promise<PackedChanges>((resolve) => port2.once("message", resolve));
  port1.postMessage(packed, moved);
  const unpacked = unpackChanges(await came);
  port1.close();
  return unpacked;
}

const plain = (changes: readonly Change[]) =>
  changes.map(({ table, key, value }) => ({ table, key, value: value === null ? null : [...value] }));

const change: fc.Arbitrary<Change> = fc.record({
  table: fc.nat({ max: TABLES.length - 1 }),
  key: fc.oneof(fc.nat({ max: 0xffff_ffff }), fc.string({ minLength: 1, unit: "grapheme" })),
  value: fc.option(fc.uint8Array({ maxLength: 300 })),
});

test("changes come over as they were", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
      assert.deepEqual(plain(await sent(changes)), plain(changes));
    }),
    { numRuns: 200 },
  );
});

test("long values move instead of being copied, unless their memory is that of others as well", async () => {
  const own = new Uint8Array(64 * KIB).fill(1);
  const part = new Uint8Array(65 * KIB).fill(2).subarray(KIB);
  const shared = new Uint8Array(new SharedArrayBuffer(64 * KIB)).fill(3);
  const changes = [own, part, shared, own.slice(1)].map((value, key): Change => ({ table: 3, key, value }));
  const before = plain(changes);
  assert.deepEqual(plain(await sent(changes)), before);
  assert.deepEqual(
    changes.map(({ value }) => value!.byteLength),
    [0, 64 * KIB, 64 * KIB, 64 * KIB - 1],
  );
});
