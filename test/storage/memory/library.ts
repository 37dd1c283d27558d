/** A small database for tests: segment files of given ids, and the writer's and a reader's end of shared memory. */
import { mkdirSync } from "node:fs";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { Catalog } from "../../../src/storage/index/catalog.ts";
import type { IndexManifest, SegmentEntry } from "../../../src/storage/index/manifest.ts";
import { indexFolder, segmentPathIn } from "../../../src/storage/index/paths.ts";
import { Publisher } from "../../../src/storage/index/publish.ts";
import { ArenaSet } from "../../../src/storage/memory/arena-set.ts";
import { ArenaViews } from "../../../src/storage/memory/arena-views.ts";
import { Control, readerPin } from "../../../src/storage/memory/control.ts";
import { Bitmap, encodeBitmap } from "../../../src/storage/segment/bitmap.ts";
import { buildSegment } from "../../../src/storage/segment/build.ts";
import { writeSegmentFile } from "../../../src/storage/segment/container.ts";
import { extractionRules } from "../../../src/storage/segment/rules.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

export class Library {
  readonly databasePath: string;
  readonly control = Control.create();
  readonly memories = new Map<number, WebAssembly.Memory>();
  readonly arenas: ArenaSet;
  readonly publisher: Publisher;
  readonly #announced: (id: number, memory: WebAssembly.Memory) => void;

  constructor(announced: (id: number, memory: WebAssembly.Memory) => void = () => {}) {
    this.databasePath = temporaryDirectory();
    this.#announced = announced;
    this.arenas = this.newArenas();
    this.publisher = new Publisher(this.control, this.arenas, segmentPathIn(this.databasePath));
  }

  newArenas(): ArenaSet {
    return new ArenaSet({
      announce: async (id, memory) => {
        this.memories.set(id, memory);
        this.#announced(id, memory);
      },
      dismiss: (id) => void this.memories.delete(id),
    });
  }

  /** A reading thread's catalog, which finds arenas as they come. */
  catalog(reader = 0, onArenaForgotten = () => {}): Catalog {
    const handed = new Set<number>();
    const views: ArenaViews = new ArenaViews(() => {
      for (const [id, memory] of this.memories) {
        if (!handed.has(id)) views.add(id, memory);
        handed.add(id);
      }
    });
    return new Catalog(this.control, readerPin(reader), views, segmentPathIn(this.databasePath), onArenaForgotten);
  }

  segment(indexId: string, id: number, ids: string[], padding = 0): SegmentEntry {
    mkdirSync(indexFolder(this.databasePath, indexId), { recursive: true });
    const bodies = ids.map((key) => Buffer.from(JSON.stringify({ id: key, text: `${key} `.repeat(padding) })));
    const offsets = new Float64Array(bodies.length + 1);
    bodies.forEach((body, i) => {
      offsets[i + 1] = offsets[i]! + body.length;
    });
    const file = `${id}.seg`;
    const summary = writeSegmentFile(
      segmentPathIn(this.databasePath)(indexId, file),
      buildSegment({
        docids: Uint32Array.from(ids, (_, i) => i),
        externalIds: idsOf(ids),
        documents: Buffer.concat(bodies),
        offsets,
        rules: extractionRules(defaultSettings()),
      }),
    );
    const { rows, fileBytes, documentBytes } = summary;
    return { id, file, rows, fileBytes, documentBytes, deletedCount: 0, deleted: null, shard: 0 };
  }

  manifest(id: string, segments: SegmentEntry[]): IndexManifest {
    return {
      id,
      version: 1,
      createdAt: 1_700_000_000_000_000,
      updatedAt: 1_700_000_000_000_001,
      primaryKey: "id",
      settings: defaultSettings(),
      contentVersion: 1,
      settingsVersion: 1,
      fieldOrder: ["id", "text"],
      fieldDistribution: { id: 1, text: 1 },
      documentCount: segments.reduce((sum, { rows, deletedCount }) => sum + rows - deletedCount, 0),
      nextSegmentId: segments.length,
      shards: 1,
      segments,
    };
  }
}

export function without(segment: SegmentEntry, rows: number[]): SegmentEntry {
  return { ...segment, deletedCount: rows.length, deleted: encodeBitmap(Bitmap.of(segment.rows, rows)) };
}
