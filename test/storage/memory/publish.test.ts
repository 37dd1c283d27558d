import assert from "node:assert/strict";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { Snapshot } from "../../../src/storage/index/catalog.ts";
import { decodeManifest, encodeManifest, type IndexManifest } from "../../../src/storage/index/manifest.ts";
import { segmentPathIn } from "../../../src/storage/index/paths.ts";
import { Publisher } from "../../../src/storage/index/publish.ts";
import { SHARDS_MAX } from "../../../src/storage/index/shards.ts";
import { SegmentDamage } from "../../../src/storage/segment/container.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { Library, without } from "./library.ts";

const idsOf = (snapshot: Snapshot, uid: string): string[] | null =>
  snapshot
    .index(uid)
    ?.segments.flatMap(({ live, reader }) => [...live.toArray()].map((row) => reader.externalId(row))) ?? null;

test("a manifest survives its durable form", () => {
  const names = fc.uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 5 });
  const segment = fc
    .tuple(fc.nat(), fc.string(), fc.nat(), fc.option(fc.uint8Array({ minLength: 1 })), fc.nat(SHARDS_MAX - 1))
    .map(([id, file, rows, deleted, shard]) => ({
      id,
      file,
      rows,
      fileBytes: rows * 7,
      documentBytes: rows * 3,
      deletedCount: deleted === null ? 0 : 1,
      deleted,
      shard,
    }));
  fc.assert(
    fc.property(fc.string(), names, fc.array(segment), fc.option(fc.string()), (id, fields, segments, primaryKey) => {
      const manifest: IndexManifest = {
        id,
        version: 3,
        createdAt: 1,
        updatedAt: 2 ** 52,
        primaryKey,
        settings: { ...defaultSettings(), synonyms: { [id]: fields } },
        contentVersion: 4,
        settingsVersion: 9,
        fieldOrder: fields,
        fieldDistribution: Object.assign(Object.create(null), Object.fromEntries(fields.map((name, i) => [name, i]))),
        documentCount: 5,
        nextSegmentId: 77,
        shards: 1 + (fields.length % SHARDS_MAX),
        segments,
      };
      assert.deepEqual(decodeManifest(encodeManifest(manifest)), manifest);
    }),
  );
});

test("bytes that are no manifest are refused", () => {
  assert.throws(() => decodeManifest(new Uint8Array(4)), RangeError);
  assert.throws(() => decodeManifest(new Uint8Array(100)), RangeError);
});

test("readers see what is published, whole, and keep what they pinned", async () => {
  const library = new Library();
  const { publisher } = library;
  const catalog = library.catalog();
  const empty = catalog.pin();
  assert.deepEqual(empty.indexes(), []);
  empty.release();

  const first = library.segment("1", 0, ["a", "b", "c"]);
  await publisher.publish({ put: [{ uid: "movies", manifest: library.manifest("1", [first]) }] });
  const before = catalog.pin();
  assert.deepEqual(idsOf(before, "movies"), ["a", "b", "c"]);
  assert.equal(before.index("books"), null);

  const second = library.segment("1", 1, ["d"]);
  const changed = { ...library.manifest("1", [without(first, [1]), second]), version: 2 };
  await publisher.publish({
    put: [
      { uid: "movies", manifest: changed },
      { uid: "books", manifest: library.manifest("2", []) },
    ],
  });
  const after = catalog.pin();
  assert.deepEqual(idsOf(after, "movies"), ["a", "c", "d"]);
  assert.deepEqual(idsOf(before, "movies"), ["a", "b", "c"]);
  assert.equal(before.index("books"), null);
  assert.deepEqual(
    after.indexes().map(({ uid, documentCount }) => [uid, documentCount]),
    [
      ["books", 0],
      ["movies", 3],
    ],
  );
  const view = after.index("movies")!;
  assert.deepEqual([view.primaryKey, view.version, view.fieldOrder], ["id", 2, ["id", "text"]]);
  assert.deepEqual({ ...view.fieldDistribution }, { id: 1, text: 1 });
  assert.deepEqual(view.settings, defaultSettings());
  assert.equal(Buffer.from(view.segments[1]!.reader.readDocument(0)).toString(), '{"id":"d","text":""}');
  assert.ok(publisher.collect() > 0, "pinned blocks wait");
  before.release();
  after.release();
  assert.equal(publisher.collect(), 0);
});

test("indexes can trade names without being loaded again", async () => {
  const library = new Library();
  const [a, b] = [
    library.manifest("1", [library.segment("1", 0, ["a"])]),
    library.manifest("2", [library.segment("2", 0, ["b"])]),
  ];
  await library.publisher.publish({
    put: [
      { uid: "x", manifest: a },
      { uid: "y", manifest: b },
    ],
  });
  const bytes = library.arenas.liveBytes;
  const catalog = library.catalog();
  const before = catalog.pin();
  assert.deepEqual([idsOf(before, "x"), idsOf(before, "y")], [["a"], ["b"]]);
  await library.publisher.publish({
    put: [
      { uid: "x", manifest: b },
      { uid: "y", manifest: a },
    ],
  });
  const after = catalog.pin();
  assert.deepEqual([idsOf(after, "x"), idsOf(after, "y")], [["b"], ["a"]]);
  assert.deepEqual([idsOf(before, "x"), idsOf(before, "y")], [["a"], ["b"]]);
  after.release();
  before.release();
  library.publisher.collect();
  assert.equal(library.arenas.liveBytes, bytes);
});

test("removing everything gives the memory and the files back", { skip: process.platform !== "linux" }, async () => {
  const library = new Library();
  const catalog = library.catalog();
  const entry = library.segment("1", 0, ["a", "b"], 50);
  await library.publisher.publish({ put: [] });
  const bytes = library.arenas.liveBytes;
  await library.publisher.publish({ put: [{ uid: "movies", manifest: library.manifest("1", [entry]) }] });
  const snapshot = catalog.pin();
  snapshot.index("movies")!.segments[0]!.reader.readDocument(1);
  snapshot.release();
  const open = (): number => openFilesBelow(library.databasePath);
  assert.equal(open(), 1);
  await library.publisher.publish({ remove: ["movies"] });
  catalog.sweep();
  assert.equal(open(), 0);
  library.publisher.collect();
  assert.equal(library.arenas.liveBytes, bytes);
});

test("a damaged file is refused and costs nothing; the index can still be listed", async () => {
  const library = new Library();
  await library.publisher.publish({});
  const bytes = library.arenas.liveBytes;
  const entry = library.segment("1", 0, ["a", "b"], 50);
  writeFileSync(segmentPathIn(library.databasePath)("1", entry.file), Buffer.alloc(4000, 1));
  assert.throws(() => library.publisher.load("1", entry), SegmentDamage);
  const manifest = library.manifest("1", [entry]);
  await assert.rejects(library.publisher.publish({ put: [{ uid: "movies", manifest }] }), SegmentDamage);
  assert.equal(library.arenas.liveBytes, bytes);
  await library.publisher.publish({ put: [{ uid: "movies", manifest, problem: "a checksum differs" }] });
  const snapshot = library.catalog().pin();
  assert.deepEqual(
    snapshot.indexes().map(({ uid, problem, segments }) => [uid, problem, segments]),
    [["movies", "a checksum differs", []]],
  );
  snapshot.release();
});

test("segments loaded ahead are used by the next change or given back", async () => {
  const library = new Library();
  const [first, second] = [library.segment("1", 0, ["a"]), library.segment("1", 1, ["b"])];
  library.publisher.load("1", first);
  library.publisher.load("1", second);
  assert.ok(library.publisher.hotParts("1", 0)!.length > 0);
  library.publisher.discard("1", 1);
  assert.equal(library.publisher.hotParts("1", 1), null);
  const loaded = library.arenas.liveBytes;
  await library.publisher.publish({ put: [{ uid: "movies", manifest: library.manifest("1", [first]) }] });
  assert.ok(library.arenas.liveBytes - loaded < 20_000, "the hot parts are not copied again");
});

test("evacuation moves segments under the eyes of readers and drops the arena", async () => {
  const library = new Library();
  const { publisher, arenas } = library;
  const catalog = library.catalog();
  const entry = library.segment("1", 0, ["a", "b"], 10);
  // Something large makes the arena worth leaving once it is gone.
  const ballast = arenas.allocate(80 * 1024 * 1024);
  const manifest = library.manifest("1", [without(entry, [0])]);
  await publisher.publish({ put: [{ uid: "movies", manifest }] });
  const before = catalog.pin();
  assert.deepEqual(idsOf(before, "movies"), ["b"]);
  arenas.free(ballast);
  assert.deepEqual(await publisher.evacuate(1), [{ indexId: "1", segmentId: 0 }]);
  const after = catalog.pin();
  assert.deepEqual(idsOf(after, "movies"), ["b"]);
  assert.deepEqual(idsOf(before, "movies"), ["b"]);
  assert.deepEqual(arenas.ids(), [0, 1]);
  before.release();
  after.release();
  publisher.collect();
  assert.deepEqual(arenas.ids(), [1]);
  assert.deepEqual([...library.memories.keys()], [1]);
  assert.equal(await publisher.evacuate(1), null);
  const last = catalog.pin();
  assert.deepEqual(idsOf(last, "movies"), ["b"]);
  last.release();
});

test("evacuation never shows an index in two arenas", async () => {
  const library = new Library();
  const { publisher, arenas } = library;
  const ballast = arenas.allocate(80 * 1024 * 1024);
  const put = ["1", "2"].map((id) => {
    const entries = [library.segment(id, 0, ["a"], 10), library.segment(id, 1, ["b"], 10)];
    return { uid: `index-${id}`, manifest: library.manifest(id, entries) };
  });
  await publisher.publish({ put });
  arenas.free(ballast);
  const buffersOf = (id: string): unknown[] => [0, 1].map((segment) => publisher.hotParts(id, segment)!.buffer);
  const wholeMoves: boolean[] = [];
  for (let moved = await publisher.evacuate(1); moved !== null; moved = await publisher.evacuate(1)) {
    for (const id of ["1", "2"]) wholeMoves.push(new Set(buffersOf(id)).size === 1);
  }
  assert.deepEqual(wholeMoves, [true, true, true, true], "two steps, an index each");
});

test("a reader lets go of an evacuated arena with its last older snapshot", async () => {
  const library = new Library();
  const { publisher, arenas } = library;
  let forgotten = 0;
  const catalog = library.catalog(0, () => forgotten++);
  const entry = library.segment("1", 0, ["a", "b"], 10);
  const ballast = arenas.allocate(80 * 1024 * 1024);
  await publisher.publish({ put: [{ uid: "movies", manifest: library.manifest("1", [entry]) }] });
  const before = catalog.pin();
  arenas.free(ballast);
  await publisher.evacuate(1);
  const after = catalog.pin();
  assert.deepEqual(idsOf(after, "movies"), ["a", "b"]);
  after.release();
  assert.equal(forgotten, 0);
  assert.deepEqual(idsOf(before, "movies"), ["a", "b"], "first look into the old place, after it was left");
  before.release();
  assert.equal(forgotten, 1);
});

test("a new writer takes over what a dead one left", async () => {
  const library = new Library();
  const entry = library.segment("1", 0, ["a", "b"], 10);
  const manifest = library.manifest("1", [entry]);
  await library.publisher.publish({
    put: [
      { uid: "movies", manifest },
      { uid: "gone", manifest: library.manifest("2", [library.segment("2", 0, ["x"])]) },
    ],
  });
  const heirArenas = library.newArenas();
  const heir = new Publisher(library.control, heirArenas, segmentPathIn(library.databasePath));
  await heir.adopt(library.memories);
  assert.equal(heirArenas.liveBytes, library.arenas.liveBytes);
  const place = heir.hotParts("1", 0)!.byteOffset;
  await heir.publish({ put: [{ uid: "movies", manifest: { ...manifest, version: 2 } }], remove: ["gone"] });
  assert.equal(heir.hotParts("1", 0)!.byteOffset, place, "not read a second time");
  assert.equal(heir.hotParts("2", 0), null);
  const snapshot = library.catalog().pin();
  assert.deepEqual(idsOf(snapshot, "movies"), ["a", "b"]);
  assert.equal(snapshot.index("movies")!.version, 2);
  assert.equal(snapshot.index("gone"), null);
  snapshot.release();
});

function openFilesBelow(folder: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}
