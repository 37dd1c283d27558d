/**
 * Words that begin with a common prefix are many, and most are in few documents: one pass over all of them tells for every
 * document of a list what the lightest of their fields weighs, what the best of their places costs, and how near behind the
 * word before they stand. Lists picked from that list look it up.
 */
import { firstNotBelow, rowAt } from "../../keyword/assembly/bits";
import { costs, NO_COST, usePlane } from "../../keyword/assembly/costs";
import { meetAll, useList } from "../../keyword/assembly/meet";
import { bucketOf, record } from "../../keyword/assembly/places";
import { planeFill } from "../../keyword/assembly/planes";
import { REF_BYTES, term, useSets } from "../../keyword/assembly/term";
import { wordSteps } from "../../keyword/assembly/words";
import { spend, timeIsUp } from "./clock";
import { segmentAt, segmentCount } from "./index-of";
import { Node } from "./nodes";
import { PlaceTable } from "./occurrences";
import { prefixRefs } from "./readings";
import { keep, keepZeros, mark, release, stack } from "./room";
import { Docs, forgetRank, rank } from "./sets";
import { fillSteps, STEP_BUCKETS } from "./steps";

/** A list is looked through itself when it is so large a part of the one it was picked from. */
const OWN_SHARE: u32 = 2;
/** Lists of so many times more documents than are looked at are not looked through, */
const ROOT_SHARE: u32 = 8;
/** unless words have so many times more: then most of the time goes by before any document is met. */
const FEW_SHARE: u32 = 4;
/** Words between two looks at the time. */
const WORDS_AT_ONCE: u32 = 1024;
/** Distances from here on are all the same. */
const FAR: u32 = 4;
const NO_STEP: u32 = 255;

/** What is known of the documents of one segment of a list. */
@unmanaged
class SegmentScan {
  rows: usize;
  count: u32;
  /** By position in the list: u16, and u8; the latter only where places were looked at anyway. */
  weights: usize;
  steps: usize;
  /** The words that some document has. */
  refs: usize;
  refCount: u32;
}

/** Of one node; by segment, of no rows until somebody asks. */
@unmanaged
class Scan {
  next: usize;
  node: Node;
  /** The list that was looked through. */
  docs: Docs;
  segments: usize;
}

const SEGMENT_BYTES: usize = offsetof<SegmentScan>();

let weightsAt: usize = 0;
let stepsAt: usize = 0;
/** What each bucket of positions costs. */
let valuesAt: usize = 0;
let setWeights: usize = 0;
let isMet: bool = false;
/** Places of the word before, by position in the list. */
let begins: usize = 0;
let ends: usize = 0;
let places: usize = 0;
/** What words that follow it cost. */
let base: u32 = 0;
/** Its places in the document under way, and the smallest step from one of them. */
let leftAt: usize = 0;
let leftEnd: usize = 0;
let nearest: u32 = 0;

function useLeft(left: PlaceTable, cost: u32, plane: usize): void {
  begins = left.begins;
  ends = left.ends;
  places = left.places;
  base = cost;
  usePlane(plane);
}

/** Lowers costs to what the lightest field of the words that begin with a node weighs. */
export function lowerByScannedWeights(docs: Docs, i: u32, node: Node, plane: usize): void {
  const scan = scanOf(docs, i, node);
  usePlane(plane);
  weightsAt = scan.weights;
  factor = node.size;
  lookUp<Weight>(scan, docs, i);
}

let factor: u32 = 0;

class Weight {
  @inline
  visit(position: u32, known: u32): void {
    const weight = <u32>load<u16>(weightsAt + ((<usize>known) << 1));
    if (weight !== NO_COST) costs.lower(position, weight * factor);
  }
}

/** Lowers costs to what the best place of the words that begin with a node costs, `values` by bucket of positions. */
export function lowerByScannedSteps(docs: Docs, i: u32, node: Node, values: usize, plane: usize): void {
  const scan = scanOf(docs, i, node);
  if (scan.steps !== 0) {
    usePlane(plane);
    stepsAt = scan.steps;
    lookUp<Step>(scan, docs, i);
    return;
  }
  const segment = segmentAt(i);
  const sets = segment.setOffsets;
  const before = mark();
  rank(docs);
  const bits = docs.bits + segment.setAt;
  const ranks = docs.ranks + (segment.setAt >> 1);
  const list = docs.listOf(i);
  const n = docs.countOf(i);
  spend(scan.refCount);
  wordSteps(scan.refs, scan.refCount, segment.rows, sets, segment.setFields, list, n, bits, ranks, 0, values, plane);
  unrank(docs, before);
}

class Step {
  @inline
  visit(position: u32, known: u32): void {
    const step = <u32>load<u8>(stepsAt + known);
    if (step !== NO_STEP) costs.lower(position, step);
  }
}

/** Lowers costs to what words that begin with a node and follow those of a table cost, `cost` when they do at once. */
export function lowerByScannedSpaces(docs: Docs, i: u32, node: Node, left: PlaceTable, cost: u32, plane: usize): void {
  const known = knownScan(docs, i, node);
  if (known === null && scannedList(docs, i, node) === docs) {
    useLeft(left, cost, plane);
    scan(docs, i, node, true);
    return;
  }
  const scanned = known === null ? scanOf(docs, i, node) : known;
  const segment = segmentAt(i);
  useLeft(left, cost, plane);
  const before = mark();
  useRanked(docs, i);
  useSets(segment.setOffsets, segment.setFields);
  for (let first: u32 = 0; first < scanned.refCount && !timeIsUp; first += WORDS_AT_ONCE) {
    const count = min(WORDS_AT_ONCE, scanned.refCount - first);
    meetAll<Following>(scanned.refs + <usize>first * REF_BYTES, count, segment.rows);
    spend(count);
  }
  unrank(docs, before);
}

class Following {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    if (!followsSome(position)) return;
    record.read<Spacing>(index, 0, 0);
    lowerBySpace(position);
  }
}

class Spacing {
  @inline
  take(known: usize, field: usize, position: u32, _end: usize): usize {
    look(((<u32>load<u16>(field)) << 16) | position);
    return known;
  }
}

/** Whether the word before is in the document, which could still cost less; its places are those in use then. */
function followsSome(position: u32): bool {
  const at = (<usize>position) << 2;
  leftAt = places + ((<usize>load<u32>(begins + at)) << 2);
  leftEnd = places + ((<usize>load<u32>(ends + at)) << 2);
  nearest = FAR;
  return leftAt < leftEnd && costs.at(position) > base;
}

function look(place: u32): void {
  for (let at = leftAt; at < leftEnd; at += 4) {
    const from = load<u32>(at);
    if (from >= place) return;
    const isSameField = (from ^ place) >> 16 === 0;
    nearest = select(min(nearest, place - from), nearest, isSameField);
  }
}

function lowerBySpace(position: u32): void {
  if (nearest < FAR) costs.lower(position, base + nearest - 1);
}

/** The list that is looked through for a list: the one it was picked from, for others that were, or itself. */
function scannedList(docs: Docs, i: u32, node: Node): Docs {
  const root = changetype<Docs>(docs.root);
  const n = docs.countOf(i);
  const all = root.countOf(i);
  if (n * OWN_SHARE >= all) return docs;
  return all <= n * ROOT_SHARE || all * FEW_SHARE <= node.refsOf(i).prefixDocuments ? root : docs;
}

function knownScan(docs: Docs, i: u32, node: Node): SegmentScan | null {
  const own = foundIn(docs.scans, i, node);
  return own !== null ? own : foundIn(changetype<Docs>(docs.root).scans, i, node);
}

function foundIn(scans: usize, i: u32, node: Node): SegmentScan | null {
  for (let at = scans; at !== 0; at = changetype<Scan>(at).next) {
    if (changetype<Scan>(at).node !== node) continue;
    const found = segmentOf(changetype<Scan>(at), i);
    if (found.rows !== 0) return found;
  }
  return null;
}

function segmentOf(scan: Scan, i: u32): SegmentScan {
  return changetype<SegmentScan>(scan.segments + <usize>i * SEGMENT_BYTES);
}

function scanOf(docs: Docs, i: u32, node: Node): SegmentScan {
  const known = knownScan(docs, i, node);
  return known !== null ? known : scan(scannedList(docs, i, node), i, node, false);
}

/** Goes through all words; with `isNear` it looks at places, too, and lowers costs by how near the word before is. */
function scan(docs: Docs, i: u32, node: Node, isNear: bool): SegmentScan {
  const segment = segmentAt(i);
  const made = newScan(docs, i, node);
  const n = made.count;
  planeFill(made.weights, n, NO_COST);
  weightsAt = made.weights;
  if (isNear) {
    made.steps = keep(n);
    memory.fill(made.steps, <u8>NO_STEP, n);
    stepsAt = made.steps;
  }
  setWeights = segment.setWeights;
  const all = prefixRefs(node, i);
  const count = node.refsOf(i).to - node.refsOf(i).from;
  const before = mark();
  useRanked(docs, i);
  valuesAt = stack(STEP_BUCKETS);
  fillSteps(valuesAt, node.input.first, node.size);
  const met = stack(<usize>count * REF_BYTES);
  let to = met;
  useSets(segment.setOffsets, segment.setFields);
  for (let r: u32 = 0; r < count && !timeIsUp; r++) {
    const ref = all + <usize>r * REF_BYTES;
    isMet = false;
    if (isNear) meetAll<Scanning>(ref, 1, segment.rows);
    else meetAll<Weighing>(ref, 1, segment.rows);
    if (isMet) {
      memory.copy(to, ref, REF_BYTES);
      to += REF_BYTES;
    }
    if (r % WORDS_AT_ONCE === 0) spend(WORDS_AT_ONCE);
  }
  made.refCount = <u32>((to - met) / REF_BYTES);
  made.refs = keep(to - met);
  memory.copy(made.refs, met, to - met);
  unrank(docs, before);
  return made;
}

function newScan(docs: Docs, i: u32, node: Node): SegmentScan {
  let at = docs.scans;
  while (at !== 0 && (changetype<Scan>(at).node !== node || changetype<Scan>(at).docs !== docs)) {
    at = changetype<Scan>(at).next;
  }
  if (at === 0) {
    at = keep(offsetof<Scan>());
    const added = changetype<Scan>(at);
    added.next = docs.scans;
    added.node = node;
    added.docs = docs;
    added.segments = keepZeros(<usize>segmentCount * SEGMENT_BYTES);
    docs.scans = at;
  }
  const made = segmentOf(changetype<Scan>(at), i);
  made.rows = docs.listOf(i);
  made.count = docs.countOf(i);
  made.weights = keep((<usize>made.count) << 1);
  return made;
}

class Weighing {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    isMet = true;
    const weight = <u32>load<u16>(setWeights + ((<usize>(term.formAt(index) >> 1)) << 1));
    const weighed = weightsAt + ((<usize>position) << 1);
    if (weight < <u32>load<u16>(weighed)) store<u16>(weighed, <u16>weight);
  }
}

class Scanning {
  needsRank(): bool {
    return true;
  }

  @inline
  visit(position: u32, index: u32): void {
    changetype<Weighing>(<usize>0).visit(position, index);
    const known = <u32>load<u8>(stepsAt + position);
    const follows = followsSome(position);
    if (known === 0 && !follows) return;
    if (!follows) leftEnd = leftAt;
    store<u8>(stepsAt + position, <u8>record.read<Looking>(index, known, 0));
    if (follows) lowerBySpace(position);
  }
}

class Looking {
  @inline
  take(known: usize, field: usize, position: u32, _end: usize): usize {
    look(((<u32>load<u16>(field)) << 16) | position);
    return min<usize>(known, load<u8>(valuesAt + bucketOf(position)));
  }
}

/** Words are looked up in the list of a segment, however short it is: they are many. */
function useRanked(docs: Docs, i: u32): void {
  rank(docs);
  const setAt = <usize>segmentAt(i).setAt;
  useList(docs.listOf(i), docs.countOf(i), docs.bits + setAt, docs.ranks + (setAt >> 1), 0);
}

/** A list that was not a set before is none any more. */
function unrank(docs: Docs, before: usize): void {
  forgetRank(docs, before);
  release(before);
}

/** Visits the documents of a list with their positions in the list that was looked through. */
function lookUp<Visitor>(scan: SegmentScan, docs: Docs, i: u32): void {
  const visitor = changetype<Visitor>(<usize>0);
  const list = docs.listOf(i);
  const n = docs.countOf(i);
  if (n === scan.count) {
    for (let p: u32 = 0; p < n; p++) visitor.visit(p, p);
    return;
  }
  let known: u32 = 0;
  for (let p: u32 = 0; p < n; p++) {
    known = firstNotBelow(scan.rows, known, scan.count, rowAt(list, p));
    visitor.visit(p, known);
  }
}
