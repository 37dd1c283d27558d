/**
 * One lot of a batch: the documents that become one segment, each as the versions it is laid together from.
 * Plain data that can travel to a helper thread; `buildLot` is what that thread does with it.
 */

import { DESK_BYTES_MIN } from "../../base/document/desk.ts";
import type { IdList } from "../../base/document/id-list.ts";
import { DocumentLayer } from "../../base/document/lay.ts";
import { storeDocument } from "../../base/document/order.ts";
import { type DocumentVersion, overlayVersions } from "../../base/document/overlay.ts";
import { ownVectors } from "../../base/document/vector-entries.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { buildPlainSegment, buildSegment } from "../../storage/segment/build.ts";
import { type SegmentSummary, writeSegmentFile } from "../../storage/segment/container.ts";
import type { PlainRun } from "../../storage/segment/extract/slabs.ts";
import { extractionRules } from "../../storage/segment/rules.ts";
import type { MadeVectors } from "../../storage/segment/vectors/made.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { OpenVersions } from "./open-versions.ts";
import { type OutdatedEmbedders, storedVectors } from "./stored-vectors.ts";

/** Where versions lie: in a file, as they are or packed by the numbers of these names; or in bytes that came along. */
export type LotSource = { path: string; packed?: readonly string[] | null } | { bytes: Uint8Array };

/** Documents, each as the versions it is laid together from. */
export interface LotDocuments {
  fieldOrder: readonly string[];
  /** Ascending. */
  docids: Uint32Array;
  externalIds: IdList;
  sources: LotSource[];
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

export interface LotInput extends LotDocuments {
  /** The documents as they came, where each is just that: then no versions are listed. */
  plain: PlainRun[] | null;
  /** The segment file to write. */
  output: string;
  settings: Settings;
  /** Vectors that do not stand in the documents, by place in this lot. */
  made: MadeVectors[];
  outdated: OutdatedEmbedders;
}

export function buildLot(input: LotInput): SegmentSummary {
  const { docids, externalIds, made } = input;
  const rules = extractionRules(input.settings);
  const rows = { docids, externalIds, rules, made };
  if (input.plain !== null) {
    const order = new Map(input.fieldOrder.map((name, rank) => [name, rank]));
    const segment = buildPlainSegment({ ...rows, runs: input.plain, order });
    if (segment !== null) return writeSegmentFile(input.output, segment);
  }
  const versions = input.plain === null ? input : { ...input, ...versionsOf(input.plain) };
  const laid = layDocuments(versions, storedVectors(made, input.outdated));
  return writeSegmentFile(input.output, buildSegment({ ...rows, ...laid }));
}

type Versions = Omit<LotDocuments, "fieldOrder" | "docids" | "externalIds">;

/** Documents as they came, as the one version that each has; of no runs, lists of nothing. */
export function versionsOf(runs: readonly PlainRun[]): Versions {
  const count = runs.reduce((sum, { ranges }) => sum + ranges.length / 2, 0);
  const sources = new Uint32Array(count);
  const begins = new Float64Array(count);
  const ends = new Float64Array(count);
  let version = 0;
  runs.forEach(({ ranges }, source) => {
    for (let i = 0; i < ranges.length; i += 2, version++) {
      sources[version] = source;
      begins[version] = ranges[i]!;
      ends[version] = ranges[i + 1]!;
    }
  });
  return {
    sources: runs.map(({ source }) => source),
    versionStarts: Uint32Array.from({ length: count + 1 }, (_, i) => i),
    versionSources: sources,
    versionBegins: begins,
    versionEnds: ends,
    overStored: new Uint8Array(count),
    replaced: new Uint8Array(count),
    embedders: [],
  };
}

/** Documents side by side: document i is `documents[offsets[i], offsets[i + 1])`. */
interface LaidDocuments {
  documents: Uint8Array;
  offsets: Float64Array;
}

/** `change`: gives a document its last form; null leaves it as it is. */
export function layDocuments(
  input: LotDocuments,
  change: ((place: number, document: Uint8Array) => Uint8Array | null) | null = null,
): LaidDocuments {
  const { docids, versionStarts } = input;
  const opened = new OpenVersions(input);
  const order = new Map(input.fieldOrder.map((name, rank) => [name, rank]));
  const total = opened.totalBytes;
  const documents = new ByteSink(total);
  const offsets = new Float64Array(docids.length + 1);
  const layer = change === null && total >= DESK_BYTES_MIN ? new DocumentLayer(order, documents) : null;
  for (let i = 0; i < docids.length; ) {
    const run = layer === null ? 0 : plainRun(input, opened, i);
    if (run > 0) {
      layRun(layer!, input, opened, i, run, offsets);
      i += run;
      continue;
    }
    const first = versionStarts[i]!;
    const last = versionStarts[i + 1]! - 1;
    if (first === last) {
      const { bytes, start, end } = opened.version(first);
      storeDocument(bytes, start, end, order, documents);
    } else {
      const versions: DocumentVersion[] = [];
      for (let v = first; v <= last; v++) versions.push(opened.version(v));
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
  opened.close();
  return { documents: documents.view(), offsets };
}

/** How many documents from `i` on have one version each, all in one source that is in memory. */
function plainRun(
  { docids, versionSources, versionStarts }: LotDocuments,
  { windows }: OpenVersions,
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
  { versionSources, versionStarts }: LotDocuments,
  { begins, ends, windows }: OpenVersions,
  i: number,
  count: number,
  offsets: Float64Array,
): void {
  const first = versionStarts[i]!;
  const { bytes, begin } = windows[versionSources[first]!]!;
  for (let done = 0; done < count; ) {
    const from = first + done;
    const some = layer.run(begins, ends, from, first + count);
    layer.lay(bytes, begin, begins, ends, from, some, (version, end) => {
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
  readonly #input: LotDocuments;
  #opened: OpenVersions | null = null;

  constructor(input: LotDocuments) {
    this.#input = input;
  }

  /** Newest first, one after the other. */
  *of(place: number): Generator<Uint8Array> {
    const { versionStarts, overStored } = this.#input;
    this.#opened ??= new OpenVersions(this.#input);
    for (let v = versionStarts[place + 1]! - 1; v >= versionStarts[place]! + overStored[place]!; v--) {
      const { bytes, start, end } = this.#opened.version(v);
      yield bytes.subarray(start, end);
    }
  }

  close(): void {
    this.#opened?.close();
  }
}
