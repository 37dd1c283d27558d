import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

test("a backup is one state of the store, whatever is written meanwhile", async () => {
  const folder = temporaryDirectory();
  const store = openStore(join(folder, "store"));
  const value = new Uint8Array(2000).fill(5);
  /** Both tables always change together. */
  const put = (uid: number) =>
    store.write(() => {
      store.pending.put(uid, true);
      store.payloads.put(`${uid}`, value);
    });
  for (let uid = 0; uid < 500; uid++) void put(uid);
  await put(500);
  const copying = store.backup(join(folder, "copy"));
  for (let uid = 501; uid < 1000; uid++) await put(uid);
  await copying;
  const copy = openStore(join(folder, "copy"));
  assert.ok(copy.pending.count() >= 501);
  assert.equal(copy.pending.count(), copy.payloads.count());
  assert.deepEqual(copy.payloads.get("500"), value);
  // Its head pages are not those of a file that has always been written to; after some commits they are.
  await copy.close();
  for (let round = 0; round < 3; round++) {
    const again = openStore(join(folder, "copy"));
    await again.write(() => again.pending.put(2000 + round, true));
    await again.close();
  }
  await store.close();
});
