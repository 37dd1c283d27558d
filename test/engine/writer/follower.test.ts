/** A server that follows shows of a divided index the shards that it holds, and has the files of no others. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { Follower } from "../../../src/engine/writer/follower.ts";
import { RetiredFiles } from "../../../src/engine/writer/retired-files.ts";
import { encodeManifest, type IndexManifest } from "../../../src/storage/index/manifest.ts";
import { indexFolder, segmentPathIn } from "../../../src/storage/index/paths.ts";
import { ELSEWHERE } from "../../../src/storage/index/publish.ts";
import { pieceOf, piecesOf } from "../../../src/storage/index/shards.ts";
import { seal } from "../../../src/storage/store/seal.ts";
import { tablePosition } from "../../../src/storage/store/tables.ts";
import { Library } from "../../storage/memory/library.ts";

const SHARDS = 3;

/** Two indexes, of which one is divided, with two documents in each shard of it. */
class World {
  readonly library = new Library();
  readonly catalog = this.library.catalog();
  readonly manifests = new Map<number, IndexManifest>();
  readonly follower: Follower;

  constructor(elsewhere: readonly number[]) {
    const segments = Array.from({ length: SHARDS }, (_, shard) => this.segment(shard, shard));
    this.manifests.set(1, { ...this.library.manifest("1", segments), shards: SHARDS });
    this.manifests.set(2, this.library.manifest("2", [this.library.segment("2", 0, ["whole"])]));
    const store = {
      refresh: () => {},
      mark: () => null,
      catalog: { entries: () => [["divided", { id: 1 }] as const, ["whole", { id: 2 }] as const].values() },
      manifests: { get: (id: number) => encodeManifest(this.manifests.get(id)!) },
    };
    this.follower = new Follower({
      store: store as never,
      publisher: this.library.publisher,
      files: new RetiredFiles(this.library.control),
      folder: `${this.library.databasePath}/indexes`,
      elsewhere,
      onProblem: (uid, problem) => assert.fail(`${uid}: ${problem}`),
    });
  }

  segment(id: number, shard: number) {
    return { ...this.library.segment("1", id, [`${id}-a`, `${id}-b`]), shard };
  }

  /** The divided index gets another segment, whose file is here only where its shard is. */
  async grow(number: number, id: number, shard: number): Promise<void> {
    const before = this.manifests.get(1)!;
    const manifest = { ...before, version: number, segments: [...before.segments, this.segment(id, shard)] };
    this.manifests.set(1, manifest);
    const table = tablePosition("manifests");
    await this.follower.follow(number, [{ table, key: 1, value: seal("manifests", 1, encodeManifest(manifest)) }]);
  }

  /** What readers see of the divided index, and the files that are here. */
  get shown() {
    const snapshot = this.catalog.pin();
    try {
      const { problem, segments, held, shardsElsewhere } = snapshot.index("divided")!;
      const ids = held.flatMap(({ reader, rows }) => Array.from({ length: rows }, (_, row) => reader.externalId(row)));
      return { problem, segments: segments.length, ids, shardsElsewhere };
    } finally {
      snapshot.release();
    }
  }

  get files(): number[] {
    const path = segmentPathIn(this.library.databasePath);
    return this.manifests.get(1)!.segments.flatMap(({ id, file }) => (existsSync(path("1", file)) ? [id] : []));
  }
}

test("shards that are elsewhere are known, but neither open nor here", async () => {
  const world = new World([pieceOf(1, 1)]);
  await world.follower.open(() => {});
  assert.deepEqual(world.shown, {
    problem: ELSEWHERE,
    segments: 0,
    ids: ["0-a", "0-b", "2-a", "2-b"],
    shardsElsewhere: [1],
  });
  assert.deepEqual(world.files, [0, 2]);
  await world.grow(1, 3, 2);
  assert.deepEqual(world.shown.ids, ["0-a", "0-b", "2-a", "2-b", "3-a", "3-b"]);
  const whole = world.catalog.pin();
  assert.deepEqual([whole.index("whole")!.problem, whole.index("whole")!.segments.length], [null, 1]);
  whole.release();
});

test("shards come and go while the others stay", async () => {
  const world = new World([]);
  await world.follower.open(() => {});
  assert.deepEqual([world.shown.problem, world.shown.segments, world.shown.shardsElsewhere], [null, 3, []]);
  await world.follower.place([pieceOf(1, 0), pieceOf(1, 2)]);
  assert.deepEqual(world.shown, { problem: ELSEWHERE, segments: 0, ids: ["1-a", "1-b"], shardsElsewhere: [0, 2] });
  assert.deepEqual(world.files, [1]);
  world.segment(2, 2);
  await world.follower.place([pieceOf(1, 0)]);
  assert.deepEqual(world.shown.ids, ["1-a", "1-b", "2-a", "2-b"]);
  await world.follower.place(piecesOf(1, SHARDS));
  assert.deepEqual(world.shown, { problem: ELSEWHERE, segments: 0, ids: [], shardsElsewhere: [0, 1, 2] });
  assert.equal(existsSync(indexFolder(world.library.databasePath, "1")), false);
  assert.equal(existsSync(indexFolder(world.library.databasePath, "2")), true);
  assert.equal(world.library.publisher.collect(), 0);
});
