/**
 * Nodes of the query graph and what each may stand for: the word itself, its completions, words with typos, synonyms, the
 * word cut in two. What is costly is found out when first asked for.
 */

import { termBound, termFind } from "../../dictionary/assembly/seek";
import { REF_BYTES } from "../../keyword/assembly/term";
import { timeIsUp } from "./clock";
import { completeWords, isCommonPrefix } from "./completions";
import { findBytes, keepBytes } from "./findings";
import { segmentAt, segmentCount } from "./index-of";
import { NodeInput, SegmentTerm } from "./layout";
import { openPhrase, Phrase, samePhrase } from "./phrases";
import { keep, keepZeros, mark, release, stack } from "./room";
import { findSplit } from "./splits";
import {
  CANDIDATE_BYTES,
  CANDIDATES_BYTES,
  Candidate,
  Candidates,
  nearWords,
  ONE_TYPO_MAX,
  TWO_TYPOS_MAX,
  tierOf,
} from "./typos";
import { findWord, refOf, refsBetween, WORD_BYTES_MAX, Word } from "./words";

/** Terms of a segment that a node stands for: the word itself, completions, one typo, two typos, one after the other. */
@unmanaged
export class NodeRefs {
  at: usize;
  /** Where each of them ends. */
  exactEnd: u32;
  plainEnd: u32;
  oneEnd: u32;
  twoEnd: u32;
  /** Terms that begin with the word. */
  from: u32;
  to: u32;
  /** For a common prefix, once somebody asks: those terms, and the rows of all of them. */
  prefixAt: usize;
  prefixDocuments: u32;
}

const NODE_REFS_BYTES: usize = offsetof<NodeRefs>();
const READINGS: usize = 16;

@unmanaged
export class Node {
  input: NodeInput;
  number: u32;
  /** Terms it covers. */
  size: u32;
  isPrefix: u32;
  typos: u32;
  phrase: Phrase | null;
  /** The word itself when it is in the index. */
  exact: Word | null;
  /** So many words begin with it that they are searched as one. */
  isCommon: u32;
  hasCompletions: u32;
  /** Pairs of segment and ordinal where completions are not all there is in the ranges. */
  listed: usize;
  listedCount: u32;
  refs: usize;
  /** Addresses of phrases. */
  synonyms: usize;
  synonymCount: u32;
  hasTiers: u32;
  oneCount: u32;
  twoCount: u32;
  /** Pairs of segment and ordinal. */
  oneWords: usize;
  twoWords: usize;
  split: Phrase | null;
  cut: u32;
  /** Sets by reading, 0 until somebody asks, and whether there is something in them. */
  sets: usize;
  filled: usize;
  exactSet: usize;

  @inline
  refsOf(segment: u32): NodeRefs {
    return changetype<NodeRefs>(this.refs + <usize>segment * NODE_REFS_BYTES);
  }

  @inline
  synonym(i: u32): Phrase {
    return changetype<Phrase>(<usize>load<u32>(this.synonyms + ((<usize>i) << 2)));
  }
}

export let nodeCount: u32 = 0;
let nodesAt: usize = 0;
/** Nodes whose tiers were found, in that order. */
export let tierOrder: usize = 0;
export let tierOrderCount: u32 = 0;

const NODE_BYTES: usize = offsetof<Node>();

export function nodeAt(i: u32): Node {
  return changetype<Node>(nodesAt + <usize>i * NODE_BYTES);
}

export function openNodes(inputs: usize, count: u32): void {
  nodeCount = count;
  nodesAt = keepZeros(<usize>count * NODE_BYTES);
  tierOrder = keep((<usize>count) << 2);
  tierOrderCount = 0;
  for (let i: u32 = 0; i < count; i++) openNode(i, changetype<NodeInput>(inputs + <usize>i * offsetof<NodeInput>()));
}

function openNode(i: u32, input: NodeInput): void {
  const node = nodeAt(i);
  node.input = input;
  node.number = i;
  node.size = input.to - input.from + 1;
  node.sets = keepZeros(READINGS << 2);
  node.filled = keepZeros(READINGS);
  node.refs = keepZeros(<usize>segmentCount * NODE_REFS_BYTES);
  if (input.phrase !== 0) {
    node.phrase = openPhrase(input.phrase);
    node.hasTiers = 1;
    return;
  }
  const own = findWord(input.text, input.length);
  if (input.length > WORD_BYTES_MAX) {
    node.hasTiers = 1;
    return;
  }
  node.isPrefix = input.isPrefix;
  node.typos = input.typos;
  if (own.exists !== 0) node.exact = own;
  if (node.isPrefix !== 0) openPrefix(node);
  openRefs(node);
  node.synonymCount = input.synonymCount;
  node.synonyms = keep((<usize>input.synonymCount) << 2);
  for (let s: u32 = 0; s < input.synonymCount; s++) {
    const phrase = openPhrase(load<u32>(input.synonyms + ((<usize>s) << 2)));
    store<u32>(node.synonyms + ((<usize>s) << 2), <u32>changetype<usize>(phrase));
  }
}

function openPrefix(node: Node): void {
  const text = node.input.text;
  const length = node.input.length;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const refs = node.refsOf(i);
    refs.from = termBound(segment.text, segment.termBlocks, 0, segment.termCount, text, length, false);
    refs.to = termBound(segment.text, segment.termBlocks, refs.from, segment.termCount, text, length, true);
  }
  if (isCommonPrefix(node)) node.isCommon = 1;
  else completeWords(node);
}

/** The terms of the word itself and of its completions. */
function openRefs(node: Node): void {
  const exact = node.exact;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    const own = exact !== null && exact.ordinal(i) !== -1;
    const hasRange = node.isPrefix !== 0 && node.isCommon === 0 && node.listed === 0;
    // The word itself is the first of those that begin with it.
    const from = own ? refs.from + 1 : refs.from;
    let count: u32 = own ? 1 : 0;
    if (hasRange) count += refs.to - from;
    else if (node.listed !== 0) count += countListed(node, i);
    refs.at = keep(<usize>count * REF_BYTES);
    refs.exactEnd = own ? 1 : 0;
    refs.plainEnd = count;
    refs.oneEnd = count;
    refs.twoEnd = count;
    if (own) memory.copy(refs.at, exact!.ref(i), REF_BYTES);
    const next = refs.at + <usize>refs.exactEnd * REF_BYTES;
    if (hasRange) {
      refsBetween(segmentAt(i), from, refs.to, next);
      if (count > refs.exactEnd) node.hasCompletions = 1;
    } else if (node.listed !== 0) copyListed(node, i, next);
  }
  if (node.listedCount > 0) node.hasCompletions = 1;
}

function countListed(node: Node, segment: u32): u32 {
  let count: u32 = 0;
  for (let w: u32 = 0; w < node.listedCount; w++) {
    if (changetype<Word>(<usize>load<u32>(node.listed + ((<usize>w) << 2))).ordinal(segment) !== -1) count++;
  }
  return count;
}

function copyListed(node: Node, segment: u32, out: usize): void {
  let to = out;
  for (let w: u32 = 0; w < node.listedCount; w++) {
    const word = changetype<Word>(<usize>load<u32>(node.listed + ((<usize>w) << 2)));
    if (word.ordinal(segment) === -1) continue;
    memory.copy(to, word.ref(segment), REF_BYTES);
    to += REF_BYTES;
  }
}

/** Words with typos, and the two words it may have been. */
export function findTiers(node: Node): void {
  if (node.hasTiers !== 0) return;
  node.hasTiers = 1;
  store<u32>(tierOrder + ((<usize>tierOrderCount) << 2), node.number);
  tierOrderCount++;
  if (node.typos > 0 && node.input.length > 0) findTypos(node);
  findSplit(node);
}

function findTypos(node: Node): void {
  const before = mark();
  const text = node.input.text;
  const length = node.input.length;
  const most: usize = (<usize>ONE_TYPO_MAX + TWO_TYPOS_MAX) * REF_BYTES;
  const tag = TYPOS_TAG | (node.typos << 1) | node.isPrefix;
  node.oneWords = keep((<usize>ONE_TYPO_MAX) << 3);
  node.twoWords = keep((<usize>TWO_TYPOS_MAX) << 3);
  const room = stack(<usize>segmentCount * most);
  const known = findBytes(text, length, tag);
  if (known !== 0) recallTypos(node, known, room, most);
  else {
    const lists = stack(<usize>segmentCount * CANDIDATES_BYTES);
    for (let i: u32 = 0; i < segmentCount; i++) {
      const list = changetype<Candidates>(lists + <usize>i * CANDIDATES_BYTES);
      nearWords(i, text, length, node.typos, node.isPrefix !== 0, list);
    }
    if (segmentCount === 1) takeAll(node, changetype<Candidates>(lists), room);
    else mergeAll(node, lists, room, most);
    if (!timeIsUp) rememberTypos(node, tag, room, most);
  }
  if (node.oneCount + node.twoCount > 0) appendRefs(node, room, most);
  release(before);
}

/** Beyond all numbers of bytes a word can be cut after. */
const TYPOS_TAG: u32 = 0x1000;

/** Of words with one typo and with two. */
@unmanaged
class TypoCounts {
  one: u32;
  two: u32;
}

const COUNTS_BYTES: usize = offsetof<TypoCounts>();

function putCounts(at: usize, one: u32, two: u32): void {
  changetype<TypoCounts>(at).one = one;
  changetype<TypoCounts>(at).two = two;
}

/** Keeps what was found for later searches: counts, words, then counts and refs by segment. */
function rememberTypos(node: Node, tag: u32, room: usize, most: usize): void {
  let bytes: u32 = 8 + ((node.oneCount + node.twoCount) << 3);
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    bytes += 8 + (refs.oneEnd + refs.twoEnd - 2 * refs.plainEnd) * <u32>REF_BYTES;
  }
  let at = keepBytes(node.input.text, node.input.length, tag, bytes);
  if (at === 0) return;
  putCounts(at, node.oneCount, node.twoCount);
  at = put(at + COUNTS_BYTES, node.oneWords, node.oneCount << 3);
  at = put(at, node.twoWords, node.twoCount << 3);
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    const ones = refs.oneEnd - refs.plainEnd;
    const twos = refs.twoEnd - refs.plainEnd;
    putCounts(at, ones, twos);
    at = put(at + COUNTS_BYTES, room + <usize>i * most, ones * <u32>REF_BYTES);
    at = put(at, room + <usize>i * most + TWOS_AT, twos * <u32>REF_BYTES);
  }
}

function put(to: usize, from: usize, bytes: u32): usize {
  memory.copy(to, from, bytes);
  return to + bytes;
}

function recallTypos(node: Node, known: usize, room: usize, most: usize): void {
  const counts = changetype<TypoCounts>(known);
  node.oneCount = counts.one;
  node.twoCount = counts.two;
  put(node.oneWords, known + COUNTS_BYTES, node.oneCount << 3);
  let at = known + COUNTS_BYTES + (node.oneCount << 3);
  put(node.twoWords, at, node.twoCount << 3);
  at += node.twoCount << 3;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    const ones = changetype<TypoCounts>(at).one;
    const twos = changetype<TypoCounts>(at).two;
    at += COUNTS_BYTES;
    put(room + <usize>i * most, at, ones * <u32>REF_BYTES);
    at += <usize>ones * REF_BYTES;
    put(room + <usize>i * most + TWOS_AT, at, twos * <u32>REF_BYTES);
    at += <usize>twos * REF_BYTES;
    refs.oneEnd = refs.plainEnd + ones;
    refs.twoEnd = refs.plainEnd + twos;
  }
}

/** Where the refs of one typo grow up to and those of two typos begin, in the room of a segment. */
const TWOS_AT: usize = <usize>ONE_TYPO_MAX * REF_BYTES;

function takeAll(node: Node, list: Candidates, room: usize): void {
  const refs = node.refsOf(0);
  for (let c: u32 = 0; c < list.count; c++) {
    const candidate = changetype<Candidate>(list.at + <usize>c * CANDIDATE_BYTES);
    const tier = tierOf(candidate.distance, candidate.sameFirst !== 0, node.oneCount, node.twoCount, node.typos);
    if (tier === 0) continue;
    takeRef(refs, 0, candidate.ordinal, tier, room);
    takeWord(node, 0, candidate.ordinal, tier);
  }
}

/** Adds a term to a tier of a segment; `oneEnd` and `twoEnd` count from `plainEnd` meanwhile. */
function takeRef(refs: NodeRefs, i: u32, ordinal: u32, tier: u32, room: usize): void {
  if (tier === 1) {
    refOf(segmentAt(i), ordinal, room + <usize>(refs.oneEnd - refs.plainEnd) * REF_BYTES);
    refs.oneEnd++;
  } else {
    refOf(segmentAt(i), ordinal, room + TWOS_AT + <usize>(refs.twoEnd - refs.plainEnd) * REF_BYTES);
    refs.twoEnd++;
  }
}

function takeWord(node: Node, segment: u32, ordinal: u32, tier: u32): void {
  const at = tier === 1 ? node.oneWords + ((<usize>node.oneCount) << 3) : node.twoWords + ((<usize>node.twoCount) << 3);
  const word = changetype<SegmentTerm>(at);
  word.segment = segment;
  word.ordinal = ordinal;
  if (tier === 1) node.oneCount++;
  else node.twoCount++;
}

/** From all segments in byte order, each word once. */
function mergeAll(node: Node, lists: usize, room: usize, most: usize): void {
  const next = stack((<usize>segmentCount) << 2);
  memory.fill(next, 0, (<usize>segmentCount) << 2);
  for (;;) {
    let least: Candidate | null = null;
    let leastAt: u32 = 0;
    for (let i: u32 = 0; i < segmentCount; i++) {
      const candidate = candidateAt(lists, i, load<u32>(next + ((<usize>i) << 2)));
      if (candidate !== null && (least === null || compareTexts(candidate, least) < 0)) {
        least = candidate;
        leastAt = i;
      }
    }
    if (least === null) return;
    const tier = tierOf(least.distance, least.sameFirst !== 0, node.oneCount, node.twoCount, node.typos);
    if (tier !== 0) takeWord(node, leastAt, least.ordinal, tier);
    for (let i: u32 = 0; i < segmentCount; i++) {
      const at = next + ((<usize>i) << 2);
      const candidate = candidateAt(lists, i, load<u32>(at));
      let ordinal: i32 = -1;
      if (candidate !== null && compareTexts(candidate, least) === 0) {
        ordinal = candidate.ordinal;
        store<u32>(at, load<u32>(at) + 1);
      } else if (tier !== 0 && changetype<Candidates>(lists + <usize>i * CANDIDATES_BYTES).isCut !== 0) {
        // What a segment had no room for may still be there.
        const segment = segmentAt(i);
        ordinal = termFind(segment.text, segment.termBlocks, 0, segment.termCount, least.text, least.length);
      }
      if (tier !== 0 && ordinal !== -1) takeRef(node.refsOf(i), i, ordinal, tier, room + <usize>i * most);
    }
  }
}

function candidateAt(lists: usize, segment: u32, i: u32): Candidate | null {
  const list = changetype<Candidates>(lists + <usize>segment * CANDIDATES_BYTES);
  return i < list.count ? changetype<Candidate>(list.at + <usize>i * CANDIDATE_BYTES) : null;
}

function compareTexts(a: Candidate, b: Candidate): i32 {
  const order = memory.compare(a.text, b.text, min(a.length, b.length));
  return order !== 0 ? order : <i32>a.length - <i32>b.length;
}

/** Puts the terms with typos behind the others. */
function appendRefs(node: Node, room: usize, most: usize): void {
  for (let i: u32 = 0; i < segmentCount; i++) {
    const refs = node.refsOf(i);
    const plain = refs.plainEnd;
    const ones = refs.oneEnd - plain;
    const twos = refs.twoEnd - plain;
    if (ones + twos === 0) continue;
    const at = keep(<usize>(plain + ones + twos) * REF_BYTES);
    const from = room + <usize>i * most;
    memory.copy(at, refs.at, <usize>plain * REF_BYTES);
    memory.copy(at + <usize>plain * REF_BYTES, from, <usize>ones * REF_BYTES);
    memory.copy(at + <usize>(plain + ones) * REF_BYTES, from + TWOS_AT, <usize>twos * REF_BYTES);
    refs.at = at;
    refs.twoEnd = plain + ones + twos;
  }
}

/** Whether the word cut in two is a synonym anyway. */
export function isSplitKnown(node: Node): bool {
  for (let i: u32 = 0; i < node.synonymCount; i++) if (samePhrase(node.synonym(i), node.split!)) return true;
  return false;
}
