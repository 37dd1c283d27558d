/** Meets the occurrences of words with a list of documents: every document of the list that holds a word is looked at. */
import { countsToStarts, finishTable, gatherMet } from "../../keyword/assembly/gather";
import { meetAll, useList } from "../../keyword/assembly/meet";
import { readPlaces } from "../../keyword/assembly/places";
import { tableSpans as keywordSpans } from "../../keyword/assembly/tables";
import { REF_BYTES, useSets } from "../../keyword/assembly/term";
import { spend } from "./clock";
import { placeStarts, places, placesOfRange } from "./forward";
import { index, segmentAt, segmentCount } from "./index-of";
import { Node, nodeAt } from "./nodes";
import { isLookedThrough, prefixRefs, Reading, wordsAt, wordsOf } from "./readings";
import { keep, keepZeros, mark, release, roomLeft, stack } from "./room";
import { Docs, rank } from "./sets";
import { meetTable, tableSpans } from "./table-rows";
import { madeTable, Table, termTable } from "./tables";

/** Kernels read, and do not use, a few places behind the last. */
const PLACES_MARGIN: u32 = 16;

/** Places by document of one segment: those of position p are places[begins[p]] to places[ends[p] - 1]; no begins, no places. */
@unmanaged
export class PlaceTable {
  begins: usize;
  ends: usize;
  places: usize;
}

export const TABLE_BYTES: usize = offsetof<PlaceTable>();

/** A table for each segment, without places; on the stack. */
export function newTables(): usize {
  const tables = stack(<usize>segmentCount * TABLE_BYTES);
  memory.fill(tables, 0, <usize>segmentCount * TABLE_BYTES);
  return tables;
}

export function tableAt(tables: usize, segment: u32): PlaceTable {
  return changetype<PlaceTable>(tables + <usize>segment * TABLE_BYTES);
}

/** The list of a segment is what words are met with; as a set where that helps. */
function useDocs(docs: Docs, i: u32, words: u32, among: usize): void {
  const segment = segmentAt(i);
  const n = docs.countOf(i);
  if (words > 1 && n >= index.many) {
    rank(docs);
    useList(docs.listOf(i), n, docs.bits + segment.setAt, docs.ranks + (segment.setAt >> 1), among);
  } else useList(docs.listOf(i), n, 0, 0, among);
}

/** Counts what meeting words with a list costs. */
export function spendMeeting(refs: usize, count: u32, n: u32): void {
  let documents: u32 = 0;
  for (let r: u32 = 0; r < count && documents < n; r++) documents += load<u32>(refs + <usize>r * REF_BYTES);
  spend(min(documents, n));
}

/** Writes the places of terms in the documents of a segment; only those in `among` unless it is 0. */
export function gatherPlaces(docs: Docs, i: u32, refs: usize, count: u32, among: usize, table: PlaceTable): void {
  const n = docs.countOf(i);
  if (count === 0 || n === 0) return;
  const segment = segmentAt(i);
  if (count === 1 && among === 0) {
    const known = termTable(i, refs, n);
    if (known !== null) {
      spanPlaces(known, docs, i, table);
      return;
    }
  }
  spendMeeting(refs, count, n);
  useDocs(docs, i, count, among);
  useSets(segment.setOffsets, segment.setFields);
  const starts = stack((<usize>n + 1) << 2);
  const places = stack(0);
  const room = <u32>(roomLeft() >> 2) - PLACES_MARGIN;
  const total =
    count > 1
      ? gatherMany(docs, i, refs, count, starts, places, room)
      : gatherMet(refs, count, segment.rows, n, starts, places, room);
  if (total > room) unreachable();
  if (total === 0) return;
  stack((<usize>(total + PLACES_MARGIN)) << 2);
  table.begins = starts;
  table.ends = starts + 4;
  table.places = places;
}

/** Where the next pair of a position and a place goes, and where there is no more room. */
let pairsEnd: usize = 0;

/** A place of a word in the document at a position of the list. */
@unmanaged
class Found {
  position: u32;
  place: u32;
}

let pairsLimit: usize = 0;
let countsAt: usize = 0;

/** Places of many terms, which come one after the other: pairs first, then by document. Returns how many there are. */
function gatherMany(docs: Docs, i: u32, refs: usize, count: u32, starts: usize, places: usize, room: u32): u32 {
  const n = docs.countOf(i);
  const segment = segmentAt(i);
  // Pairs take twice the room of places, which come to be in front of them.
  const pairs = (places + ((<usize>room / 3) << 2) + 7) & ~7;
  pairsEnd = pairs;
  pairsLimit = places + ((<usize>room) << 2) - 8;
  countsAt = starts;
  memory.fill(starts, 0, (<usize>n + 1) << 2);
  for (let r: u32 = 0; r < count; r++) {
    const ref = refs + <usize>r * REF_BYTES;
    const known = madeTable(i, ref);
    if (known === null) {
      meetAll<Pairing>(ref, 1, segment.rows);
      continue;
    }
    tableStarts = known.starts;
    tablePlaces = known.places;
    meetTable<PairingUp>(known, docs.listOf(i), n, bitsOf(docs, i), ranksOf(docs, i));
  }
  if (pairsEnd > pairsLimit) unreachable();
  const total = countsToStarts(starts, n);
  for (let at = pairs; at < pairsEnd; at += 8) {
    const pair = changetype<Found>(at);
    const next = starts + ((<usize>pair.position) << 2);
    const place = load<u32>(next);
    store<u32>(places + ((<usize>place) << 2), pair.place);
    store<u32>(next, place + 1);
  }
  finishTable(starts, places, n);
  return total;
}

/** As many pairs as a row has places follow each other, ascending. */
class Pairing {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, rank: u32): void {
    const from = pairsEnd;
    if (from > pairsLimit) return;
    // Places are written where their pairs belong, and spread from the last one on.
    const count = readPlaces(rank, from, pairsLimit);
    const counted = countsAt + ((<usize>position) << 2);
    store<u32>(counted, load<u32>(counted) + count);
    pairsEnd = from + ((<usize>count) << 3);
    if (pairsEnd > pairsLimit) return;
    for (let p = count; p > 0; p--) {
      const place = load<u32>(from + ((<usize>(p - 1)) << 2));
      const pair = changetype<Found>(from + <usize>(p - 1) * offsetof<Found>());
      pair.position = position;
      pair.place = place;
    }
  }
}

let tableStarts: usize = 0;
let tablePlaces: usize = 0;

/** The same from a table. */
class PairingUp {
  @inline
  visit(position: u32, rank: u32): void {
    const pair = load<u64>(tableStarts + ((<usize>rank) << 2));
    const count = <u32>(pair >> 32) - <u32>pair;
    let to = pairsEnd;
    pairsEnd = to + ((<usize>count) << 3);
    if (pairsEnd > pairsLimit) return;
    const counted = countsAt + ((<usize>position) << 2);
    store<u32>(counted, load<u32>(counted) + count);
    const end = tablePlaces + ((<usize>(pair >> 32)) << 2);
    for (let at = tablePlaces + ((<usize>(<u32>pair)) << 2); at < end; at += 4, to += 8) {
      const found = changetype<Found>(to);
      found.position = position;
      found.place = load<u32>(at);
    }
  }
}

/** The places of a table that are those of the documents of a segment. */
function spanPlaces(known: Table, docs: Docs, i: u32, table: PlaceTable): void {
  const n = docs.countOf(i);
  spend(n);
  table.begins = stack((<usize>n) << 2);
  table.ends = stack((<usize>n) << 2);
  table.places = known.places;
  tableSpans(known, docs.listOf(i), n, bitsOf(docs, i), ranksOf(docs, i), table.begins, table.ends);
}

/** The list of a segment as a set, and the ranks of that; 0 when it is none. */
function bitsOf(docs: Docs, i: u32): usize {
  return docs.bits === 0 ? 0 : docs.bits + segmentAt(i).setAt;
}

function ranksOf(docs: Docs, i: u32): usize {
  return docs.ranks + (segmentAt(i).setAt >> 1);
}

/** Places of many words, found once for all documents of the root. */
@unmanaged
class RootPlaces {
  next: usize;
  /** Reading, or the node of a prefix. */
  key: u32;
  segment: u32;
  starts: usize;
  places: usize;
}

/** Roots of so many times more documents than are looked at are not looked through. */
const ROOT_SHARE: u32 = 8;
const PREFIXED: u32 = 0x8000_0000;

/** The places of a reading's words in the documents of a segment. */
export function readingPlaces(docs: Docs, i: u32, reading: Reading, table: PlaceTable): void {
  const n = docs.countOf(i);
  if (n === 0) return;
  const count = wordsOf(reading, i);
  const refs = wordsAt;
  const root = changetype<Docs>(docs.root);
  if (count < 2 || root === docs || root.countOf(i) > n * ROOT_SHARE) gatherPlaces(docs, i, refs, count, 0, table);
  else spanRoot(rootPlaces(root, i, reading, refs, count), docs, i, table);
}

/** Whether some rule has found these places already. */
export function hasReadingPlaces(docs: Docs, i: u32, reading: Reading): bool {
  return knownPlaces(changetype<Docs>(docs.root), i, reading) !== null;
}

/** The same of all words that begin with a common prefix. */
export function prefixPlaces(docs: Docs, i: u32, node: Node, table: PlaceTable): void {
  const n = docs.countOf(i);
  const own = node.refsOf(i);
  if (n === 0 || own.from === own.to) return;
  const root = changetype<Docs>(docs.root);
  if (root.countOf(i) > n * ROOT_SHARE) gatherPrefix(docs, i, node, table);
  else spanRoot(rootPlaces(root, i, PREFIXED | node.number, 0, 0), docs, i, table);
}

function gatherPrefix(docs: Docs, i: u32, node: Node, table: PlaceTable): void {
  const own = node.refsOf(i);
  if (!isLookedThrough(node, i, docs.countOf(i)))
    gatherPlaces(docs, i, prefixRefs(node, i), own.to - own.from, 0, table);
  else if (placesOfRange(docs, i, own.from, own.to) > 0) {
    table.begins = placeStarts;
    table.ends = placeStarts + 4;
    table.places = places;
  }
}

/** Picks the places of documents out of those of the root. */
function spanRoot(known: RootPlaces, docs: Docs, i: u32, table: PlaceTable): void {
  if (known.starts === 0) return;
  table.places = known.places;
  const root = changetype<Docs>(docs.root);
  if (docs === root) {
    table.begins = known.starts;
    table.ends = known.starts + 4;
    return;
  }
  const n = docs.countOf(i);
  const segment = segmentAt(i);
  table.begins = stack((<usize>n) << 2);
  table.ends = stack((<usize>n) << 2);
  const ranks = root.ranks + (segment.setAt >> 1);
  keywordSpans(root.bits + segment.setAt, ranks, known.starts, docs.listOf(i), n, table.begins, table.ends);
}

function knownPlaces(root: Docs, i: u32, key: u32): RootPlaces | null {
  for (let at = root.places; at !== 0; at = changetype<RootPlaces>(at).next) {
    const known = changetype<RootPlaces>(at);
    if (known.key === key && known.segment === i) return known;
  }
  return null;
}

/** Of terms, or of the words that begin with a prefix if that is what the key tells. */
function rootPlaces(root: Docs, i: u32, key: u32, refs: usize, count: u32): RootPlaces {
  const known = knownPlaces(root, i, key);
  if (known !== null) return known;
  rank(root);
  const made = changetype<RootPlaces>(keepZeros(offsetof<RootPlaces>()));
  made.next = root.places;
  made.key = key;
  made.segment = i;
  root.places = changetype<usize>(made);
  const before = mark();
  const table = changetype<PlaceTable>(stack(TABLE_BYTES));
  memory.fill(changetype<usize>(table), 0, TABLE_BYTES);
  if ((key & PREFIXED) !== 0) gatherPrefix(root, i, nodeAt(key & ~PREFIXED), table);
  else gatherPlaces(root, i, refs, count, 0, table);
  if (table.begins !== 0) {
    const n = root.countOf(i);
    const total = load<u32>(table.begins + ((<usize>n) << 2));
    made.starts = keep((<usize>n + 1) << 2);
    memory.copy(made.starts, table.begins, (<usize>n + 1) << 2);
    made.places = keep((<usize>(total + PLACES_MARGIN)) << 2);
    memory.copy(made.places, table.places, (<usize>total) << 2);
  }
  release(before);
  return made;
}
