/**
 * Terms with typos that a node stands for, segment by segment, in two tiers: with one typo and with two. Found in the
 * dictionaries of the segments, or known from an earlier search.
 */

import { termFind } from "../../dictionary/assembly/seek";
import { REF_BYTES } from "../../keyword/assembly/term";
import { timeIsUp } from "./clock";
import { findBytes, keepBytes } from "./findings";
import { segmentAt, segmentCount, termsOf } from "./index-of";
import { KnownWords, SegmentTerm, Text } from "./layout";
import { Node, NodeRefs } from "./nodes";
import { keep, mark, release, stack } from "./room";
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
import { refOf } from "./words";

export function findTypos(node: Node): void {
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

/** Those that were agreed on. */
export function takeListed(node: Node, known: KnownWords): void {
  const before = mark();
  const most: usize = (<usize>ONE_TYPO_MAX + TWO_TYPOS_MAX) * REF_BYTES;
  const room = stack(<usize>segmentCount * most);
  node.oneCount = known.oneCount;
  node.twoCount = known.twoCount;
  takeTexts(node, known.one, known.oneCount, 1, room, most);
  takeTexts(node, known.two, known.twoCount, 2, room, most);
  appendRefs(node, room, most);
  release(before);
}

function takeTexts(node: Node, texts: usize, count: u32, tier: u32, room: usize, most: usize): void {
  for (let t: u32 = 0; t < count; t++) {
    const text = changetype<Text>(texts + <usize>t * offsetof<Text>());
    for (let i: u32 = 0; i < segmentCount; i++) {
      const segment = segmentAt(i);
      const ordinal = termFind(termsOf(segment), 0, segment.termCount, text.at, text.length);
      if (ordinal !== -1) takeRef(node.refsOf(i), i, ordinal, tier, room + <usize>i * most);
    }
  }
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
        ordinal = termFind(termsOf(segment), 0, segment.termCount, least.text, least.length);
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
