/**
 * The next state of one index, while a batch prepares it: rows that go, segments that come and go, new settings.
 * The committed state is not touched; `finish` gives the manifest to commit, `adopt` takes it over afterwards.
 */
import type { Micros } from "../../base/time/time.ts";
import type { IndexManifest } from "../../storage/index/manifest.ts";
import { Bitmap, encodeBitmap } from "../../storage/segment/bitmap.ts";
import type { Settings } from "../../storage/settings/settings.ts";

import type { IndexState, WriterSegment } from "./index-state.ts";

export class IndexDraft {
  readonly state: IndexState;
  primaryKey: string | null;
  settings: Settings;
  fieldOrder: string[];
  readonly #deleted = new Map<WriterSegment, Bitmap>();
  readonly #dropped = new Set<WriterSegment>();
  readonly #added: WriterSegment[] = [];
  readonly #taken: number[] = [];
  readonly #takenLists: Int32Array[] = [];
  readonly #freed: number[] = [];
  #clears = false;
  #finished: { manifest: IndexManifest; segments: WriterSegment[] } | null = null;

  constructor(state: IndexState) {
    this.state = state;
    this.primaryKey = state.manifest.primaryKey;
    this.settings = state.manifest.settings;
    this.fieldOrder = state.manifest.fieldOrder;
  }

  /** The stored version of a document is no longer part of the index. */
  deleteRow(segment: WriterSegment, row: number): void {
    let rows = this.#deleted.get(segment);
    if (rows === undefined) {
      rows = Bitmap.create(segment.entry.rows);
      this.#deleted.set(segment, rows);
    }
    rows.set(row);
  }

  takeDocid(docid: number): void {
    this.#taken.push(docid);
  }

  /** Many at once. */
  takeDocids(docids: Int32Array): void {
    this.#takenLists.push(docids);
  }

  freeDocid(docid: number): void {
    this.#freed.push(docid);
  }

  freeAllDocids(): void {
    this.#clears = true;
  }

  addSegment(segment: WriterSegment): void {
    this.#added.push(segment);
  }

  dropSegment(segment: WriterSegment): void {
    this.#dropped.add(segment);
  }

  /** Adds names that are new, in the order given. */
  addFields(names: Iterable<string>): void {
    const known = new Set(this.fieldOrder);
    const order = [...this.fieldOrder];
    for (const name of names) {
      if (known.has(name)) continue;
      known.add(name);
      order.push(name);
    }
    if (order.length !== this.fieldOrder.length) this.fieldOrder = order;
  }

  /** Segments that this draft removes; their files go when nobody can see them any more. */
  get dropped(): Iterable<WriterSegment> {
    return this.#dropped;
  }

  get added(): readonly WriterSegment[] {
    return this.#added;
  }

  /** Those that the index has then. */
  get segments(): WriterSegment[] {
    return [...this.state.segments.filter((segment) => !this.#dropped.has(segment)), ...this.#added];
  }

  /**
   * `touches` is false for work that changes nothing a user can see, such as merging segments. An index comes to be
   * with its first version: until something else changes, both of its times are the same.
   */
  finish(now: Micros, touches = true): IndexManifest {
    const before = this.state.manifest;
    const counts = new Map(Object.entries(before.fieldDistribution));
    const segments: WriterSegment[] = [];
    for (const segment of this.state.segments) {
      if (this.#dropped.has(segment)) {
        countFields(segment, null, counts, -1);
        continue;
      }
      const rows = this.#deleted.get(segment);
      if (rows === undefined) {
        segments.push(segment);
        continue;
      }
      countFields(segment, rows, counts, -1);
      segments.push(withDeleted(segment, rows));
    }
    for (const segment of this.#added) {
      countFields(segment, null, counts, 1);
      segments.push(segment);
    }
    let documentCount = 0;
    for (const { entry } of segments) documentCount += entry.rows - entry.deletedCount;
    const manifest: IndexManifest = {
      ...before,
      version: before.version + 1,
      contentVersion: touches ? before.version + 1 : before.contentVersion,
      createdAt: touches && before.version === 0 ? now : before.createdAt,
      updatedAt: touches ? now : before.updatedAt,
      primaryKey: this.primaryKey,
      settings: this.settings,
      settingsVersion: before.settingsVersion + (this.settings === before.settings ? 0 : 1),
      fieldOrder: this.fieldOrder,
      fieldDistribution: sortedCounts(counts),
      documentCount,
      nextSegmentId: this.state.nextSegmentId,
      segments: segments.map((segment) => segment.entry),
    };
    this.#finished = { manifest, segments };
    return manifest;
  }

  /** Bytes of documents and of what searches need, of live rows: as committed before, and as in `finish`. */
  get sizes(): { before: IndexSizes; after: IndexSizes } {
    const { manifest } = this.state;
    return { before: sizesOf(manifest), after: sizesOf(this.#finished?.manifest ?? manifest) };
  }

  /** Called once the manifest of `finish` is committed. */
  adopt(): void {
    if (this.#finished === null) throw new Error("an unfinished draft cannot be adopted");
    this.state.manifest = this.#finished.manifest;
    this.state.segments = this.#finished.segments;
    if (this.#clears) this.state.docids.clear();
    for (const docid of this.#freed) this.state.docids.delete(docid);
    for (const docid of this.#taken) this.state.docids.add(docid);
    for (const docids of this.#takenLists) this.state.docids.addAll(docids);
  }
}

interface IndexSizes {
  documents: number;
  searchStructures: number;
}

function sizesOf({ segments }: IndexManifest): IndexSizes {
  const sizes = { documents: 0, searchStructures: 0 };
  for (const { rows, deletedCount, documentBytes, fileBytes } of segments) {
    const live = rows === 0 ? 0 : (rows - deletedCount) / rows;
    sizes.documents += Math.round(documentBytes * live);
    sizes.searchStructures += Math.round((fileBytes - documentBytes) * live);
  }
  return sizes;
}

/** Counts the fields of the given rows, or of all rows that are still part of the index. */
function countFields(segment: WriterSegment, rows: Bitmap | null, counts: Map<string, number>, sign: 1 | -1): void {
  const counted = rows ?? (segment.deleted === null ? Bitmap.full(segment.entry.rows) : segment.deleted.not());
  segment.reader.fieldSets.count(counted, counts, sign);
}

function withDeleted(segment: WriterSegment, rows: Bitmap): WriterSegment {
  const deleted = segment.deleted === null ? rows : segment.deleted.or(rows);
  const entry = { ...segment.entry, deleted: encodeBitmap(deleted), deletedCount: deleted.count() };
  return { entry, reader: segment.reader, deleted };
}

export function sortedCounts(counts: Map<string, number>): Record<string, number> {
  // Without a prototype: a field of a document may have any name.
  const sorted: Record<string, number> = Object.create(null);
  for (const name of [...counts.keys()].sort()) {
    const count = counts.get(name)!;
    if (count > 0) sorted[name] = count;
  }
  return sorted;
}
