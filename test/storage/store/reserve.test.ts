/** The room that a commit is given beforehand: as much as the database can take, held against the database, and not much more. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { open, type RootDatabase } from "lmdb";
import type { Change } from "../../../src/storage/store/environment.ts";
import { roomFor } from "../../../src/storage/store/reserve.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import type { PageCounts } from "../../../src/storage/store/table.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { task } from "../tasks/samples.ts";

const bytes = fc.oneof(
  fc.integer({ min: 0, max: 600 }),
  fc.integer({ min: 1000, max: 5000 }),
  fc.integer({ min: 4000, max: 40_000 }),
);
const change = fc.record({
  key: fc.integer({ min: 0, max: 3000 }),
  bytes: fc.option(bytes, { freq: 3 }),
});
const commits = fc.array(fc.array(change, { minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 12 });

function pagesOf(root: RootDatabase): { pageBytes: number; last: number; tree: number } {
  const stats = root.getStats() as PageCounts & { pageSize: number; lastPageNumber: number };
  return {
    pageBytes: stats.pageSize,
    last: stats.lastPageNumber,
    tree: stats.treeBranchPageCount + stats.treeLeafPageCount,
  };
}

test("no commit takes more pages than it was given room for", async () => {
  await fc.assert(
    fc.asyncProperty(commits, async (all) => {
      const root = open<Uint8Array, number>({ path: temporaryDirectory(), encoding: "binary", keyEncoding: "uint32" });
      for (const changes of all) {
        const { pageBytes, last, tree } = pagesOf(root);
        assert.ok(last > 0 && pageBytes > 0);
        const made = changes.map(
          (each): Change => ({
            table: 0,
            key: each.key,
            value: each.bytes === null ? null : Buffer.alloc(each.bytes, 7),
          }),
        );
        const room = roomFor(made, pageBytes, 0, () => tree);
        root.transactionSync(() => {
          for (const { key, value } of made) {
            if (value === null) root.removeSync(key as number);
            else root.putSync(key as number, value);
          }
        });
        const grown = (pagesOf(root).last - last) * pageBytes;
        assert.ok(grown <= room, `${grown} bytes, room for ${room}`);
      }
      await root.close();
    }),
    { numRuns: 60 },
  );
});

test("pages are counted only where what there is may not do", () => {
  const changes = Array.from({ length: 100 }, (_, key): Change => ({ table: 0, key, value: Buffer.alloc(200) }));
  let counted = 0;
  const room = (spareBytes: number): number => roomFor(changes, 4096, spareBytes, () => ++counted);
  const least = room(0);
  assert.equal(counted, 1);
  const enough = room(Number.MAX_SAFE_INTEGER);
  assert.ok(enough > least);
  assert.equal(room(enough), enough);
  assert.equal(counted, 1);
  room(enough - 1);
  assert.equal(counted, 2);
});

test("many small records do not have the file grow by pages for each of them", async () => {
  const path = join(temporaryDirectory(), "store");
  const store = openStore(path);
  const count = 20_000;
  await store.write(() => {
    for (let uid = 0; uid < count; uid++) store.tasks.put(uid, task(uid, { type: "dumpCreation" }));
  });
  const stored = statSync(join(path, "data.mdb")).size;
  await store.write(() => {
    for (let uid = 0; uid < count; uid++) store.tasks.remove(uid);
  });
  const removed = statSync(join(path, "data.mdb")).size;
  await store.close();
  // They take 4 MB; it was 700 MB and more.
  assert.ok(stored < 60e6, `${stored} bytes`);
  assert.ok(removed < stored + 30e6, `${removed} bytes`);
});
