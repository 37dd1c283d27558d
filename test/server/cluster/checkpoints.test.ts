import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Checkpoint, Checkpoints, keptOf, markOf } from "../../../src/server/cluster/checkpoints.ts";
import type { Blob, Blobs } from "../../../src/storage/blobs/blobs.ts";
import { DirectoryJournal } from "../../../src/storage/journal/directory.ts";
import { type OwnStore, openStore } from "../../../src/storage/store/store.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const HOUR_MS = 3_600_000;

/** Shared files in memory, with a clock of their own. */
class TimedBlobs implements Blobs {
  readonly place = "memory";
  readonly files = new Map<string, { bytes: Buffer; putAtMs: number }>();
  nowMs = 0;

  async put(name: string, file: string): Promise<void> {
    if (!this.files.has(name)) this.files.set(name, { bytes: readFileSync(file), putAtMs: this.nowMs });
  }

  async get(name: string, file: string): Promise<void> {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, this.files.get(name)!.bytes);
  }

  async list(prefix: string): Promise<Blob[]> {
    const found = [...this.files].filter(([name]) => name.startsWith(prefix));
    return found.map(([name, { putAtMs }]) => ({ name, putAtMs }));
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
  }

  close(): void {}
}

function openShared(folder: string): OwnStore {
  const journal = new DirectoryJournal(path.join(folder, "journal"));
  const fail = (problem: Error): never => assert.fail(problem);
  const host = {
    prepare: async () => {},
    placed: () => {},
    storing: () => {},
    applied: () => {},
    regather: () => {},
    onLost: fail,
    onTrouble: fail,
  };
  const store = openStore(path.join(folder, "store"), { shared: { journal, host } });
  store.shared!.start();
  return { ...store, close: () => store.close().then(() => journal.close()) };
}

test("the copy is looked at elsewhere, and one that is not whole is nobody's checkpoint", async () => {
  const folder = temporaryDirectory();
  const blobs = new TimedBlobs();
  const store = openShared(folder);
  await store.write(() => store.meta.put("first", 1));
  const looked: string[] = [];
  const checkpoints = new Checkpoints(blobs, folder, async (file) => {
    looked.push(path.relative(folder, file));
    if (looked.length === 1) throw new Error("it is damaged");
  });
  await assert.rejects(checkpoints.make(store), /it is damaged/);
  assert.deepEqual(await blobs.list(""), []);
  assert.equal(await checkpoints.make(store), 1);
  assert.deepEqual(looked, Array(2).fill(path.join("checkpoint", "store", "data.mdb")));
  await store.close();
});

test("a checkpoint is a store as of one record, and what only older ones need goes after a while", async () => {
  const folder = temporaryDirectory();
  const blobs = new TimedBlobs();
  const checkpoints = new Checkpoints(blobs, folder);
  const store = openShared(folder);
  const file = path.join(folder, "file");
  writeFileSync(file, "content");
  await blobs.put("segments/0/long-gone.seg", file);
  const make = async (value: number, atMs: number): Promise<number> => {
    await store.write(() => store.meta.put("value", value));
    blobs.nowMs = atMs;
    return checkpoints.make(store);
  };
  assert.equal(await make(1, HOUR_MS), 1);
  assert.equal(checkpoints.neededFrom(await checkpoints.list()), null);
  assert.equal(await checkpoints.collect(await checkpoints.list(), store), 0);
  assert.equal(await make(2, 2 * HOUR_MS), 2);
  await blobs.put("segments/0/young.seg", file);
  assert.equal(await make(3, 2.5 * HOUR_MS), 3);
  const all = await checkpoints.list();
  assert.deepEqual(
    all.map(({ number }) => number),
    [3, 2, 1],
  );
  assert.equal(checkpoints.neededFrom(all), 3);
  // A segment from an hour before those that are needed, and not the first checkpoint, which is the first of its hour.
  assert.equal(await checkpoints.collect(all, store), 1);
  assert.deepEqual([...blobs.files.keys()].sort(), [
    "checkpoints/000000000001/files.json",
    "checkpoints/000000000001/store",
    "checkpoints/000000000002/files.json",
    "checkpoints/000000000002/store",
    "checkpoints/000000000003/files.json",
    "checkpoints/000000000003/store",
    "segments/0/young.seg",
  ]);
  await store.close();

  const joined = path.join(temporaryDirectory(), "store");
  assert.equal(await markOf(joined), null);
  await checkpoints.fetch({ number: 2, putAtMs: 0 }, joined);
  assert.equal(await markOf(joined), 2);
  const opened = openStore(joined);
  assert.equal(opened.meta.get("value"), 2);
  await opened.close();
});

test("of two weeks with one every five minutes those are kept from which any hour of a day, and any day, can be restored", () => {
  const EVERY_MS = HOUR_MS / 12;
  let there: Checkpoint[] = [];
  for (let i = 0; i < 21 * 24 * 12; i++) {
    there = keptOf([{ number: i, putAtMs: 1_700_000_000_000 + i * EVERY_MS }, ...there]);
    assert.ok(there.length < 2 + 25 + 15, `${there.length} are kept`);
    if (i % 500 !== 499 && i !== 21 * 24 * 12 - 1) continue;
    const newest = there[0]!.putAtMs;
    const ages = there.map(({ putAtMs }) => newest - putAtMs);
    assert.deepEqual(ages.slice(0, 2), [0, EVERY_MS]);
    const begun = i * EVERY_MS;
    for (let hour = 1; hour <= 23 && hour * HOUR_MS <= begun; hour++) {
      assert.ok(
        ages.some((age) => age > (hour - 1) * HOUR_MS && age <= (hour + 1) * HOUR_MS),
        `hour ${hour}`,
      );
    }
    for (let day = 2; day <= 13 && day * 24 * HOUR_MS <= begun; day++) {
      assert.ok(
        ages.some((age) => age > (day - 1) * 24 * HOUR_MS && age <= (day + 1) * 24 * HOUR_MS),
        `day ${day}`,
      );
    }
  }
});

test("one that was not put whole is none", async () => {
  const blobs = new TimedBlobs();
  const file = path.join(temporaryDirectory(), "store");
  writeFileSync(file, "content");
  await blobs.put("checkpoints/000000000007/store", file);
  assert.deepEqual(await new Checkpoints(blobs, temporaryDirectory()).list(), []);
});
