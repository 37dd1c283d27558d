/**
 * From folded operations to lots: which documents are built into which new segment, and which stored rows go.
 * Decides sizes and order; reads no document.
 */
import { DESK_BYTES_MIN } from "../../base/document/desk.ts";
import { GrowingIds, idsBetween, pickIds } from "../../base/document/id-list.ts";
import { placesByShard } from "../../storage/index/shards.ts";
import type { PlainRun } from "../../storage/segment/extract/slabs.ts";
import { type LotDocuments, type LotSource, versionsOf } from "../build/lot.ts";
import type { Fold, PayloadRun } from "./fold.ts";
import { liveRows, type WriterSegment } from "./index-state.ts";
import { VersionList } from "./version-list.ts";

/** The documents of one payload: where they are and the byte range of each. */
export interface PayloadPlace {
  source: LotSource;
  /** Start and end of each document. */
  ranges: Uint32Array;
}

export interface LotPlan extends Omit<LotDocuments, "fieldOrder"> {
  bytes: number;
  /** The documents as they came, where that is all there is to them: no lists of versions are needed then. */
  plain: PlainRun[] | null;
  /** Segment and row of each document's version before, -1 for a new document. */
  storedSegments: Int32Array;
  storedRows: Int32Array;
}

/** A lot that is planned when its turn comes. */
export interface PlannedLot {
  bytes: number;
  /** Which shard of the index its documents belong to. */
  shard: number;
  /** `mayBePlain`: whoever uses it needs no versions where documents are as they came. */
  open(mayBePlain: boolean): LotPlan;
}

interface LotSizes {
  /** Raw bytes of one lot, at most (a larger document is a lot of its own). */
  lotBytes: number;
  /** Threads that can build at the same time. */
  threads: number;
  /** Below this a batch is not worth splitting among threads. */
  splitBytes: number;
  /** Documents of one lot, at most. */
  documentsMax: number;
  /** Into how many the index is divided: a lot belongs to one of these. */
  shards: number;
}

/** What is folded and where its versions lie. */
interface Folded {
  fold: Fold;
  payloads: readonly PayloadPlace[];
  segments: readonly WriterSegment[];
  /** Embedders whose vectors outlive a replacement of their document, when they are the client's own. */
  embedders: readonly string[];
}

/** Entries that end up as documents, by ascending document number, cut into lots of about equal size. */
export function planLots(
  folded: Folded,
  segmentPath: (segment: WriterSegment) => string,
  sizes: LotSizes,
): PlannedLot[] {
  const runs = folded.fold.plainRuns;
  const entries = writtenEntries(folded.fold);
  const bytes = runs === null ? entries.map((entry) => versionBytes(folded, entry)) : plainBytes(folded, runs);
  const isWorthIt = runs !== null && sumOf(bytes) >= runs.length * DESK_BYTES_MIN;
  const open: OpenLot = (lot, mayBePlain) =>
    mayBePlain && isWorthIt ? plainLot(folded, runs, lot) : planLot(folded, lot, segmentPath);
  if (sizes.shards === 1) return cutLots(entries, bytes, sizes, 0, open);
  const threads = Math.ceil(sizes.threads / sizes.shards);
  return placesByShard(folded.fold.externalIds, entries, sizes.shards).flatMap((places, shard) => {
    const own = (list: Uint32Array): Uint32Array => pick(list, places, new Uint32Array(places.length));
    return cutLots(own(entries), own(bytes), { ...sizes, threads }, shard, open);
  });
}

interface PlannedEntries {
  entries: Uint32Array;
  bytes: number;
}

type OpenLot = (lot: PlannedEntries, mayBePlain: boolean) => LotPlan;

/** `bytes`: of each entry. */
function cutLots(
  entries: Uint32Array,
  bytes: Uint32Array,
  sizes: LotSizes,
  shard: number,
  open: OpenLot,
): PlannedLot[] {
  const total = sumOf(bytes);
  const target = total / lotCount(total, sizes);
  const plans: PlannedLot[] = [];
  let first = 0;
  let done = 0;
  let inLot = 0;
  for (let i = 0; i < entries.length; i++) {
    inLot += bytes[i]!;
    const isLast = i === entries.length - 1;
    const isFull = i + 1 - first >= sizes.documentsMax;
    if (!isLast && !isFull && done + inLot < target * (Math.floor(done / target) + 1)) continue;
    const lot = { entries: entries.subarray(first, i + 1), bytes: inLot };
    plans.push({ bytes: inLot, shard, open: (mayBePlain) => open(lot, mayBePlain) });
    done += inLot;
    inLot = 0;
    first = i + 1;
  }
  return plans;
}

function writtenEntries({ docids, present, size, touched }: Fold): Uint32Array {
  const entries = new Uint32Array(size);
  let count = 0;
  let ascending = true;
  for (let entry = 0; entry < size; entry++) {
    if ((touched[entry]! & present[entry]!) === 0) continue;
    if (count > 0 && docids[entries[count - 1]!]! > docids[entry]!) ascending = false;
    entries[count++] = entry;
  }
  const written = entries.subarray(0, count);
  return ascending ? written : written.sort((a, b) => docids[a]! - docids[b]!);
}

/** Bytes of each document of the runs. */
function plainBytes({ fold, payloads }: Folded, runs: readonly PayloadRun[]): Uint32Array {
  const bytes = new Uint32Array(fold.size);
  let first = 0;
  for (const { payload, count } of runs) {
    measure(payloads[payload]!.ranges, bytes.subarray(first, first + count));
    first += count;
  }
  return bytes;
}

function measure(ranges: Uint32Array, bytes: Uint32Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = ranges[2 * i + 1]! - ranges[2 * i]!;
}

function sumOf(numbers: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i]!;
  return sum;
}

function lotCount(total: number, sizes: LotSizes): number {
  const bySize = Math.ceil(total / sizes.lotBytes);
  const byThreads = Math.min(sizes.threads, Math.floor(total / sizes.splitBytes));
  return Math.max(1, bySize, byThreads);
}

function versionBytes(folded: Folded, entry: number): number {
  const { fold, payloads } = folded;
  if (hasOneVersion(folded, entry)) {
    const { ranges } = payloads[fold.payload[entry]!]!;
    const document = fold.document[entry]!;
    return ranges[2 * document + 1]! - ranges[2 * document]!;
  }
  let bytes = 0;
  forEachVersion(folded, entry, (_, begin, end) => {
    bytes += end - begin;
  });
  return bytes;
}

/** Whether a document is what stands in one payload, like most. */
function hasOneVersion(folded: Folded, entry: number): boolean {
  const { fold } = folded;
  return (
    fold.overStored[entry] === 0 &&
    fold.payload[entry]! >= 0 &&
    !isReplaced(folded, entry) &&
    (fold.chains.size === 0 || !fold.chains.has(entry))
  );
}

/** Calls back for every version of an entry, oldest first; the stored one has its segment as origin. */
function forEachVersion(
  folded: Folded,
  entry: number,
  visit: (origin: number | WriterSegment, begin: number, end: number) => void,
): void {
  const { fold, payloads, segments } = folded;
  if (startsAtStored(folded, entry)) {
    const segment = segments[fold.storedSegment[entry]!]!;
    const { start, end } = segment.reader.fileRange(fold.storedRow[entry]!);
    visit(segment, start, end);
  }
  const chain = fold.chains.get(entry);
  if (chain === undefined) {
    const payload = fold.payload[entry]!;
    if (payload < 0) return;
    const { ranges } = payloads[payload]!;
    const document = fold.document[entry]!;
    visit(payload, ranges[2 * document]!, ranges[2 * document + 1]!);
    return;
  }
  for (let i = 0; i < chain.length; i += 2) {
    const { ranges } = payloads[chain[i]!]!;
    visit(chain[i]!, ranges[2 * chain[i + 1]!]!, ranges[2 * chain[i + 1]! + 1]!);
  }
}

function startsAtStored(folded: Folded, entry: number): boolean {
  return folded.fold.overStored[entry] === 1 || isReplaced(folded, entry);
}

/** Whether the oldest version is one of which only vectors stay. */
function isReplaced({ fold, embedders }: Folded, entry: number): boolean {
  return embedders.length > 0 && fold.overReplaced[entry] === 1;
}

/** Documents that stay as they are, segment by segment, to be built into other segments. */
export function planStored(
  segments: readonly WriterSegment[],
  segmentPath: (segment: WriterSegment) => string,
  sizes: Pick<LotSizes, "lotBytes" | "documentsMax">,
): PlannedLot[] {
  return segments.flatMap((segment, number) => {
    const plans: PlannedLot[] = [];
    let rows: number[] = [];
    let bytes = 0;
    const cut = (): void => {
      const lot = { rows, bytes };
      const open = (): LotPlan => storedLot(segment, number, segmentPath(segment), lot);
      if (rows.length > 0) plans.push({ bytes, shard: segment.entry.shard, open });
      rows = [];
      bytes = 0;
    };
    liveRows(segment).forEach((row) => {
      const length = segment.reader.documentLength(row);
      if (rows.length >= sizes.documentsMax || bytes + length > sizes.lotBytes) cut();
      rows.push(row);
      bytes += length;
    });
    cut();
    return plans;
  });
}

function storedLot(
  { reader }: WriterSegment,
  number: number,
  path: string,
  { rows, bytes }: { rows: readonly number[]; bytes: number },
): LotPlan {
  const ranges = rows.map((row) => reader.fileRange(row));
  const ids = new GrowingIds();
  for (const row of rows) reader.pushId(row, ids);
  return {
    docids: Uint32Array.from(rows, (row) => reader.docids[row]!),
    externalIds: ids.finish(),
    sources: [{ path, packed: reader.documents.names }],
    versionStarts: Uint32Array.from({ length: rows.length + 1 }, (_, i) => i),
    versionSources: new Uint32Array(rows.length),
    versionBegins: Float64Array.from(ranges, ({ start }) => start),
    versionEnds: Float64Array.from(ranges, ({ end }) => end),
    overStored: new Uint8Array(rows.length).fill(1),
    replaced: new Uint8Array(rows.length),
    embedders: [],
    plain: null,
    bytes,
    storedSegments: new Int32Array(rows.length).fill(number),
    storedRows: Int32Array.from(rows),
  };
}

function planLot(
  folded: Folded,
  { entries, bytes }: PlannedEntries,
  segmentPath: (segment: WriterSegment) => string,
): LotPlan {
  const { fold, payloads, embedders } = folded;
  const sources: LotSource[] = [];
  const sourceOf = new Map<number | WriterSegment, number>();
  const numberOf = (origin: number | WriterSegment): number => {
    let source = sourceOf.get(origin);
    if (source === undefined) {
      source = sources.length;
      sources.push(
        typeof origin === "number"
          ? payloads[origin]!.source
          : { path: segmentPath(origin), packed: origin.reader.documents.names },
      );
      sourceOf.set(origin, source);
    }
    return source;
  };
  const starts = new Uint32Array(entries.length + 1);
  const versions = new VersionList(entries.length);
  for (let i = 0; i < entries.length; i++) {
    forEachVersion(folded, entries[i]!, (origin, begin, end) => versions.push(numberOf(origin), begin, end));
    starts[i + 1] = versions.length;
  }
  return {
    docids: pick(fold.docids, entries, new Uint32Array(entries.length)),
    externalIds: pickIds(fold.externalIds, entries),
    sources,
    versionStarts: starts,
    ...versions.lists(),
    overStored: Uint8Array.from(entries, (entry) => (startsAtStored(folded, entry) ? 1 : 0)),
    replaced: Uint8Array.from(entries, (entry) => (isReplaced(folded, entry) ? 1 : 0)),
    embedders,
    plain: null,
    bytes,
    storedSegments: pick(fold.storedSegment, entries, new Int32Array(entries.length)),
    storedRows: pick(fold.storedRow, entries, new Int32Array(entries.length)),
  };
}

/** Entries of which each is a document of a payload, one behind the other where the index is not divided. */
function plainLot(
  { fold, payloads }: Folded,
  runs: readonly PayloadRun[],
  { entries, bytes }: PlannedEntries,
): LotPlan {
  const first = entries[0]!;
  const end = entries.at(-1)! + 1;
  const areAll = end - first === entries.length;
  const plain: PlainRun[] = [];
  let begin = 0;
  let place = 0;
  for (const { payload, count } of runs) {
    const from = place;
    if (areAll) place = Math.max(from, Math.min(entries.length, begin + count - first));
    else while (place < entries.length && entries[place]! < begin + count) place++;
    const { source, ranges } = payloads[payload]!;
    const start = 2 * (entries[from]! - begin);
    if (from < place) {
      const some = entries.subarray(from, place);
      plain.push({
        source,
        ranges: areAll ? ownOrShared(ranges, start, start + 2 * some.length) : rangesAt(ranges, some, begin),
      });
    }
    begin += count;
  }
  return {
    docids: areAll
      ? new Uint32Array(fold.docids.subarray(first, end))
      : pick(fold.docids, entries, new Uint32Array(entries.length)),
    externalIds: areAll ? idsBetween(fold.externalIds, first, end) : pickIds(fold.externalIds, entries),
    plain,
    ...versionsOf([]),
    bytes,
    storedSegments: new Int32Array(0),
    storedRows: new Int32Array(0),
  };
}

/** A part of a list that travels alone: of what is not shared, all would travel along. */
function ownOrShared(list: Uint32Array, from: number, to: number): Uint32Array {
  return list.buffer instanceof SharedArrayBuffer ? list.subarray(from, to) : list.slice(from, to);
}

/** Start and end of each entry, of which the first of the payload is `begin`. */
function rangesAt(ranges: Uint32Array, entries: Uint32Array, begin: number): Uint32Array {
  const picked = new Uint32Array(2 * entries.length);
  for (let i = 0; i < entries.length; i++) {
    picked[2 * i] = ranges[2 * (entries[i]! - begin)]!;
    picked[2 * i + 1] = ranges[2 * (entries[i]! - begin) + 1]!;
  }
  return picked;
}

function pick<T extends Int32Array | Uint32Array>(list: Int32Array | Uint32Array, entries: Uint32Array, into: T): T {
  for (let i = 0; i < entries.length; i++) into[i] = list[entries[i]!]!;
  return into;
}
