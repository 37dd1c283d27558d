/**
 * One index as the writer knows it: the committed manifest, its segments opened for look-ups, and the taken document
 * numbers. Changes only when a commit has succeeded; what a batch prepares lives in an `IndexDraft` until then.
 */
import type { IndexManifest, SegmentEntry } from "../../storage/index/manifest.ts";
import { Bitmap, decodeBitmap } from "../../storage/segment/bitmap.ts";
import { IdProbe } from "../../storage/segment/ids/probe.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { DocidSet } from "./docids.ts";
import type { Lookup, StoredPlace } from "./fold.ts";

export interface WriterSegment {
  entry: SegmentEntry;
  reader: SegmentReader;
  /** Rows that are no longer part of the index; never changed in place once published. */
  deleted: Bitmap | null;
}

export class IndexState implements Lookup {
  uid: string;
  manifest: IndexManifest;
  segments: WriterSegment[];
  #docids: DocidSet | null = null;
  readonly #probe = new IdProbe();
  /** Runs ahead of the manifest: a file that is being written has its number before it is committed. */
  nextSegmentId: number;
  /** Set when its files did not pass verification: it is listed, but nothing can be read or written. */
  readonly problem: string | null;

  constructor(uid: string, manifest: IndexManifest, segments: WriterSegment[], problem: string | null = null) {
    this.uid = uid;
    this.manifest = manifest;
    this.segments = segments;
    this.problem = problem;
    this.nextSegmentId = manifest.nextSegmentId;
  }

  /** The taken document numbers: put together when the first batch asks, since no search does. */
  get docids(): DocidSet {
    if (this.#docids !== null) return this.#docids;
    const taken = new DocidSet();
    for (const segment of this.segments) {
      const { docids } = segment.reader;
      for (let row = 0; row < docids.length; row++) if (isLive(segment, row)) taken.add(docids[row]!);
    }
    this.#docids = taken;
    return taken;
  }

  areBelow(number: number): boolean {
    return this.segments.every(({ reader }) => reader.areIdsBelow(number));
  }

  /** Newest segments first: what was written last is most likely to be written again. */
  find(bytes: Uint8Array, start: number, end: number): StoredPlace | null {
    const id = this.#probe.set(bytes, start, end);
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const row = segment.reader.findProbed(id);
      if (row >= 0 && isLive(segment, row)) return { docid: segment.reader.docids[row]!, segment: i, row };
    }
    return null;
  }
}

function isLive(segment: WriterSegment, row: number): boolean {
  return segment.deleted === null || !segment.deleted.has(row);
}

export function liveRows(segment: WriterSegment): Bitmap {
  return segment.deleted === null ? Bitmap.full(segment.entry.rows) : segment.deleted.not();
}

export function openSegment(entry: SegmentEntry, reader: SegmentReader): WriterSegment {
  const deleted = entry.deleted === null ? null : decodeBitmap(entry.deleted, entry.rows);
  return { entry, reader, deleted };
}

/** The manifest of an index that has just come to be. */
export function emptyManifest(id: string, settings: Settings, now: number, shards = 1): IndexManifest {
  return {
    id,
    version: 0,
    createdAt: now,
    updatedAt: now,
    primaryKey: null,
    settings,
    contentVersion: 0,
    settingsVersion: 1,
    fieldOrder: [],
    fieldDistribution: {},
    documentCount: 0,
    nextSegmentId: 0,
    shards,
    segments: [],
  };
}
