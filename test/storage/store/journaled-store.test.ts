import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { DirectoryJournal } from "../../../src/storage/journal/directory.ts";
import type { SharedHost } from "../../../src/storage/store/shared-host.ts";
import { type OwnStore, openStore } from "../../../src/storage/store/store.ts";
import { tablesIn } from "../../lib/tables.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask } from "../tasks/samples.ts";
import { SILENT } from "./silent-host.ts";

function openShared(folder: string, name: string, host: Partial<SharedHost> = {}): OwnStore {
  const journal = new DirectoryJournal(join(folder, "journal"));
  const store = openStore(join(folder, name), { shared: { journal, host: { ...SILENT, ...host } } });
  store.shared!.start();
  return { ...store, close: () => store.close().then(() => journal.close()) };
}

test("stores that share a journal hold the same bytes, and so does a new one that follows it", async () => {
  const folder = temporaryDirectory();
  const stores = ["a", "b", "c"].map((name) => openShared(folder, name));
  const writes: Promise<void>[] = [];
  for (let i = 0; i < 120; i++) {
    const store = stores[(i * 7) % 3]!;
    const write = store.writeInTurn(() => {
      store.tasks.put(i, documentTask(i));
      store.pending.put(i, true);
      if (i % 3 === 0) store.payloads.put(String(i), Buffer.alloc(i * 50, i));
      if (i % 5 === 0) store.tasks.remove(i - 5 < 0 ? 1000 : i - 5);
      store.meta.put("last", i);
      store.catalog.put(`movies-${i % 4}-ä`, { id: i, createdAt: i, updatedAt: i });
    });
    writes.push(write);
    if (i % 10 === 9) await write;
  }
  await Promise.all(writes);
  const numbers = stores.map((store) => store.mark()!.number);
  const last = Math.max(...numbers);
  for (const store of stores) await store.shared!.reached(last);
  const late = openShared(folder, "late");
  await late.shared!.reached(last);
  assert.ok(last < 120, "those who waited shared records");
  for (const store of [...stores, late]) {
    assert.deepEqual(store.mark(), late.mark());
  }
  for (const store of [...stores, late]) await store.close();
  const [first, ...others] = await Promise.all(["a", "b", "c", "late"].map((name) => tablesIn(join(folder, name))));
  assert.ok(first!["tasks"]!.length >= 120 - 23);
  for (const other of others) assert.deepEqual(other, first);
});

test("a store that ended between journal and disk makes the record when it is opened again", async () => {
  const folder = temporaryDirectory();
  const [a, b] = [openShared(folder, "a"), openShared(folder, "b")];
  await a.write(() => a.meta.put("x", 1));
  await b.shared!.reached(1);
  await b.close();
  await a.write(() => a.meta.put("x", 2));
  await a.write(() => a.keys.remove("none"));
  const again = openShared(folder, "b");
  assert.equal(again.mark()!.number, 1);
  await again.shared!.reached(3);
  assert.equal(again.meta.get("x"), 2);
  await again.write(() => again.meta.put("x", 3));
  await a.shared!.reached(4);
  assert.equal(a.meta.get("x"), 3);
  await Promise.all([a.close(), again.close()]);
});

test("a store without a journal knows of none", async () => {
  const store = openStore(join(temporaryDirectory(), "store"));
  await store.write(() => store.meta.put("x", 1));
  assert.equal(store.mark(), null);
  assert.equal(store.shared, null);
  await store.close();
});
