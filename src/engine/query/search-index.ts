/**
 * An index as compiled search sees it: where the parts of its segments are, what fields weigh, which rows are live. Made
 * once for a state of the index and kept; a search that is limited to some fields makes its own.
 */

import { PrefixFilter } from "../../base/kernels/dictionary/generated/layout.ts";
import { Index, Segment, StoredPrefix } from "../../base/kernels/search/generated/layout.ts";
import { MIB } from "../../base/limits.ts";
import { WORKSPACE_ALIGNMENT, type Workspace } from "../../storage/memory/workspace.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { nameTree } from "../../storage/settings/name-tree.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { ScratchCache } from "./scratch-cache.ts";
import { StructWriter } from "./struct.ts";
import { isExactField, type Vocabulary, type WordSegment } from "./vocabulary.ts";

/** Bytes of a line of a set of rows; behind the bits of a set is a map with a bit for each line. */
const LINE_BYTES = 64;
/** For what is found about words: a multiple of what their texts take, within bounds. */
const FINDINGS_SHARE = 16;
const FINDINGS_BYTES_MIN = 64 * 1024;
const FINDINGS_BYTES_MAX = 16 * MIB;
/** At most one part in this many of what can be kept at all. */
const FINDINGS_PART = 8;
/** Room for unpacked words, as a multiple of their packed size; at most one part in TABLES_SHARE of what can be kept at all. */
const UNPACKED_SHARE = 4;
const TABLES_BYTES_MIN = 256 * 1024;
const TABLES_SHARE = 2;
/** Sets that searches are lent, unless they take more than a part of what can be kept. */
const SETS_MAX = 32;
const SETS_SHARE = 6;
const SETS_HEAD_BYTES = 16;
const NOT_SEARCHED = 0xffff;
/** To sort fewer documents, and to find words in them, is quick one by one. */
const MANY = 256;
/** Costs below this are told apart by sets of documents, higher ones document by document. */
const LIGHT_WEIGHTS = 4;
const CODE_POINTS = 0x110000;

/** Where an index is in memory, and how its sets are laid out. */
export interface SearchIndex {
  workspace: Workspace;
  address: number;
  /** Of the struct of the first segment. */
  segments: number;
  /** Bytes of a set of the rows of all segments, with and without its map, and where those of each segment begin. */
  mappedBytes: number;
  setBytes: number;
  setsAt: readonly number[];
  /** Address of the live rows. */
  live: number;
  /** The sets that searches are lent: what is in them stays until the next search. Both 0 where there are none. */
  lentFrom: number;
  lentTo: number;
}

/** Null when segments are in different memories, where no one call reaches all of them. */
export function searchIndexOf(
  vocabulary: Vocabulary,
  settings: Settings,
  searched: ReadonlySet<string> | null,
): SearchIndex | null {
  const workspace = vocabulary.workspace;
  if (workspace === null) return null;
  const store = ScratchCache.of(workspace);
  const known = vocabulary.searchIndex;
  const isThere = known !== null && store.find(known.name) !== null;
  const whole = isThere ? known.index : keepWhole(vocabulary, settings, workspace, store);
  return searched === null ? whole : limited(vocabulary, settings, whole, searched);
}

let indexes = 0;

function keepWhole(vocabulary: Vocabulary, settings: Settings, workspace: Workspace, store: ScratchCache): SearchIndex {
  const { segments } = vocabulary;
  const bytes = bytesFor(segments, settings.typoTolerance.disableOnNumbers);
  const name = `index ${indexes++}`;
  const findings = findingsBytes(segments, store);
  const tables = tablesBytes(segments, store);
  const rowBytes = segments.reduce((sum, { reader }) => sum + setBytesOf(reader.rows), 0);
  const oneSet = Math.ceil((rowBytes + mapBytesOf(rowBytes)) / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
  const setCount = Math.min(SETS_MAX, Math.floor(store.bytes / SETS_SHARE / oneSet));
  const kept = store.reserve(vocabulary, name, bytes + findings + tables + SETS_HEAD_BYTES + setCount * oneSet);
  // Where nothing can be kept it is good for this search.
  const writer = new StructWriter(workspace, kept ?? workspace.allocate(bytes), bytes);
  const setBytes = segments.map(({ reader }) => setBytesOf(reader.rows));
  const setsAt: number[] = [];
  let end = 0;
  for (const own of setBytes) {
    setsAt.push(end);
    end += own;
  }
  const mappedBytes = end + mapBytesOf(end);
  const live = writer.room(mappedBytes);
  const views = segments.map(({ view }) => view.live);
  copySets(workspace, live, setsAt, end, views);
  const structs = segments.map((segment, i) => segmentStruct(segment, settings, writer, setsAt[i]!, setBytes[i]!));
  const at = writer.words(structs.flatMap((struct) => [...struct]));
  const struct = new Uint32Array(Index.WORDS);
  struct[Index.segments] = at;
  struct[Index.segmentCount] = segments.length;
  struct[Index.setBytes] = end;
  struct[Index.live] = live;
  struct[Index.hasDeletes] = segments.some(({ hasDeletes }) => hasDeletes) ? 1 : 0;
  struct[Index.toleratesEverywhere] =
    !vocabulary.limitsNumbers && segments.every(({ tolerantSets }) => tolerantSets === null) ? 1 : 0;
  if (vocabulary.limitsNumbers) {
    const ranges = numberRanges();
    struct[Index.limitsNumbers] = 1;
    struct[Index.numberRanges] = writer.words(ranges);
    struct[Index.numberRangeCount] = ranges.length / 2;
  }
  struct[Index.byAttribute] = settings.proximityPrecision === "byAttribute" ? 1 : 0;
  struct[Index.heaviest] = settings.searchableAttributes.includes("*") ? 0 : settings.searchableAttributes.length - 1;
  struct[Index.many] = MANY;
  struct[Index.lightWeights] = LIGHT_WEIGHTS;
  let lentFrom = 0;
  let lentTo = 0;
  if (kept !== null) {
    struct[Index.findings] = zeroAt(workspace, kept + bytes);
    struct[Index.findingsBytes] = findings;
    struct[Index.tables] = zeroAt(workspace, kept + bytes + findings);
    struct[Index.tablesBytes] = tables;
    lentFrom = kept + bytes + findings + tables;
    lentTo = lentFrom + SETS_HEAD_BYTES + setCount * oneSet;
    workspace.u8.fill(0, lentFrom, lentTo);
    struct[Index.sets] = lentFrom;
    struct[Index.setCount] = setCount;
  }
  const address = writer.words(struct);
  const places = { mappedBytes, setBytes: end, setsAt, live, lentFrom, lentTo };
  const index: SearchIndex = { workspace, address, segments: at, ...places };
  vocabulary.searchIndex = kept === null ? null : { name, index };
  return index;
}

function findingsBytes(segments: readonly WordSegment[], { bytes }: ScratchCache): number {
  const texts = segments.reduce((sum, { reader }) => sum + reader.terms.text.length, 0);
  const most = Math.min(FINDINGS_BYTES_MAX, bytes / FINDINGS_PART);
  return StructWriter.bytes(Math.min(most, Math.max(FINDINGS_BYTES_MIN, texts * FINDINGS_SHARE)));
}

function tablesBytes(segments: readonly WordSegment[], { bytes }: ScratchCache): number {
  const packed = segments.reduce((sum, { reader: { postings } }) => {
    return sum + postings.postings.length + postings.positions.length;
  }, 0);
  const wanted = Math.max(TABLES_BYTES_MIN, packed * UNPACKED_SHARE);
  return Math.floor(Math.min(wanted, bytes / TABLES_SHARE) / WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT;
}

/** A part of memory that begins with a zero is one that nothing is in. */
function zeroAt(workspace: Workspace, at: number): number {
  workspace.u32.fill(0, at >>> 2, (at >>> 2) + WORKSPACE_ALIGNMENT / 4);
  return at;
}

function setBytesOf(rows: number): number {
  return Math.ceil(rows / 8 / LINE_BYTES) * LINE_BYTES;
}

function mapBytesOf(setBytes: number): number {
  return Math.ceil(setBytes / LINE_BYTES / 64) * 8;
}

/** Copies sets of rows, one a segment, to where they are one, with all lines on the map. */
export function copySets(
  { u8, u32 }: Workspace,
  to: number,
  setsAt: readonly number[],
  setBytes: number,
  sets: readonly Bitmap[],
): void {
  for (let i = 0; i < sets.length; i++) {
    const { words } = sets[i]!;
    const at = to + setsAt[i]!;
    u32.set(words, at >>> 2);
    u8.fill(0, at + words.byteLength, to + (setsAt[i + 1] ?? setBytes));
  }
  const map = to + setBytes;
  const lines = setBytes / LINE_BYTES;
  u8.fill(0, map, map + mapBytesOf(setBytes));
  u8.fill(0xff, map, map + (lines >>> 3));
  if (lines % 8 > 0) u8[map + (lines >>> 3)] = (1 << (lines % 8)) - 1;
}

/** What is written for all segments, and some more. */
function bytesFor(segments: readonly WordSegment[], limitsNumbers: boolean): number {
  let bytes = Index.WORDS * 4 + 1024 + (limitsNumbers ? numberRanges().length * 4 : 0);
  for (const { dictionary, reader } of segments) {
    const { setFields, setOffsets } = reader.fieldTable;
    bytes +=
      setBytesOf(reader.rows) +
      mapBytesOf(setBytesOf(reader.rows)) +
      Segment.WORDS * 4 +
      PrefixFilter.WORDS * 4 +
      reader.commonPrefixes.length * StoredPrefix.WORDS * 4 +
      setOffsets.length * (10 + LIGHT_WEIGHTS) +
      setFields.length * 2;
    bytes +=
      dictionary.branches.starts.length * 8 +
      reader.fields.length * 3 +
      17 * WORKSPACE_ALIGNMENT +
      dictionary.keysBytes;
  }
  return StructWriter.bytes(bytes);
}

function segmentStruct(
  { dictionary, hasDeletes, reader, tolerantSets }: WordSegment,
  settings: Settings,
  writer: StructWriter,
  setAt: number,
  setBytes: number,
): Uint32Array {
  const { setFields, setOffsets } = reader.fieldTable;
  const { fieldLengths, forward, postings, terms } = reader;
  const { seconds, starts } = dictionary.branches;
  const weights = fieldWeights(reader.fields, settings, null);
  const tolerant = tolerantSets === null ? 0 : writer.bytes(tolerantSets);
  const struct = new Uint32Array(Segment.WORDS);
  struct[Segment.rows] = reader.rows;
  struct[Segment.setBytes] = setBytes;
  struct[Segment.setAt] = setAt;
  struct[Segment.hasDeletes] = hasDeletes ? 1 : 0;
  struct[Segment.termCount] = terms.count;
  struct[Segment.text] = reader.addressOf(terms.text);
  struct[Segment.termBlocks] = reader.addressOf(terms.blocks);
  struct[Segment.blockKeys] = writer.room(dictionary.keysBytes);
  dictionary.writeKeys(struct[Segment.blockKeys]!);
  struct[Segment.prefixFilter] = prefixFilter(reader, writer);
  struct[Segment.entries] = reader.addressOf(terms.entries);
  struct[Segment.postings] = reader.addressOf(postings.postings);
  struct[Segment.positions] = reader.addressOf(postings.positions);
  struct[Segment.setOffsets] = writer.words(setOffsets);
  struct[Segment.setFields] = writer.shorts(setFields);
  struct[Segment.fieldCount] = reader.fields.length;
  struct[Segment.branchStarts] = writer.words(starts);
  struct[Segment.branchSeconds] = writer.words(seconds);
  struct[Segment.branchCount] = seconds.length;
  if (forward !== null && forward.count > 0) {
    struct[Segment.forwardStarts] = reader.addressOf(forward.starts);
    struct[Segment.forwardWords] = reader.addressOf(forward.words);
    struct[Segment.forwardWordBytes] = forward.form.bytes;
  }
  struct[Segment.prefixes] = writer.words(reader.commonPrefixes.flatMap((stored) => [...prefixStruct(reader, stored)]));
  struct[Segment.prefixCount] = reader.commonPrefixes.length;
  struct[Segment.docids] = reader.addressOf(reader.docids);
  struct[Segment.lengthFields] = reader.addressOf(fieldLengths.fields);
  struct[Segment.lengthRows] = reader.addressOf(fieldLengths.rows);
  struct[Segment.lengthCounts] = reader.addressOf(fieldLengths.counts);
  struct[Segment.tolerantSets] = tolerant;
  struct[Segment.searchedTolerantSets] = tolerant;
  struct[Segment.fieldWeights] = writer.shorts(weights);
  const least = setWeights(setOffsets, setFields, weights);
  struct[Segment.setWeights] = writer.shorts(least);
  struct[Segment.setCount] = least.length;
  struct[Segment.lightSets] = writer.bytes(lightSets(least));
  return struct;
}

function prefixStruct(reader: SegmentReader, stored: SegmentReader["commonPrefixes"][number]): Uint32Array {
  const struct = new Uint32Array(StoredPrefix.WORDS);
  struct[StoredPrefix.first] = stored.first;
  struct[StoredPrefix.end] = stored.end;
  struct[StoredPrefix.rows] = stored.rows;
  struct[StoredPrefix.bits] = reader.addressOf(stored.bits);
  struct[StoredPrefix.ranks] = reader.addressOf(stored.ranks);
  struct[StoredPrefix.firsts] = reader.addressOf(stored.firsts);
  struct[StoredPrefix.masks] = reader.addressOf(stored.masks);
  return struct;
}

/** Address of where the filter of a vocabulary is; 0 when it has none. */
function prefixFilter(reader: SegmentReader, writer: StructWriter): number {
  const { prefixes } = reader.terms;
  if (prefixes === null) return 0;
  const struct = new Uint32Array(PrefixFilter.WORDS);
  struct[PrefixFilter.bits] = reader.addressOf(prefixes.bits);
  struct[PrefixFilter.lines] = prefixes.lines;
  struct[PrefixFilter.letters] = reader.addressOf(prefixes.letters);
  struct[PrefixFilter.letterCount] = prefixes.letters.length;
  struct[PrefixFilter.starts] = reader.addressOf(prefixes.starts);
  struct[PrefixFilter.followers] = reader.addressOf(prefixes.followers);
  return writer.words(struct);
}

/** Written for each segment of an index that is limited to some fields, each filled up to the alignment. */
const LIMITED_STRUCTS = 6;

/** The same index for a search that looks at some fields only; good for that search. */
function limited(
  { segments }: Vocabulary,
  settings: Settings,
  whole: SearchIndex,
  searched: ReadonlySet<string>,
): SearchIndex {
  const { workspace } = whole;
  const { u32 } = workspace;
  const { disableOnAttributes } = settings.typoTolerance;
  const structs = segments.length * Segment.WORDS;
  const at = workspace.allocate(structs * 4);
  u32.copyWithin(at >>> 2, whole.segments >>> 2, (whole.segments >>> 2) + structs);
  segments.forEach(({ reader }, i) => {
    const { fields: names, fieldTable, postings } = reader;
    const room =
      LIMITED_STRUCTS * WORKSPACE_ALIGNMENT + names.length * 3 + fieldTable.setOffsets.length * (4 + LIGHT_WEIGHTS);
    const writer = new StructWriter(workspace, workspace.allocate(room), room);
    const fields = names.map((_, id) => id).filter((id) => searched.has(names[id]!));
    const tolerant = fields.filter((id) => !isExactField(disableOnAttributes, names[id]!));
    const weights = fieldWeights(names, settings, searched);
    const struct = (at >>> 2) + i * Segment.WORDS;
    u32[struct + Segment.searchedSets] = writer.bytes(postings.setsWithFields(fields));
    u32[struct + Segment.searchedTolerantSets] = writer.bytes(postings.setsWithFields(tolerant));
    u32[struct + Segment.searchedFields] = writer.bytes(names.map((name) => (searched.has(name) ? 1 : 0)));
    u32[struct + Segment.fieldWeights] = writer.shorts(weights);
    const { setFields, setOffsets } = fieldTable;
    const least = setWeights(setOffsets, setFields, weights);
    u32[struct + Segment.setWeights] = writer.shorts(least);
    u32[struct + Segment.lightSets] = writer.bytes(lightSets(least));
  });
  const address = workspace.allocate(Index.WORDS * 4);
  u32.copyWithin(address >>> 2, whole.address >>> 2, (whole.address >>> 2) + Index.WORDS);
  u32[(address >>> 2) + Index.segments] = at;
  u32[(address >>> 2) + Index.isRestricted] = 1;
  return { ...whole, address, segments: at };
}

/** By local field, 0 for the most important ones; all alike when every field is searchable. */
function fieldWeights(
  fields: readonly string[],
  { searchableAttributes: names }: Settings,
  searched: ReadonlySet<string> | null,
): Uint16Array {
  const isFlat = names.includes("*");
  return Uint16Array.from(fields, (field) => {
    if (searched !== null && !searched.has(field)) return NOT_SEARCHED;
    const found = isFlat ? 0 : nameTree(names).find(field);
    return found < 0 ? NOT_SEARCHED : found;
  });
}

/** The lowest weight in each field set. */
function setWeights(setOffsets: Uint32Array, setFields: Uint16Array, weights: Uint16Array): Uint16Array {
  const least = new Uint16Array(setOffsets.length - 1).fill(NOT_SEARCHED);
  for (let set = 0; set < least.length; set++) {
    for (let i = setOffsets[set]!; i < setOffsets[set + 1]!; i++) {
      least[set] = Math.min(least[set]!, weights[setFields[i]!]!);
    }
  }
  return least;
}

/** By weight, those of the field sets that do not weigh more. */
function lightSets(weights: Uint16Array): Uint8Array {
  const light = new Uint8Array(LIGHT_WEIGHTS * weights.length);
  for (let most = 0; most < LIGHT_WEIGHTS; most++) {
    weights.forEach((weight, set) => {
      light[most * weights.length + set] = weight <= most ? 1 : 0;
    });
  }
  return light;
}

let numeric: Uint32Array | null = null;

/** First and last of the code points that are numbers, found out once. */
function numberRanges(): Uint32Array {
  if (numeric === null) {
    const ranges: number[] = [];
    for (let point = 0; point < CODE_POINTS; point++) {
      if (!/\p{N}/u.test(String.fromCodePoint(point))) continue;
      if (ranges.at(-1) === point - 1) ranges[ranges.length - 1] = point;
      else ranges.push(point, point);
    }
    numeric = Uint32Array.from(ranges);
  }
  return numeric;
}
