/**
 * Which words of the vocabulary a mistyped word may mean: from each segment as many of the nearest terms, in byte order,
 * as can matter, then from all of them together.
 */

import {
  FuzzyWord,
  KEY_MARGIN_BYTES,
  LETTERS_MAX,
  Near,
  NO_LETTER,
  PrefixFilter,
  Range,
  SCRATCH_BYTES,
} from "../../dictionary/assembly/layout";
import { termsNear } from "../../dictionary/assembly/near";
import { nearByPrefixes } from "../../dictionary/assembly/near-prefixes";
import { termBound, termFind, termsAfterFirst } from "../../dictionary/assembly/seek";
import { termText } from "../../dictionary/assembly/walk";
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { spend, timeIsUp } from "./clock";
import { index, segmentAt, segmentCount, termsOf } from "./index-of";
import { Segment } from "./layout";
import { mark, release, stack } from "./room";
import { wordOfTerm } from "./words";

export const ONE_TYPO_MAX: u32 = 150;
export const TWO_TYPOS_MAX: u32 = 50;
/** Terms of a segment looked at, of which any number may be in places that tolerate no typos: it must not take forever. */
const JUDGED_MAX: u32 = 10_000;
const CANDIDATES_MAX: u32 = ONE_TYPO_MAX + TWO_TYPOS_MAX;
const NEAR_AT_ONCE: u32 = 32;
const STEPS_AT_ONCE: u32 = 1 << 16;

/** Ordinal, distance, whether the first letter is the same, and the text where there are several segments. */
@unmanaged
export class Candidate {
  ordinal: u32;
  distance: u32;
  sameFirst: u32;
  text: usize;
  length: u32;
}

export const CANDIDATE_BYTES: usize = offsetof<Candidate>();

/** Candidates of a segment, and whether some may be missing from the one that is the last on. */
@unmanaged
export class Candidates {
  at: usize;
  count: u32;
  isCut: u32;
}

export const CANDIDATES_BYTES: usize = offsetof<Candidates>();

/** The word that is looked for, and what was found in the segment under way. */
let segment: Segment = changetype<Segment>(<usize>0);
let textAt: usize = 0;
let textLength: u32 = 0;
let allowed: u32 = 0;
let asPrefix: bool = false;
let found: Candidates = changetype<Candidates>(<usize>0);
let oneCount: u32 = 0;
let twoCount: u32 = 0;
let judged: u32 = 0;
let rangesAt: usize = 0;
let rangeCount: u32 = 0;

/** Which tier a candidate goes to when so many are in each: 1, 2, or 0 when there is no room for it. */
export function tierOf(distance: u32, sameFirst: bool, ones: u32, twos: u32, typos: u32): u32 {
  // A wrong first letter counts as a second typo; once there is no room for those it is judged like any other.
  if (typos === 2 && twos < TWO_TYPOS_MAX && (distance === 2 || !sameFirst)) return 2;
  return distance === 1 && ones < ONE_TYPO_MAX ? 1 : 0;
}

/** Candidates of a segment in byte order, as many as can matter; on the stack. */
export function nearWords(i: u32, text: usize, length: u32, typos: u32, isPrefix: bool, out: Candidates): void {
  segment = segmentAt(i);
  textAt = text;
  textLength = length;
  allowed = typos;
  asPrefix = isPrefix;
  found = out;
  out.at = stack(<usize>CANDIDATES_MAX * CANDIDATE_BYTES);
  out.count = 0;
  out.isCut = 0;
  oneCount = 0;
  twoCount = 0;
  judged = 0;
  if (segment.termCount === 0) return;
  const first = characterBytes(load<u8>(text));
  const from = bound(text, first, 0, false);
  const to = bound(text, first, from, true);
  rangeCount = 0;
  if (allowed === 2) findOtherFirst(from, to);
  let next: u32 = 0;
  for (; next < rangeCount && rangeFrom(next) < from; next++)
    if (!add(rangeFrom(next), rangeTo(next), 1, false)) return;
  if (!addNear(from, to)) return;
  for (; next < rangeCount; next++) if (!add(rangeFrom(next), rangeTo(next), 1, false)) return;
}

function bound(key: usize, length: u32, from: u32, after: bool): u32 {
  return termBound(termsOf(segment), from, segment.termCount, key, length, after);
}

function rangeOf(ranges: usize, i: u32): Range {
  return changetype<Range>(ranges + <usize>i * offsetof<Range>());
}

function setRange(range: Range, first: u32, end: u32): void {
  range.first = first;
  range.end = end;
}

function rangeFrom(i: u32): u32 {
  return rangeOf(rangesAt, i).first;
}

function rangeTo(i: u32): u32 {
  return rangeOf(rangesAt, i).end;
}

/** The word that is looked for, letter by letter, and room to compare terms with it. */
let wanted: FuzzyWord = changetype<FuzzyWord>(<usize>0);
let tableAt: usize = 0;
let nearAt: usize = 0;

/** Terms that begin with the word's first letter; false when no more are wanted. */
function addNear(from: u32, to: u32): bool {
  const before = mark();
  const letters = stack((<usize>textLength) << 2);
  let letterCount: u32 = 0;
  for (let i: u32 = 0; i < textLength; i += characterBytes(load<u8>(textAt + i))) {
    store<u32>(letters + ((<usize>letterCount) << 2), codePointAt(textAt + i));
    letterCount++;
  }
  if (letterCount > LETTERS_MAX) return true;
  wanted = changetype<FuzzyWord>(stack(offsetof<FuzzyWord>()));
  wanted.letters = <u32>letters;
  wanted.letterCount = letterCount;
  wanted.limit = allowed;
  wanted.isPrefix = asPrefix ? 1 : 0;
  tableAt = stack(SCRATCH_BYTES);
  nearAt = stack((1 + 3 * <usize>NEAR_AT_ONCE) << 2);
  const goesOn = segment.prefixFilter === 0 ? addWithin(from, to) : addByPrefixes(from, to);
  if (segmentCount === 1) release(before);
  return goesOn;
}

function addByPrefixes(from: u32, to: u32): bool {
  const filter = changetype<PrefixFilter>(<usize>segment.prefixFilter);
  return nearByPrefixes<Adding>(termsOf(segment), filter, from, to, wanted, stack(SCRATCH_BYTES));
}

class Adding {
  @inline
  goesOn(): bool {
    spend(1);
    return !timeIsUp;
  }

  take(from: u32, to: u32, distance: u32): bool {
    return add(from, to, distance, true);
  }

  walk(from: u32, to: u32): bool {
    return addWithin(from, to);
  }
}

/** Those of `[from, to)` that are near, found by comparing them. */
function addWithin(from: u32, to: u32): bool {
  for (let at = from; at < to; ) {
    const near = termsNear(termsOf(segment), at, to, wanted, tableAt, STEPS_AT_ONCE, nearAt, NEAR_AT_ONCE);
    at = load<u32>(nearAt);
    spend(NEAR_AT_ONCE);
    for (let i: u32 = 0; i < near; i++) {
      const terms = changetype<Near>(nearAt + 4 + <usize>i * offsetof<Near>());
      if (!add(terms.first, terms.end, terms.distance, true)) return false;
    }
  }
  return true;
}

/** Takes terms `[from, to)`; false when enough were found, or looked at. */
function add(from: u32, to: u32, distance: u32, sameFirst: bool): bool {
  for (let ordinal = from; ordinal < to; ordinal++) {
    const tier = tierOf(distance, sameFirst, oneCount, twoCount, allowed);
    if (tier === 0) {
      found.isCut = 1;
      break;
    }
    if (++judged > JUDGED_MAX) {
      found.isCut = 1;
      return false;
    }
    if (index.hasDeletes + (1 - index.toleratesEverywhere) > 0 && wordOfTerm(segment, ordinal).isTolerant === 0)
      continue;
    const candidate = changetype<Candidate>(found.at + <usize>found.count * CANDIDATE_BYTES);
    candidate.ordinal = ordinal;
    candidate.distance = distance;
    candidate.sameFirst = sameFirst ? 1 : 0;
    if (segmentCount > 1) {
      candidate.text = stack(256);
      candidate.length = termText(termsOf(segment), ordinal, candidate.text);
    }
    found.count++;
    if (tier === 1) oneCount++;
    else twoCount++;
  }
  if (oneCount < ONE_TYPO_MAX || (allowed !== 1 && twoCount < TWO_TYPOS_MAX)) return true;
  found.isCut = 1;
  return false;
}

/**
 * Terms one edit away whose first letter differs: that edit can only be at the beginning, which leaves four spellings
 * (another letter for the first, one more letter before it, the first dropped, the first two swapped).
 */
function findOtherFirst(sameFrom: u32, sameTo: u32): void {
  const firstBytes = characterBytes(load<u8>(textAt));
  rangesAt = stack((<usize>(2 * segment.branchCount) + 4) * offsetof<Range>());
  if (firstBytes === textLength && asPrefix) {
    addRange(0, sameFrom);
    addRange(sameTo, segment.termCount);
    return;
  }
  const rest = textAt + firstBytes;
  afterAnyLetter(rest, textLength - firstBytes, sameFrom, sameTo);
  afterAnyLetter(textAt, textLength, sameFrom, sameTo);
  if (firstBytes < textLength && codePointAt(rest) !== codePointAt(textAt)) {
    spelled(rest, textLength - firstBytes);
    const second = characterBytes(load<u8>(rest));
    const swapped = stack(textLength);
    memory.copy(swapped, rest, second);
    memory.copy(swapped + second, textAt, firstBytes);
    memory.copy(swapped + second + firstBytes, rest + second, textLength - firstBytes - second);
    spelled(swapped, textLength);
  }
  joinRanges();
}

function addRange(from: u32, to: u32): void {
  if (from >= to) return;
  setRange(rangeOf(rangesAt, rangeCount++), from, to);
}

/** The term spelled like this, or those that begin so. */
function spelled(key: usize, length: u32): void {
  if (asPrefix) {
    const from = bound(key, length, 0, false);
    addRange(from, bound(key, length, from, true));
    return;
  }
  const ordinal = termFind(termsOf(segment), 0, segment.termCount, key, length);
  if (ordinal !== -1) addRange(ordinal, ordinal + 1);
}

/** Terms that a letter begins, but for those in `[sameFrom, sameTo)`, and that go on so and end there, or just go on so. */
function afterAnyLetter(rest: usize, length: u32, sameFrom: u32, sameTo: u32): void {
  const second = length === 0 ? NO_LETTER : codePointAt(rest);
  const before = mark();
  const branches = stack(<usize>segment.branchCount * offsetof<Range>());
  let count: u32 = 0;
  const starts = segment.branchStarts;
  for (let i = nextBranch(0, second); i < segment.branchCount; i = nextBranch(i + 1, second)) {
    // A branch ends where the next begins.
    const branch = changetype<Range>(starts + ((<usize>i) << 2));
    if (branch.first >= sameFrom && branch.first < sameTo) continue;
    setRange(rangeOf(branches, count++), branch.first, branch.end);
  }
  const key = stack(KEY_MARGIN_BYTES + length) + KEY_MARGIN_BYTES;
  memory.copy(key, rest, length);
  const scratch = stack(SCRATCH_BYTES);
  const pairs = termsAfterFirst(termsOf(segment), branches, count, key, length, asPrefix, scratch, branches);
  for (let i: u32 = 0; i < pairs; i++) {
    const range = rangeOf(branches, i);
    addRange(range.first, range.end);
  }
  release(before);
}

/** The first branch, from `i` on, with a second letter. */
function nextBranch(i: u32, second: u32): u32 {
  const seconds = segment.branchSeconds;
  const count = segment.branchCount;
  const wanted = i32x4.splat(second);
  let at = i;
  for (; at + 4 <= count; at += 4) {
    const equal = i32x4.bitmask(i32x4.eq(v128.load(seconds + ((<usize>at) << 2)), wanted));
    if (equal !== 0) return at + ctz(equal);
  }
  while (at < count && load<u32>(seconds + ((<usize>at) << 2)) !== second) at++;
  return at;
}

/** Puts the ranges in order, and those that overlap together. */
function joinRanges(): void {
  for (let i: u32 = 1; i < rangeCount; i++) {
    const from = rangeFrom(i);
    const to = rangeTo(i);
    let at = i;
    for (; at > 0 && rangeFrom(at - 1) > from; at--) {
      setRange(rangeOf(rangesAt, at), rangeFrom(at - 1), rangeTo(at - 1));
    }
    setRange(rangeOf(rangesAt, at), from, to);
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < rangeCount; i++) {
    const from = rangeFrom(i);
    const to = rangeTo(i);
    if (kept > 0 && from < rangeTo(kept - 1)) {
      rangeOf(rangesAt, kept - 1).end = max(to, rangeTo(kept - 1));
      continue;
    }
    setRange(rangeOf(rangesAt, kept++), from, to);
  }
  rangeCount = kept;
}
