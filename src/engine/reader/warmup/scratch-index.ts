/**
 * An index of made-up documents in a memory of its own, opened by a catalog of its own: for a search it is like any
 * other, and nothing of the server's own indexes is near. Its files are gone as soon as they are open.
 */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idsOf } from "../../../base/document/id-list.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { MIB } from "../../../base/limits.ts";
import { Catalog } from "../../../storage/index/catalog.ts";
import type { IndexManifest, SegmentEntry } from "../../../storage/index/manifest.ts";
import { Publisher } from "../../../storage/index/publish.ts";
import { ArenaSet } from "../../../storage/memory/arena-set.ts";
import { ArenaViews } from "../../../storage/memory/arena-views.ts";
import { Control, readerPin } from "../../../storage/memory/control.ts";
import { Bitmap, encodeBitmap } from "../../../storage/segment/bitmap.ts";
import { buildSegment } from "../../../storage/segment/build.ts";
import { writeSegmentFile } from "../../../storage/segment/container.ts";
import type { BuiltSegment } from "../../../storage/segment/parts.ts";
import { extractionRules } from "../../../storage/segment/rules.ts";
import type { Settings } from "../../../storage/settings/settings.ts";

/** Files there never wait for a disk. */
const MEMORY_FOLDER = "/dev/shm";
/** Address space; pages that stay untouched cost nothing. */
const ARENA_BYTES = 64 * MIB;
const WORKSPACE_BYTES = 24 * MIB;
const SEAT = 0;
/** In microseconds: as large as those of real indexes, since the engine tells numbers by their size. */
const CREATED_AT = 1.7e15;

export class ScratchIndex {
  readonly uid: string;
  readonly catalog: Catalog;
  readonly #settings: Settings;
  readonly #fieldOrder: string[];
  readonly #publisher: Publisher;
  readonly #built: { segment: BuiltSegment; deleted: number[] }[] = [];
  #folder = "";
  #documents = 0;
  #version = 0;

  constructor(uid: string, settings: Settings, fieldOrder: string[]) {
    this.uid = uid;
    this.#settings = settings;
    this.#fieldOrder = fieldOrder;
    const control = Control.create();
    const views = new ArenaViews(() => {}, { number: SEAT, bytes: WORKSPACE_BYTES });
    const host = { announce: async (id: number, memory: WebAssembly.Memory) => views.add(id, memory), dismiss() {} };
    const arenas = new ArenaSet(host, ARENA_BYTES, ARENA_BYTES, WORKSPACE_BYTES);
    const path = (_indexId: string, file: string): string => join(this.#folder, file);
    this.#publisher = new Publisher(control, arenas, path);
    this.catalog = new Catalog(control, readerPin(SEAT), views, path);
  }

  get hasVectors(): boolean {
    return Object.keys(this.#settings.embedders).length > 0;
  }

  /** How many documents it has got so far. */
  get documents(): number {
    return this.#documents;
  }

  /** Builds a segment; the last document of every `deletedEvery` counts as deleted, 0 for none. */
  add(documents: readonly JsonObject[], deletedEvery: number): void {
    const bodies = documents.map((document) => Buffer.from(JSON.stringify(document)));
    const offsets = new Float64Array(bodies.length + 1);
    for (const [i, body] of bodies.entries()) offsets[i + 1] = offsets[i]! + body.length;
    const segment = buildSegment({
      docids: Uint32Array.from(documents, (_, i) => this.#documents + i),
      externalIds: idsOf(documents.map((document) => String(document["id"]))),
      documents: Buffer.concat(bodies),
      offsets,
      rules: extractionRules(this.#settings),
    });
    const deleted = documents.flatMap((_, row) => ((row + 1) % deletedEvery === 0 ? [row] : []));
    this.#built.push({ segment, deleted });
    this.#documents += documents.length;
  }

  /** Makes what was added visible; to be called once. */
  async show(): Promise<void> {
    const parent = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
    this.#folder = mkdtempSync(join(parent, `sabre-warmup-${process.pid}-`));
    try {
      await this.#publish(this.#built.map(({ segment, deleted }, id) => this.#write(id, segment, deleted)));
      const snapshot = this.catalog.pin();
      for (const { reader } of snapshot.index(this.uid)!.segments) reader.fileRange(0);
      snapshot.release();
    } finally {
      rmSync(this.#folder, { recursive: true });
    }
  }

  /** Shows the index without documents: whoever searches it once more lets go of what it kept of them. */
  async empty(): Promise<void> {
    await this.#publish([]);
  }

  #write(id: number, segment: BuiltSegment, deleted: readonly number[]): SegmentEntry {
    const file = String(id);
    const { rows, fileBytes, documentBytes } = writeSegmentFile(join(this.#folder, file), segment);
    const deletedRows = deleted.length === 0 ? null : encodeBitmap(Bitmap.of(rows, deleted));
    const deletedCount = deleted.length;
    return { id, file, rows, fileBytes, documentBytes, deletedCount, deleted: deletedRows, shard: 0 };
  }

  async #publish(segments: SegmentEntry[]): Promise<void> {
    this.#version++;
    await this.#publisher.publish({ put: [{ uid: this.uid, manifest: this.#manifest(segments) }] });
  }

  #manifest(segments: SegmentEntry[]): IndexManifest {
    const documentCount = segments.reduce((sum, { rows, deletedCount }) => sum + rows - deletedCount, 0);
    return {
      // Real indexes have no such id: theirs are numbers.
      id: `warmup-${this.uid}`,
      version: this.#version,
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
      primaryKey: this.#fieldOrder[0]!,
      settings: this.#settings,
      contentVersion: 1,
      settingsVersion: 1,
      fieldOrder: this.#fieldOrder,
      fieldDistribution: Object.fromEntries(this.#fieldOrder.map((field) => [field, documentCount])),
      documentCount,
      nextSegmentId: segments.length,
      shards: 1,
      segments,
    };
  }
}
