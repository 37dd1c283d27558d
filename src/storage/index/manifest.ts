/**
 * One state of one index as a value: what the store keeps and what shared memory shows. Encoding and decoding only;
 * when a manifest changes and who sees it is decided elsewhere.
 */

import { Builder, ByteBuffer } from "flatbuffers";
import type { Micros } from "../../base/time/time.ts";
import type { BlockPointer } from "../memory/control.ts";
import { BlockPlace } from "../segment/generated/block-place.ts";
import { ManifestSegment } from "../segment/generated/manifest-segment.ts";
import { ManifestTable } from "../segment/generated/manifest-table.ts";

import type { Settings } from "../settings/settings.ts";
import { decodeSettings, encodeSettings } from "./settings-json.ts";

/** A segment as one state of an index uses it. */
export interface SegmentEntry {
  /** Unique within the index, never given twice. */
  id: number;
  /** Name of its file in the folder of the index. */
  file: string;
  rows: number;
  fileBytes: number;
  documentBytes: number;
  /** Rows no longer part of the index; only ever grows for one segment. */
  deletedCount: number;
  /** The deleted rows (`encodeBitmap`); null when there are none. */
  deleted: Uint8Array | null;
  /** Which of the shards of the index its documents belong to: each is in one alone. */
  shard: number;
}

/** Where the parts of a segment lie in shared memory. */
export interface SegmentPlace {
  hot: BlockPointer;
  /** One bit per living row; null when all are alive. */
  live: BlockPointer | null;
}

export interface IndexManifest {
  /** Names the folder of the index; never reused, and stays when the index gets another uid. */
  id: string;
  /** Grows with every committed state. */
  version: number;
  /** The version that last changed what a search can answer: merges do not. */
  contentVersion: number;
  createdAt: Micros;
  updatedAt: Micros;
  primaryKey: string | null;
  settings: Settings;
  /** Must change with the settings: readers parse them again only then. */
  settingsVersion: number;
  /** Top-level field names in the order in which stored documents have them. */
  fieldOrder: string[];
  /** Flattened field name to the number of documents that have it. */
  fieldDistribution: Record<string, number>;
  documentCount: number;
  nextSegmentId: number;
  /** Into how many shards the index is divided, from when it was made; 1 for one that is not. */
  shards: number;
  segments: SegmentEntry[];
}

/** The manifest as the store keeps it: without places in memory. */
export function encodeManifest(manifest: IndexManifest): Uint8Array {
  return build(manifest, null);
}

/**
 * The manifest as readers see it, with the places of its segments by id. The deleted rows themselves are left out:
 * the living ones say the same.
 */
export function encodeSharedManifest(manifest: IndexManifest, places: ReadonlyMap<number, SegmentPlace>): Uint8Array {
  return build(manifest, places);
}

export function decodeManifest(bytes: Uint8Array): IndexManifest {
  const table = openManifest(bytes);
  const segments: SegmentEntry[] = [];
  for (let i = 0; i < table.segmentsLength(); i++) {
    const segment = table.segments(i)!;
    segments.push({
      id: segment.id(),
      file: segment.file() ?? "",
      rows: segment.rows(),
      fileBytes: segment.fileBytes(),
      documentBytes: segment.documentBytes(),
      deletedCount: segment.deletedCount(),
      deleted: segment.deletedArray()?.slice() ?? null,
      shard: segment.shard(),
    });
  }
  return {
    id: table.id() ?? "",
    version: table.version(),
    createdAt: table.createdAt(),
    updatedAt: table.updatedAt(),
    primaryKey: table.primaryKey(),
    settings: parseSettings(table),
    settingsVersion: table.settingsVersion(),
    contentVersion: table.contentVersion(),
    fieldOrder: readFieldOrder(table),
    fieldDistribution: readFieldDistribution(table),
    documentCount: table.documentCount(),
    nextSegmentId: table.nextSegmentId(),
    shards: readShards(table),
    segments,
  };
}

/** For a reader that wants only some of it. Throws RangeError when the bytes are no manifest. */
export function openManifest(bytes: Uint8Array): ManifestTable {
  const buffer = new ByteBuffer(bytes);
  if (bytes.length < 8 || !ManifestTable.bufferHasIdentifier(buffer)) throw new RangeError("not a manifest");
  return ManifestTable.getRootAsManifestTable(buffer);
}

export function parseSettings(table: ManifestTable): Settings {
  const json = table.settingsArray();
  if (json === null) throw new RangeError("manifest without settings");
  const names = Array.from({ length: table.settingNamesLength() }, (_, i) => table.settingNames(i)!);
  const ends = names.map((_, i) => table.settingEnds(i));
  // What lies in shared memory does not stay; short settings are read right away.
  return decodeSettings({ bytes: names.length === 0 ? json : json.slice(), names, ends });
}

export function readShards(table: ManifestTable): number {
  return table.shardsBeyondFirst() + 1;
}

export function readFieldOrder(table: ManifestTable): string[] {
  return Array.from({ length: table.fieldOrderLength() }, (_, i) => table.fieldOrder(i)!);
}

export function readFieldDistribution(table: ManifestTable): Record<string, number> {
  // Without a prototype: a field of a document may have any name.
  const distribution: Record<string, number> = Object.create(null);
  for (let i = 0; i < table.distributionFieldsLength(); i++) {
    distribution[table.distributionFields(i)!] = table.distributionCounts(i);
  }
  return distribution;
}

export function readPlace(place: BlockPlace | null): BlockPointer | null {
  return place === null ? null : { arena: place.arena(), offset: place.offset(), length: place.length() };
}

function build(manifest: IndexManifest, places: ReadonlyMap<number, SegmentPlace> | null): Uint8Array {
  const builder = new Builder(4096);
  const segments = manifest.segments.map((segment) => buildSegment(builder, segment, places));
  const segmentsAt = ManifestTable.createSegmentsVector(builder, segments);
  const { bytes, names, ends } = encodeSettings(manifest.settings);
  const settingsAt = builder.createByteVector(bytes);
  const hasMembers = places !== null && names.length > 0;
  const namesAt = hasMembers
    ? ManifestTable.createSettingNamesVector(
        builder,
        names.map((name) => builder.createString(name)),
      )
    : 0;
  const endsAt = hasMembers ? ManifestTable.createSettingEndsVector(builder, [...ends]) : 0;
  const orderAt = ManifestTable.createFieldOrderVector(
    builder,
    manifest.fieldOrder.map((name) => builder.createString(name)),
  );
  const distribution = Object.entries(manifest.fieldDistribution);
  const fieldsAt = ManifestTable.createDistributionFieldsVector(
    builder,
    distribution.map(([name]) => builder.createString(name)),
  );
  const countsAt = ManifestTable.createDistributionCountsVector(
    builder,
    distribution.map(([, count]) => count),
  );
  const idAt = builder.createString(manifest.id);
  const primaryKeyAt = manifest.primaryKey === null ? 0 : builder.createString(manifest.primaryKey);
  ManifestTable.startManifestTable(builder);
  ManifestTable.addId(builder, idAt);
  ManifestTable.addVersion(builder, manifest.version);
  ManifestTable.addCreatedAt(builder, manifest.createdAt);
  ManifestTable.addUpdatedAt(builder, manifest.updatedAt);
  if (manifest.primaryKey !== null) ManifestTable.addPrimaryKey(builder, primaryKeyAt);
  ManifestTable.addSettingsVersion(builder, manifest.settingsVersion);
  ManifestTable.addContentVersion(builder, manifest.contentVersion);
  ManifestTable.addSettings(builder, settingsAt);
  ManifestTable.addFieldOrder(builder, orderAt);
  ManifestTable.addDistributionFields(builder, fieldsAt);
  ManifestTable.addDistributionCounts(builder, countsAt);
  ManifestTable.addDocumentCount(builder, manifest.documentCount);
  ManifestTable.addNextSegmentId(builder, manifest.nextSegmentId);
  ManifestTable.addSegments(builder, segmentsAt);
  ManifestTable.addShardsBeyondFirst(builder, manifest.shards - 1);
  if (hasMembers) {
    ManifestTable.addSettingNames(builder, namesAt);
    ManifestTable.addSettingEnds(builder, endsAt);
  }
  ManifestTable.finishManifestTableBuffer(builder, ManifestTable.endManifestTable(builder));
  return builder.asUint8Array();
}

function buildSegment(
  builder: Builder,
  segment: SegmentEntry,
  places: ReadonlyMap<number, SegmentPlace> | null,
): number {
  const fileAt = builder.createString(segment.file);
  const deletedAt = places === null && segment.deleted !== null ? builder.createByteVector(segment.deleted) : 0;
  ManifestSegment.startManifestSegment(builder);
  ManifestSegment.addId(builder, segment.id);
  ManifestSegment.addFile(builder, fileAt);
  ManifestSegment.addRows(builder, segment.rows);
  ManifestSegment.addFileBytes(builder, segment.fileBytes);
  ManifestSegment.addDocumentBytes(builder, segment.documentBytes);
  ManifestSegment.addDeletedCount(builder, segment.deletedCount);
  ManifestSegment.addShard(builder, segment.shard);
  if (deletedAt !== 0) ManifestSegment.addDeleted(builder, deletedAt);
  const place = places?.get(segment.id);
  if (place !== undefined) {
    ManifestSegment.addHot(builder, writePlace(builder, place.hot));
    if (place.live !== null) ManifestSegment.addLive(builder, writePlace(builder, place.live));
  }
  return ManifestSegment.endManifestSegment(builder);
}

export function writePlace(builder: Builder, block: BlockPointer): number {
  return BlockPlace.createBlockPlace(builder, block.arena, block.offset, block.length);
}
