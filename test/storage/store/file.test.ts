import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "lmdb";
import { checkStoreFile, DamagedStore, latestMeta } from "../../../src/storage/store/file/check.ts";
import { PageFile } from "../../../src/storage/store/file/pages.ts";
import { salvage } from "../../../src/storage/store/file/salvage.ts";
import { DATA_FILE } from "../../../src/storage/store/metas.ts";
import { DamagedRecord } from "../../../src/storage/store/seal.ts";
import { type OwnStore, openStore } from "../../../src/storage/store/store.ts";
import { taskCodecOver } from "../../../src/storage/store/task-record.ts";
import { randomFrom } from "../../crash/mixed-writes.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documentTask } from "../tasks/samples.ts";

const taskCodec = taskCodecOver({ get: () => undefined });

/** A closed store with trees of several pages, free pages, and values on pages of their own. */
async function closedStore(): Promise<string> {
  const folder = join(temporaryDirectory(), "store");
  const store = openStore(folder);
  for (let round = 0; round < 12; round++) {
    await store.write(() => {
      for (let i = 0; i < 30; i++) {
        const uid = round * 30 + i;
        store.tasks.put(uid, documentTask(uid));
        store.pending.put(uid, true);
        store.payloads.put(String(uid), Buffer.alloc(40 * i, uid & 255));
        store.catalog.put(`index-${uid}`, { id: uid, createdAt: uid, updatedAt: uid });
      }
      store.manifests.put(round, Buffer.alloc(3000 * round, round));
      store.meta.put("nextIndexId", round);
      for (let uid = round * 30 - 40; uid < round * 30 - 10; uid++) {
        if (uid < 0) continue;
        store.pending.remove(uid);
        store.payloads.remove(String(uid));
      }
    });
  }
  await store.close();
  // Without the room for commits to come, in which nothing matters.
  const file = join(folder, DATA_FILE);
  const heads = readFileSync(file);
  truncateSync(file, 4096 * (1 + Math.max(...[0, 1].map((page) => Number(heads.readBigUInt64LE(4096 * page + 144))))));
  return folder;
}

function everything(store: OwnStore): unknown {
  const { tasks, pending, payloads, catalog, manifests, meta } = store;
  return [tasks, pending, payloads, catalog, manifests, meta].map((table) => [...table.entries()]);
}

test("all tables of a new store are made in one commit", async () => {
  const folder = join(temporaryDirectory(), "store");
  await openStore(folder).close();
  const file = new PageFile(join(folder, DATA_FILE));
  assert.equal(latestMeta(file).transaction, 1);
  file.close();
});

test("a whole store passes its check, and all of it can be salvaged", async () => {
  const folder = await closedStore();
  const file = join(folder, DATA_FILE);
  checkStoreFile(file);
  const { records, problems } = salvage(file);
  assert.deepEqual(problems, []);
  assert.equal(records.get("tasks")!.size, 360);
  assert.equal(records.get("catalog")!.size, 360);
  assert.equal(records.get("manifests")!.size, 12);
});

test("a flipped bit anywhere in a store is found before or as it is read, or changes nothing", async () => {
  const folder = await closedStore();
  const whole = readFileSync(join(folder, DATA_FILE));
  const before = openStore(folder);
  const expected = everything(before);
  await before.close();
  const random = randomFrom(7);
  const copy = join(temporaryDirectory(), "copy");
  mkdirSync(copy);
  const found = { by: { check: 0, reading: 0 }, without: 0 };
  for (let i = 0; i < 300; i++) {
    const bytes = Buffer.from(whole);
    // The head pages are few and matter most.
    const at = Math.floor(random() * (i % 4 === 0 ? 2 * 4096 : bytes.length));
    bytes[at]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(join(copy, DATA_FILE), bytes);
    let store: OwnStore;
    try {
      store = openStore(copy);
    } catch (problem) {
      assert.ok(problem instanceof DamagedStore, `bit at ${at}: ${problem}`);
      assert.match(problem.message, /data\.mdb` is damaged: .* --recover/);
      found.by.check++;
      continue;
    }
    try {
      assert.deepEqual(everything(store), expected, `bit at ${at}`);
      found.without++;
    } catch (problem) {
      assert.ok(problem instanceof DamagedRecord, `bit at ${at}: ${problem}`);
      found.by.reading++;
    } finally {
      await store.close();
    }
  }
  assert.ok(found.by.check > 25 && found.by.reading > 5 && found.without > 5, JSON.stringify(found));
});

test("records from before there were seals get theirs when the store is opened", async () => {
  const folder = join(temporaryDirectory(), "store");
  const old = open<Uint8Array, number | string>({
    path: folder,
    noSubdir: false,
    maxDbs: 24,
    overlappingSync: false,
    encoding: "binary",
  });
  const table = (name: string, keyEncoding: "uint32" | "ordered-binary") =>
    old.openDB<Uint8Array, number | string>({ name, encoding: "binary", keyEncoding });
  table("manifests", "uint32").putSync(3, Buffer.from("manifest and 4 bytes"));
  table("tasks", "uint32").putSync(0, taskCodec.encode(documentTask(0)));
  table("meta", "ordered-binary").putSync("nextIndexId", Buffer.from("4"));
  await old.close();
  for (let round = 0; round < 2; round++) {
    const store = openStore(folder);
    assert.deepEqual(store.tasks.get(0), documentTask(0));
    assert.equal(store.meta.get("nextIndexId"), 4);
    assert.equal(Buffer.from(store.manifests.get(3)!).toString(), "manifest and 4 b");
    await store.write(() => store.meta.put(`round-${round}`, true));
    await store.close();
  }
});

test("a store that was cut off is damaged, and one of which only the beginning is left", async () => {
  const folder = await closedStore();
  const { length } = readFileSync(join(folder, DATA_FILE));
  for (const size of [length - 20 * 4096, 3 * 4096, 4096, 100]) {
    const copy = join(temporaryDirectory(), "copy");
    cpSync(folder, copy, { recursive: true });
    truncateSync(join(copy, DATA_FILE), size);
    assert.throws(() => openStore(copy), DamagedStore, `${size} bytes`);
  }
});

test("what is whole in a damaged store is salvaged, manifests even when nothing leads to them", async () => {
  const file = join(await closedStore(), DATA_FILE);
  const whole = readFileSync(file);
  const all = salvage(file).records;
  const headless = Buffer.from(whole);
  headless.fill(0xff, 0, 2 * 4096);
  writeFileSync(file, headless);
  const { records, problems } = salvage(file);
  assert.ok(problems.length > 0);
  for (const table of ["manifests", "catalog"] as const) {
    for (const [key, value] of all.get(table)!) assert.deepEqual(records.get(table)!.get(key), value);
  }
  const scratched = Buffer.from(whole);
  scratched[24] = 0;
  writeFileSync(file, scratched);
  assert.equal(salvage(file).records.get("tasks")!.size, all.get("tasks")!.size);
});
