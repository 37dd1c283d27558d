/** What a reading costs in every document of a list, by rule: planes of u16, NO_COST where it does not match. */
import { sameBits } from "../../keyword/assembly/bits";
import { NO_COST } from "../../keyword/assembly/costs";
import { Place } from "../../keyword/assembly/place";
import { bucketOf } from "../../keyword/assembly/places";
import { planeFill, planeSetWhere, planeSetWhereUnset } from "../../keyword/assembly/planes";
import { firstValues, firstValuesOfAll, maskValues, maskValuesOfAll } from "../../keyword/assembly/summaries";
import { wordSteps, wordWeights } from "../../keyword/assembly/words";
import { index, segmentAt, segmentCount } from "./index-of";
import { Segment } from "./layout";
import { Node } from "./nodes";
import { hasReadingPlaces, PlaceTable, prefixPlaces, readingPlaces, spendMeeting, TABLE_BYTES } from "./occurrences";
import { firstWord, phraseSet } from "./phrases";
import {
  exactMatching,
  hasCommonPrefix,
  isLookedThrough,
  matching,
  mayMatch,
  nodeOf,
  phraseCount,
  phraseOf,
  prefixRefs,
  Reading,
  tier,
  typosMax,
  typoWordsOf,
  wholeReading,
  wordsAt,
  wordsOf,
} from "./readings";
import { mark, release, stack } from "./room";
import { Docs, rank } from "./sets";
import { fillSteps, STEP_BUCKETS } from "./steps";
import { documentsFor } from "./strategy";
import { othersAt, prefixSummaries, summaryAt, summaryCount, Table, termTable, withoutSummaries } from "./tables";

/** Sets of up to eight fields. */
const MASKS: usize = 256;
const FEW_MASKS: usize = 16;

export function newPlane(docs: Docs, cost: u32): usize {
  const plane = stack((<usize>docs.count) << 1);
  planeFill(plane, docs.count, cost);
  return plane;
}

/** Writes `cost` for the documents of a set; a set of none is 0. */
export function setWhere(set: usize, docs: Docs, cost: u32, plane: usize): void {
  if (set === 0) return;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const n = docs.countOf(i);
    if (n > 0) planeSetWhere(set + segmentAt(i).setAt, docs.listOf(i), n, cost, plane + ((<usize>docs.start(i)) << 1));
  }
}

/** Words joined to one count as typos. */
export function typoBase(reading: Reading): u32 {
  const size = nodeOf(reading).size;
  return size === 1 ? 0 : size;
}

/** A term costs the typos of its best word. */
export function typoCosts(reading: Reading, docs: Docs): usize {
  const plane = newPlane(docs, NO_COST);
  const most = typosMax(reading);
  const base = typoBase(reading);
  let left = docs.count;
  for (let typos: u32 = 0; typos <= most && left > 0; typos++) {
    const part = tier(reading, typos);
    if (!mayMatch(part)) continue;
    const set = matching(part);
    if (set === 0) continue;
    for (let i: u32 = 0; i < segmentCount; i++) {
      const n = docs.countOf(i);
      if (n === 0) continue;
      const to = plane + ((<usize>docs.start(i)) << 1);
      left -= planeSetWhereUnset(set + segmentAt(i).setAt, docs.listOf(i), n, base + typos, to);
    }
  }
  return plane;
}

/** Words that are not what the user wrote cost one each. */
export function exactWordsCosts(reading: Reading, docs: Docs): usize {
  const plane = newPlane(docs, NO_COST);
  setWhere(matching(reading), docs, nodeOf(reading).size, plane);
  setWhere(exactMatching(reading), docs, 0, plane);
  return plane;
}

/** All fields weigh the same, and every match is in one. */
export function fieldsAreEqual(): bool {
  return index.heaviest === 0 && index.toleratesEverywhere !== 0;
}

/** Words in more important fields cost less. */
export function fieldCosts(reading: Reading, docs: Docs): usize {
  const plane = newPlane(docs, NO_COST);
  if (fieldsAreEqual()) {
    setWhere(matching(reading), docs, 0, plane);
    return plane;
  }
  const node = nodeOf(reading);
  const isCommon = hasCommonPrefix(reading);
  const phrases = phraseCount(reading);
  if (docs.count >= index.many) rank(docs);
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0) continue;
    const to = plane + ((<usize>docs.start(i)) << 1);
    // The word itself is among the words that begin with it.
    const words = isCommon ? typoWordsOf(reading, i) : wordsOf(reading, i);
    lowerWeights(docs, i, wordsAt, words, 0, node.size, to);
    for (let p: u32 = 0; p < phrases; p++) {
      const phrase = phraseOf(reading, p);
      const first = firstWord(phrase);
      if (first === null || first.ordinal(i) === -1) continue;
      lowerWeights(docs, i, first.ref(i), 1, phraseSet(phrase) + segmentAt(i).setAt, node.size, to);
    }
    if (isCommon) lowerPrefixWeights(docs, i, node, to);
  }
  return plane;
}

/** Lowers costs to what the best field of the words that begin with a node costs. */
function lowerPrefixWeights(docs: Docs, i: u32, node: Node, to: usize): void {
  const own = node.refsOf(i);
  if (own.from === own.to) return;
  const before = mark();
  const known = summariesOf(docs, i, node);
  if (known === null) {
    if (isLookedThrough(node, i, docs.countOf(i))) lowerByFields(docs, i, node, to);
    else lowerWeights(docs, i, prefixRefs(node, i), own.to - own.from, 0, node.size, to);
  } else lowerByMasks(known, docs, i, node.size, to);
  release(before);
}

function lowerByFields(docs: Docs, i: u32, node: Node, plane: usize): void {
  const table = emptyTable();
  prefixPlaces(docs, i, node, table);
  if (table.begins === 0) return;
  const weights = segmentAt(i).fieldWeights;
  const n = docs.countOf(i);
  for (let p: u32 = 0; p < n; p++) {
    const end = placeAt(table, table.ends, p);
    const at = plane + ((<usize>p) << 1);
    let least = <u32>load<u16>(at);
    for (let place = placeAt(table, table.begins, p); place < end; place += 4) {
      const weight = <u32>load<u16>(weights + ((<usize>changetype<Place>(place).field) << 1));
      if (weight !== NO_COST) least = min<u32>(least, weight * node.size);
    }
    store<u16>(at, <u16>least);
  }
}

function emptyTable(): PlaceTable {
  const table = changetype<PlaceTable>(stack(TABLE_BYTES));
  memory.fill(changetype<usize>(table), 0, TABLE_BYTES);
  return table;
}

/** Where the places of a document begin or end. */
function placeAt(table: PlaceTable, numbers: usize, p: u32): usize {
  return table.places + ((<usize>load<u32>(numbers + ((<usize>p) << 2))) << 2);
}

function lowerByMasks(known: Table, docs: Docs, i: u32, size: u32, to: usize): void {
  const values = stack(MASKS << 1);
  const count = fillMasks(values, segmentAt(i), size);
  if (isListOf(known, docs, i)) maskValuesOfAll(known.masks, docs.countOf(i), values, count, to);
  else maskValues(known.bits, known.ranks, known.masks, docs.listOf(i), docs.countOf(i), values, to);
}

/** What is known of the words that begin with a node; null when it is not worth knowing for so many documents. */
export function summariesOf(docs: Docs, i: u32, node: Node): Table | null {
  const own = node.refsOf(i);
  // Where other words stand in front, first positions do not tell enough.
  if (own.from === own.to || node.input.first > 0) return null;
  const segment = segmentAt(i);
  const isAll = documentsFor(node) === 0 && node.size === 1 && node.synonymCount === 0 && segment.searchedSets === 0;
  const known: usize = isAll ? matching(tier(wholeReading(node.number), 0)) : 0;
  const rows: usize = known === 0 ? 0 : known + segment.setAt;
  return prefixSummaries(i, node, docs.countOf(i), rows);
}

/** Lowers costs to what first places cost. */
function lowerByFirsts(known: Table, docs: Docs, i: u32, steps: usize, to: usize): void {
  if (isListOf(known, docs, i)) firstValuesOfAll(known.firsts, docs.countOf(i), steps, to);
  else firstValues(known.bits, known.ranks, known.firsts, docs.listOf(i), docs.countOf(i), steps, to);
}

/** Whether the documents of a segment are just those of a table, so that their ranks are their positions. */
function isListOf(known: Table, docs: Docs, i: u32): bool {
  if (docs.bits === 0 || docs.countOf(i) !== known.rowCount) return false;
  const segment = segmentAt(i);
  return sameBits(docs.bits + segment.setAt, known.bits, segment.rows);
}

/** By set of fields, one bit each: what the lightest of them costs. Returns how many there are, sixteen at least. */
function fillMasks(values: usize, segment: Segment, size: u32): u32 {
  memory.fill(values, 0xff, FEW_MASKS << 1);
  for (let mask: u32 = 1; mask < 1 << segment.fieldCount; mask++) {
    const weight = <u32>load<u16>(segment.fieldWeights + ((<usize>ctz(mask)) << 1));
    const others = <u32>load<u16>(values + ((<usize>(mask & (mask - 1))) << 1));
    store<u16>(values + ((<usize>mask) << 1), <u16>min<u32>(weight === NO_COST ? NO_COST : weight * size, others));
  }
  return max<u32>(<u32>FEW_MASKS, 1 << segment.fieldCount);
}

/** Lowers costs to what the best field of some terms costs; only in documents of `among` unless it is 0. */
function lowerWeights(docs: Docs, i: u32, refs: usize, count: u32, among: usize, size: u32, to: usize): void {
  if (count === 0) return;
  const n = docs.countOf(i);
  spendMeeting(refs, count, n);
  const segment = segmentAt(i);
  const known = count === 1 && among === 0 ? termTable(i, refs, n) : null;
  if (known !== null && known.masks !== 0) {
    lowerByMasks(known, docs, i, size, to);
    return;
  }
  const isRanked = count > 1 && n >= index.many;
  const bits = isRanked ? docs.bits + segment.setAt : 0;
  const ranks = isRanked ? docs.ranks + (segment.setAt >> 1) : 0;
  wordWeights(refs, count, segment.rows, docs.listOf(i), n, bits, ranks, among, segment.setWeights, size, to);
}

/** Words that stand where the query has them cost less. */
export function positionCosts(reading: Reading, docs: Docs): usize {
  const plane = newPlane(docs, NO_COST);
  const steps = stack(STEP_BUCKETS);
  fillSteps(steps, nodeOf(reading).input.first, nodeOf(reading).size);
  const isCommon = hasCommonPrefix(reading);
  const phrases = phraseCount(reading);
  if (docs.count >= index.many) rank(docs);
  const before = mark();
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (docs.countOf(i) === 0) continue;
    const to = plane + ((<usize>docs.start(i)) << 1);
    // The word itself is among the words that begin with it.
    lowerSteps(docs, i, isCommon ? reading & ~12 : reading, false, steps, to);
    if (isCommon) lowerSteps(docs, i, reading, true, steps, to);
    for (let p: u32 = 0; p < phrases; p++) {
      const phrase = phraseOf(reading, p);
      const first = firstWord(phrase);
      if (first === null || first.ordinal(i) === -1) continue;
      stepsOf(docs, i, first.ref(i), 1, phraseSet(phrase) + segmentAt(i).setAt, steps, to);
    }
    release(before);
  }
  return plane;
}

/** Lowers costs to what the best place of some terms costs; only in documents of `among` unless it is 0. */
function stepsOf(docs: Docs, i: u32, refs: usize, count: u32, among: usize, steps: usize, plane: usize): void {
  if (count === 0) return;
  const n = docs.countOf(i);
  spendMeeting(refs, count, n);
  const segment = segmentAt(i);
  const isRanked = count > 1 && n >= index.many;
  const bits = isRanked ? docs.bits + segment.setAt : 0;
  const ranks = isRanked ? docs.ranks + (segment.setAt >> 1) : 0;
  const list = docs.listOf(i);
  wordSteps(
    refs,
    count,
    segment.rows,
    segment.setOffsets,
    segment.setFields,
    list,
    n,
    bits,
    ranks,
    among,
    steps,
    plane,
  );
}

/** Lowers costs to what the best place of a reading's words, or of those that begin with it, costs. */
function lowerSteps(docs: Docs, i: u32, reading: Reading, isPrefixed: bool, steps: usize, plane: usize): void {
  const node = nodeOf(reading);
  // The first word of a query had better stand first: no later place of it matters.
  let known: Table | null = null;
  if (node.input.first === 0) {
    if (isPrefixed) known = summariesOf(docs, i, node);
    else if (wordsOf(reading, i) === 1) known = termTable(i, wordsAt, docs.countOf(i));
  }
  if (known !== null && known.masks !== 0) {
    lowerByFirsts(known, docs, i, steps, plane);
    return;
  }
  if (isPrefixed && !isLookedThrough(node, i, docs.countOf(i))) {
    const own = node.refsOf(i);
    stepsOf(docs, i, prefixRefs(node, i), own.to - own.from, 0, steps, plane);
    return;
  }
  if (!isPrefixed && node.input.first === 0 && !hasReadingPlaces(docs, i, reading)) {
    lowerFirstSteps(docs, i, reading, steps, plane);
    return;
  }
  const table = emptyTable();
  if (isPrefixed) prefixPlaces(docs, i, node, table);
  else readingPlaces(docs, i, reading, table);
  if (table.begins === 0) return;
  const n = docs.countOf(i);
  for (let p: u32 = 0; p < n; p++) {
    const end = placeAt(table, table.ends, p);
    let least = <u32>load<u16>(plane + ((<usize>p) << 1));
    for (let place = placeAt(table, table.begins, p); place < end && least > 0; place += 4) {
      least = min<u32>(least, load<u8>(steps + bucketOf(load<u16>(place))));
    }
    store<u16>(plane + ((<usize>p) << 1), <u16>least);
  }
}

/** The same of words whose first places are all that counts: those of frequent words are known. */
function lowerFirstSteps(docs: Docs, i: u32, reading: Reading, steps: usize, plane: usize): void {
  const before = mark();
  const count = wordsOf(reading, i);
  const others = withoutSummaries(i, wordsAt, count, docs.countOf(i));
  for (let s: u32 = 0; s < summaryCount; s++) lowerByFirsts(summaryAt(s), docs, i, steps, plane);
  stepsOf(docs, i, othersAt, others, 0, steps, plane);
  release(before);
}
