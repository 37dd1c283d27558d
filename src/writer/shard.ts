/**
 * One shard of a batch: the documents that become one segment, each as the versions it is laid together from.
 * Plain data that can travel to a helper thread; `buildShard` is what that thread does with it.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { ByteSink } from "../document/bytes.ts";
import { DESK_BYTES_MIN } from "../document/desk.ts";
import type { IdList } from "../document/id-list.ts";
import { DocumentLayer } from "../document/lay.ts";
import { storeDocument } from "../document/order.ts";
import { type DocumentVersion, overlayVersions } from "../document/overlay.ts";
import { ownVectors } from "../document/vector-entries.ts";
import type { Settings } from "../index/settings.ts";
import { buildSegment } from "../segment/build.ts";
import { type SegmentSummary, writeSegmentFile } from "../segment/container.ts";
import { extractionRules } from "../segment/rules.ts";
import type { MadeVectors } from "../segment/vectors/made.ts";
import { type RemovedEmbedder, storedVectors } from "./embedding/stored-vectors.ts";

/** Where versions lie: in a file, or in bytes that came along. */
export type ShardSource = { path: string } | { bytes: Uint8Array };

/** Documents, each as the versions it is laid together from. */
export interface ShardDocuments {
  fieldOrder: readonly string[];
  /** Ascending. */
  docids: Uint32Array;
  externalIds: IdList;
  sources: ShardSource[];
  /** Versions of document i, oldest first: `versionStarts[i] .. versionStarts[i + 1] - 1`. */
  versionStarts: Uint32Array;
  versionSources: Uint32Array;
  /** Byte range of each version in its source. */
  versionBegins: Float64Array;
  versionEnds: Float64Array;
  /** 1 for a document whose oldest version is the stored one: all others came with the batch. */
  overStored: Uint8Array;
  /** 1 for a document of whose oldest version nothing stays but the client's own vectors of these embedders. */
  replaced: Uint8Array;
  embedders: readonly string[];
}

export interface ShardInput extends ShardDocuments {
  /** The segment file to write. */
  output: string;
  settings: Settings;
  /** Vectors that do not stand in the documents, by place in this shard. */
  made: MadeVectors[];
  /** Embedders that are gone: their vectors that are the client's become part of the documents. */
  removed: RemovedEmbedder[];
}

export function buildShard(input: ShardInput): SegmentSummary {
  const { docids, externalIds, made } = input;
  const { documents, offsets } = layDocuments(input, storedVectors(made, input.removed));
  const rules = extractionRules(input.settings);
  const segment = buildSegment({ docids, externalIds, documents, offsets, rules, made });
  return writeSegmentFile(input.output, segment);
}

/** Documents side by side: document i is `documents[offsets[i], offsets[i + 1])`. */
export interface LaidDocuments {
  documents: Uint8Array;
  offsets: Float64Array;
}

/** `change`: gives a document its last form; null leaves it as it is. */
export function layDocuments(
  input: ShardDocuments,
  change: ((place: number, document: Uint8Array) => Uint8Array | null) | null = null,
): LaidDocuments {
  const { docids, versionStarts } = input;
  const windows = openWindows(input);
  const order = new Map(input.fieldOrder.map((name, rank) => [name, rank]));
  const total = totalVersionBytes(input);
  const documents = new ByteSink(total);
  const offsets = new Float64Array(docids.length + 1);
  const layer = change === null && total >= DESK_BYTES_MIN ? new DocumentLayer(order, documents) : null;
  for (let i = 0; i < docids.length; ) {
    const run = layer === null ? 0 : plainRun(input, windows, i);
    if (run > 0) {
      layRun(layer!, input, windows, i, run, offsets);
      i += run;
      continue;
    }
    const first = versionStarts[i]!;
    const last = versionStarts[i + 1]! - 1;
    if (first === last) {
      const { bytes, start, end } = version(input, windows, first);
      storeDocument(bytes, start, end, order, documents);
    } else {
      const versions: DocumentVersion[] = [];
      for (let v = first; v <= last; v++) versions.push(version(input, windows, v));
      if (input.replaced[i] === 1) keepVectors(versions, input.embedders);
      overlayVersions(versions, order, documents);
    }
    const changed = change?.(i, documents.buffer.subarray(offsets[i]!, documents.length)) ?? null;
    if (changed !== null) {
      documents.length = offsets[i]!;
      documents.bytes(changed);
    }
    offsets[++i] = documents.length;
  }
  closeWindows(windows);
  return { documents: documents.view(), offsets };
}

/** How many documents from `i` on have one version each, all in one source that is in memory. */
function plainRun(
  { docids, versionSources, versionStarts }: ShardDocuments,
  windows: readonly Window[],
  i: number,
): number {
  const source = versionSources[versionStarts[i]!]!;
  if (windows[source]!.fd !== null) return 0;
  let end = i;
  while (
    end < docids.length &&
    versionStarts[end + 1]! - versionStarts[end]! === 1 &&
    versionSources[versionStarts[end]!] === source
  ) {
    end++;
  }
  return end - i;
}

function layRun(
  layer: DocumentLayer,
  input: ShardDocuments,
  windows: readonly Window[],
  i: number,
  count: number,
  offsets: Float64Array,
): void {
  const { versionBegins, versionEnds, versionSources, versionStarts } = input;
  const first = versionStarts[i]!;
  const { bytes, begin } = windows[versionSources[first]!]!;
  for (let done = 0; done < count; ) {
    const from = first + done;
    const some = layer.run(versionBegins, versionEnds, from, first + count);
    layer.lay(bytes, begin, versionBegins, versionEnds, from, some, (version, end) => {
      offsets[i + version - first + 1] = end;
    });
    done += some;
  }
}

/** Leaves of the oldest version what outlives a replacement. */
function keepVectors(versions: DocumentVersion[], embedders: readonly string[]): void {
  const { bytes, start, end } = versions.shift()!;
  const kept = ownVectors(bytes.subarray(start, end), embedders);
  if (kept !== null) versions.unshift({ bytes: kept, start: 0, end: kept.length });
}

/** The versions of documents that came with the batch, read when the first one is asked for. */
export class IncomingVersions {
  readonly #input: ShardDocuments;
  #windows: Window[] | null = null;

  constructor(input: ShardDocuments) {
    this.#input = input;
  }

  /** Newest first, one after the other. */
  *of(place: number): Generator<Uint8Array> {
    const { versionStarts, overStored } = this.#input;
    this.#windows ??= openWindows(this.#input);
    for (let v = versionStarts[place + 1]! - 1; v >= versionStarts[place]! + overStored[place]!; v--) {
      const { bytes, start, end } = version(this.#input, this.#windows, v);
      yield bytes.subarray(start, end);
    }
  }

  close(): void {
    closeWindows(this.#windows ?? []);
  }
}

/** A source as this shard reads it. */
interface Window {
  bytes: Uint8Array;
  /** Offset of its first byte in the source. */
  begin: number;
  /** Versions that lie far apart are read one by one from here. */
  fd: number | null;
}

/** A file is read in one piece when its versions fill at least this share of the range they span. */
const DENSE_SHARE = 0.25;

function openWindows(input: ShardDocuments): Window[] {
  const sources = input.sources.map(() => ({ begin: Number.POSITIVE_INFINITY, end: 0, used: 0 }));
  for (let v = 0; v < input.versionSources.length; v++) {
    const span = sources[input.versionSources[v]!]!;
    span.begin = Math.min(span.begin, input.versionBegins[v]!);
    span.end = Math.max(span.end, input.versionEnds[v]!);
    span.used += input.versionEnds[v]! - input.versionBegins[v]!;
  }
  return input.sources.map((source, i) => {
    if ("bytes" in source) return { bytes: source.bytes, begin: 0, fd: null };
    const { begin, end, used } = sources[i]!;
    const fd = openSync(source.path, "r");
    if (used < (end - begin) * DENSE_SHARE) return { bytes: EMPTY, begin: 0, fd };
    const bytes = used === 0 ? EMPTY : readRange(fd, begin, end);
    closeSync(fd);
    return { bytes, begin, fd: null };
  });
}

function closeWindows(windows: readonly Window[]): void {
  for (const { fd } of windows) if (fd !== null) closeSync(fd);
}

function version(input: ShardDocuments, windows: readonly Window[], v: number): DocumentVersion {
  const window = windows[input.versionSources[v]!]!;
  const begin = input.versionBegins[v]!;
  const end = input.versionEnds[v]!;
  if (window.fd !== null) return { bytes: readRange(window.fd, begin, end), start: 0, end: end - begin };
  return { bytes: window.bytes, start: begin - window.begin, end: end - window.begin };
}

function totalVersionBytes(input: ShardDocuments): number {
  let total = 0;
  for (let v = 0; v < input.versionEnds.length; v++) total += input.versionEnds[v]! - input.versionBegins[v]!;
  return total;
}

const EMPTY = new Uint8Array(0);

function readRange(fd: number, begin: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - begin);
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(fd, bytes, done, bytes.length - done, begin + done);
    if (read === 0) throw new Error("a document lies beyond the end of its file");
    done += read;
  }
  return bytes;
}
