/**
 * Frequent words unpacked, all places by row, and the rows of common prefixes. Kept from search to search as long as the index stays
 * the same, in a part of memory of their own. What is asked for often enough is unpacked; some time after there was no room
 * left everything is forgotten.
 */
import { bitsRanks } from "../../keyword/assembly/bits";
import { gatherOne, NO_ROOM } from "../../keyword/assembly/gather";
import { Ref } from "../../keyword/assembly/layout";
import { unionRows } from "../../keyword/assembly/rows";
import { tableSummaries, wordSummaries } from "../../keyword/assembly/summaries";
import { isDense, open, REF_BYTES, rowsAt, useSets } from "../../keyword/assembly/term";
import { visitAll } from "../../keyword/assembly/visit";
import { index, segmentAt, segmentCount } from "./index-of";
import { StoredPrefix } from "./layout";
import { Node } from "./nodes";
import { prefixRefs } from "./readings";
import { stack } from "./room";

const BUCKETS: u32 = 1024;
const HEAD_BYTES: u32 = 16 + (BUCKETS << 2);
/** Terms in fewer rows are as well read as they are. */
const FREQUENT: u32 = 128;
/** Times that the rows of a prefix were wanted before they are worth making. */
export const ASKED_MIN: u32 = 2;
/** Searches after which full tables are forgotten: what was worth unpacking may not be any more. */
const SEARCHES_WHEN_FULL: u32 = 4000;
/** Unpacking more, of one word or of several, takes longer than one search should take. */
const DOCUMENTS_MAX: u32 = 400_000;
/** What this search may still unpack. */
let documentsLeft: u32 = 0;
/** A table is made when one part in this many of it was wanted. */
const WANTED_SHARE: u32 = 4;
/** Rows are a list, and not bits, where they are fewer than one in this many. */
const SPARSE: u32 = 64;
/** Segments with more fields have no summaries. */
export const SUMMARIZED_FIELDS_MAX: u32 = 8;
/** Lists of which the words have so many times more rows are met with the words themselves. */
export const SHORT_SHARE: u32 = 8;
/** Rows of a term are where they are more than that. */
const BITS_SHARE: u32 = 32;
/** Kernels read, and do not use, a few places behind the last. */
const MARGIN: u32 = 64;

/** What the part of memory begins with; buckets follow. */
@unmanaged
class Head {
  /** Where the next table goes. */
  next: u32;
  /** The search for which there was no room. */
  fullAt: u32;
  /** Number of the search. */
  search: u32;
}

@unmanaged
export class Table {
  next: u32;
  /** What it is of: address of the postings of a term, or the first term and the one behind the last. */
  key: u32;
  to: u32;
  segment: u32;
  /** Documents it was wanted for so far, and how often the rows of a prefix were. */
  wanted: u32;
  asked: u32;
  /** Rows as bits, with the ranks of every 64th; 0 when they are a list. */
  bits: u32;
  ranks: u32;
  rows: u32;
  rowCount: u32;
  /** 0 until it is made. */
  starts: u32;
  places: u32;
  /** By rank: u8, a bit for every field, and u16, the first position in any; 0 until they are made. */
  masks: u32;
  firsts: u32;
  /** Rows as bits: where the first position is 0, and, u32 by field, those that have the field; 0 until they are made. */
  atStart: u32;
  byField: u32;
  /** Of a prefix: rows as bits that have such a word in a field which weighs nothing, when all fields are searched. */
  weightless: u32;
}

const TABLE_BYTES: u32 = <u32>offsetof<Table>();

/** Called before each search. */
export function openTables(): void {
  documentsLeft = DOCUMENTS_MAX;
  const at = <usize>index.tables;
  if (at === 0) return;
  const head = changetype<Head>(at);
  if (head.next === 0 || (isFull() && head.search - head.fullAt > SEARCHES_WHEN_FULL)) {
    memory.fill(at, 0, HEAD_BYTES);
    head.next = <u32>at + HEAD_BYTES;
    for (let i: u32 = 0; i < segmentCount; i++) noteStored(i);
  }
  head.search++;
}

/** Of common prefixes a segment tells what takes longest to find out. */
function noteStored(i: u32): void {
  const segment = segmentAt(i);
  for (let p: u32 = 0; p < segment.prefixCount; p++) {
    const stored = changetype<StoredPrefix>(<usize>segment.prefixes + <usize>p * offsetof<StoredPrefix>());
    const table = tableOf(i, stored.first, stored.end);
    if (table === null) return;
    table.bits = stored.bits;
    table.ranks = stored.ranks;
    table.rowCount = stored.rows;
    table.masks = stored.masks;
    table.firsts = stored.firsts;
  }
}

/** Whether something had no room: then nothing more is made until all is forgotten. */
export function isFull(): bool {
  return changetype<Head>(index.tables).fullAt !== 0;
}

function setFull(): void {
  const head = changetype<Head>(index.tables);
  if (!isFull()) head.fullAt = head.search;
}

/** Bytes that last; 0 when there is no room. */
export function claim(bytes: u32): u32 {
  const at = changetype<Head>(index.tables).next;
  const end = (at + bytes + 15) & ~15;
  if (end > index.tables + index.tablesBytes || end < at) {
    setFull();
    return 0;
  }
  changetype<Head>(index.tables).next = end;
  return at;
}

function bucketOf(segment: u32, key: u32, to: u32): usize {
  const hash = (key ^ (to * 0x9e37_79b1) ^ (segment << 7)) * 0x85eb_ca6b;
  return index.tables + 16 + ((hash >> 22) << 2);
}

/** Null when it was not noted down. */
export function knownTable(segment: u32, key: u32, to: u32): Table | null {
  if (index.tables === 0) return null;
  for (let at = load<u32>(bucketOf(segment, key, to)); at !== 0; at = changetype<Table>(<usize>at).next) {
    const known = changetype<Table>(<usize>at);
    if (known.key === key && known.to === to && known.segment === segment) return known;
  }
  return null;
}

/** Noted down if it is not known; null when there is no room. */
export function tableOf(segment: u32, key: u32, to: u32): Table | null {
  if (index.tables === 0) return null;
  const known = knownTable(segment, key, to);
  if (known !== null) return known;
  const at = claim(TABLE_BYTES);
  if (at === 0) return null;
  memory.fill(at, 0, TABLE_BYTES);
  const table = changetype<Table>(<usize>at);
  const bucket = bucketOf(segment, key, to);
  table.next = load<u32>(bucket);
  table.key = key;
  table.to = to;
  table.segment = segment;
  store<u32>(bucket, at);
  return table;
}

/** The table of a term if it was made; null otherwise. */
export function madeTable(i: u32, ref: usize): Table | null {
  if (changetype<Ref>(ref).docCount < FREQUENT) return null;
  const known = knownTable(i, changetype<Ref>(ref).postings, 0);
  return known === null || known.starts === 0 ? null : known;
}

/** Whether a table is there; otherwise counts that it was wanted, and tells by `isDue` whether it is to be made. */
let isDue: bool = false;

function isMade(table: Table, n: u32, documents: u32): bool {
  isDue = false;
  if (table.starts !== 0) return true;
  table.wanted += n;
  isDue = table.wanted >= documents / WANTED_SHARE && documents <= documentsLeft;
  return false;
}

/** The table of a term that is to be met with so many documents; null when there is none. */
export function termTable(i: u32, ref: usize, n: u32): Table | null {
  const documents = changetype<Ref>(ref).docCount;
  if (documents < FREQUENT || documents > DOCUMENTS_MAX) return null;
  const table = tableOf(i, changetype<Ref>(ref).postings, 0);
  if (table === null || isMade(table, n, documents)) return table;
  return isDue && makeOfTerm(table, i, ref, documents) ? table : null;
}

/** Where `withoutSummaries` put the tables of the terms that have summaries, how many, and the refs of the others. */
let summariesAt: usize = 0;
export let summaryCount: u32 = 0;
export let othersAt: usize = 0;

/** Divides terms that are to be met with so many documents by whether a table has summaries of them; returns how many have none. */
export function withoutSummaries(i: u32, refs: usize, count: u32, n: u32): u32 {
  summariesAt = stack((<usize>count) << 2);
  othersAt = stack(<usize>count * REF_BYTES);
  summaryCount = 0;
  let others: u32 = 0;
  for (let r: u32 = 0; r < count; r++) {
    const ref = refs + <usize>r * REF_BYTES;
    const table = termTable(i, ref, n);
    if (table !== null && table.masks !== 0) {
      store<u32>(summariesAt + ((<usize>summaryCount) << 2), <u32>changetype<usize>(table));
      summaryCount++;
    } else {
      memory.copy(othersAt + <usize>others * REF_BYTES, ref, REF_BYTES);
      others++;
    }
  }
  return others;
}

/** One of the tables that `withoutSummaries` found. */
export function summaryAt(s: u32): Table {
  return changetype<Table>(<usize>load<u32>(summariesAt + ((<usize>s) << 2)));
}

/** The rows of all terms that begin with a prefix as bits, if they were made; 0 otherwise. */
export function madeBits(i: u32, node: Node): usize {
  const known = knownTable(i, node.refsOf(i).from, node.refsOf(i).to);
  return known === null || known.rowCount === 0 ? 0 : known.bits;
}

/** The same; they are made when they were wanted some times. */
export function prefixBits(i: u32, node: Node): usize {
  const own = node.refsOf(i);
  const table = tableOf(i, own.from, own.to);
  if (table === null) return 0;
  if (table.bits === 0 && table.asked++ >= ASKED_MIN) {
    makeBits(table, prefixRefs(node, i), own.to - own.from, segmentAt(i).rows, 0);
  }
  return table.rowCount === 0 ? 0 : table.bits;
}

/** The rows of a frequent term as bits, made when they were wanted some times; 0 when they were not. */
export function termBits(i: u32, ref: usize): usize {
  const documents = changetype<Ref>(ref).docCount;
  const rows = segmentAt(i).rows;
  if (documents < FREQUENT || documents < rows / BITS_SHARE) return 0;
  const table = tableOf(i, changetype<Ref>(ref).postings, 0);
  if (table === null) return 0;
  if (table.bits === 0 && table.asked++ >= ASKED_MIN) {
    open(ref);
    if (!isDense) makeBits(table, ref, 1, rows, 0);
  }
  // Bits of postings are as quickly read where they are, and may have something else behind them.
  const isOwn = table.bits >= index.tables && table.bits < index.tables + index.tablesBytes;
  return isOwn && table.rowCount > 0 ? table.bits : 0;
}

/**
 * Of all terms that begin with a prefix, a summary of each row: in which fields, and from which position on. Null for what
 * is not worth it for `n` documents, and where there are many fields. `known`: the rows as bits, 0 when nobody has them.
 */
export function prefixSummaries(i: u32, node: Node, n: u32, known: usize): Table | null {
  const segment = segmentAt(i);
  if (segment.fieldCount > SUMMARIZED_FIELDS_MAX) return null;
  const own = node.refsOf(i);
  const table = tableOf(i, own.from, own.to);
  if (table === null || table.masks !== 0) return table;
  if (isFull()) return null;
  const refs = prefixRefs(node, i);
  if (n < own.prefixDocuments / SHORT_SHARE) return null;
  const count = own.to - own.from;
  if (table.rowCount === 0 && !makeBits(table, refs, count, segment.rows, known)) return null;
  if (!claimSummaries(table)) return null;
  const sets = segment.setOffsets;
  wordSummaries(
    refs,
    count,
    sets,
    segment.setFields,
    table.bits,
    table.ranks,
    table.rowCount,
    table.masks,
    table.firsts,
  );
  return table;
}

function makeOfTerm(table: Table, i: u32, ref: usize, documents: u32): bool {
  if (isFull()) return false;
  documentsLeft -= documents;
  const segment = segmentAt(i);
  const undo = changetype<Head>(index.tables).next;
  const hadBits = table.bits !== 0;
  open(ref);
  if (isDense) {
    table.bits = <u32>rowsAt;
    if (!makeRanks(table, segment.rows)) return false;
    // Behind the last row there may be bits of something else.
    table.rowCount = documents;
  } else if (documents < segment.rows / SPARSE) {
    table.rows = claim(documents << 2);
    if (table.rows === 0) return false;
    listEnd = table.rows;
    visitAll<Listing>();
    table.rowCount = documents;
  } else if (!hadBits && !makeBits(table, ref, 1, segment.rows, 0)) return false;
  const starts = claim((documents + 1) << 2);
  if (starts === 0) return false;
  const places = changetype<Head>(index.tables).next;
  const room = (index.tables + index.tablesBytes - places) >> 2;
  useSets(segment.setOffsets, segment.setFields);
  const total = room <= MARGIN ? NO_ROOM : gatherOne(ref, starts, places, room - MARGIN);
  if (total === NO_ROOM) {
    table.rows = 0;
    if (!hadBits) {
      table.bits = 0;
      table.rowCount = 0;
    }
    return giveBack(undo);
  }
  claim((total + MARGIN) << 2);
  table.places = places;
  table.starts = starts;
  summarize(table, segment.fieldCount);
  return true;
}

/** Rows that are a list have no summaries. */
function summarize(table: Table, fieldCount: u32): void {
  if (table.masks !== 0 || table.rows !== 0 || fieldCount > SUMMARIZED_FIELDS_MAX || !claimSummaries(table)) return;
  tableSummaries(table.starts, table.places, table.rowCount, table.masks, table.firsts);
}

function claimSummaries(table: Table): bool {
  const firsts = claim(table.rowCount << 1);
  const masks = claim(table.rowCount);
  if (masks === 0 || firsts === 0) return false;
  table.firsts = firsts;
  table.masks = masks;
  return true;
}

/** There was not enough room after all. */
function giveBack(to: u32): bool {
  changetype<Head>(index.tables).next = to;
  setFull();
  return false;
}

function makeBits(table: Table, refs: usize, count: u32, rows: u32, known: usize): bool {
  if (isFull()) return false;
  const bytes = ((rows + 127) >> 7) << 4;
  table.bits = claim(bytes);
  if (table.bits === 0) return false;
  if (known !== 0) memory.copy(table.bits, known, bytes);
  else {
    memory.fill(table.bits, 0, bytes);
    unionRows(refs, count, rows, table.bits);
  }
  return makeRanks(table, rows);
}

function makeRanks(table: Table, rows: u32): bool {
  const words = (rows + 63) >> 6;
  table.ranks = claim(words << 2);
  if (table.ranks === 0) return false;
  table.rowCount = bitsRanks(table.bits, (<usize>words) << 3, table.ranks);
  return true;
}

let listEnd: usize = 0;

class Listing {
  @inline
  visit(row: u32, _rank: u32): void {
    store<u32>(listEnd, row);
    listEnd += 4;
  }
}
