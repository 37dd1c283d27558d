import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../../src/storage/store/store.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

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

test("values on pages of their own are whole in a backup, and in a backup of it", async () => {
  const folder = temporaryDirectory();
  const value = (uid: number) => new Uint8Array(3000 * (uid + 1)).fill(uid + 1);
  let store = openStore(join(folder, "0"));
  for (let uid = 0; uid < 5; uid++) await store.write(() => store.manifests.put(uid, value(uid)));
  for (let round = 1; round <= 2; round++) {
    await store.backup(join(folder, String(round)));
    await store.close();
    store = openStore(join(folder, String(round)));
    await store.write(() => store.manifests.put(0, value(0)));
    for (let uid = 0; uid < 5; uid++) assert.deepEqual(store.manifests.get(uid), value(uid), `${round}: ${uid}`);
  }
  await store.close();
});
