/**
 * An index as a reading thread sees it at one epoch. Shapes only; `catalog.ts` makes them. Everything here is valid
 * until the snapshot it came from is released.
 */
import type { Micros } from "../../base/time/time.ts";
import type { Bitmap } from "../segment/bitmap.ts";
import type { SegmentReader } from "../segment/reader.ts";

import type { Settings } from "../settings/settings.ts";

export interface IndexView {
  readonly uid: string;
  readonly id: string;
  readonly version: number;
  /** The same number, and the same settings, mean the same answers. */
  readonly contentVersion: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros;
  readonly primaryKey: string | null;
  readonly settings: Settings;
  /** The same number means the same settings, for what is derived from them and worth keeping. */
  readonly settingsVersion: number;
  /** Whether to read all of them takes a while: members that nobody looks at are not read then. */
  readonly hasLongSettings: boolean;
  /** Top-level field names in the order in which stored documents have them. */
  readonly fieldOrder: string[];
  /** Flattened field name to the number of documents that have it. */
  readonly fieldDistribution: Record<string, number>;
  readonly documentCount: number;
  /** Into how many shards it is divided; 1 for one that is not. */
  readonly shards: number;
  readonly segments: SegmentView[];
  /** Of an index of which other servers hold some shards, and that so shows no segments: those that are here. Else all. */
  readonly held: SegmentView[];
  /** Shards with documents of which this server has none, since others hold them. */
  readonly shardsElsewhere: readonly number[];
  /** Bytes of all segment files, and of the document bodies in them. */
  readonly fileBytes: number;
  readonly documentBytes: number;
  /** The same without those that are deleted but still in a segment, as far as it can be told without reading them. */
  readonly liveDocumentBytes: number;
  /** Why the index cannot be read; null for a healthy one. A broken index shows no segments. */
  readonly problem: string | null;
}

export interface SegmentView {
  readonly id: number;
  readonly rows: number;
  /** Which of the shards of the index its documents belong to. */
  readonly shard: number;
  /** Opened on first use. */
  readonly reader: SegmentReader;
  readonly live: Bitmap;
  readonly liveCount: number;
}
