/**
 * A reading of a node: which of what it stands for may still be used, as one number. Rules narrow readings. And which
 * documents match a reading: each set is made once a search, when first asked for.
 */

import { termText } from "../../dictionary/assembly/walk";
import { REF_BYTES } from "../../keyword/assembly/term";
import { listedWord } from "./completions";
import { addRowsOfRange, hasForward } from "./forward";
import { index, segmentAt, segmentCount, termsOf } from "./index-of";
import { addBits, addTerms, addTo, countOf, hasAny } from "./lines";
import { findTiers, isSplitKnown, Node, NodeRefs, nodeAt } from "./nodes";
import { Phrase, phraseSet } from "./phrases";
import { keep, mark, release, stack } from "./room";
import { keptSet } from "./sets";
import { documentsFor } from "./strategy";
import { madeBits, prefixBits, termBits } from "./tables";
import { isNumeric, refOf, refsBetween, Word } from "./words";

/** What is left of the words without typos: nothing, all of them, or only the word itself. */
const UNTOUCHED_ALL: u32 = 1;
const UNTOUCHED_EXACT: u32 = 2;

/** Node << 4 | untouched << 2 | one typo << 1 | two typos. */
export type Reading = u32;

export function wholeReading(node: u32): Reading {
  return (node << 4) | (UNTOUCHED_ALL << 2) | 3;
}

function isWhole(reading: Reading): bool {
  return (reading & 15) === ((UNTOUCHED_ALL << 2) | 3);
}

export function nodeOf(reading: Reading): Node {
  return nodeAt(reading >> 4);
}

function untouched(reading: Reading): u32 {
  return (reading >> 2) & 3;
}

function allowsOne(reading: Reading): bool {
  return (reading & 2) !== 0;
}

function allowsTwo(reading: Reading): bool {
  return (reading & 1) !== 0;
}

/** Only the words with that many typos. */
export function tier(reading: Reading, typos: u32): Reading {
  if (typos === 0) return reading & ~3;
  return (reading & ~15) | (reading & (typos === 1 ? 2 : 1));
}

export function exactly(reading: Reading): Reading {
  return (reading & ~15) | (UNTOUCHED_EXACT << 2);
}

/** False when there is nothing it could match; true does not promise a document. */
export function mayMatch(reading: Reading): bool {
  const node = nodeOf(reading);
  if (node.phrase !== null || node.synonymCount > 0) return true;
  if (untouched(reading) !== 0 && (node.exact !== null || node.isCommon !== 0 || node.hasCompletions !== 0))
    return true;
  if ((reading & 3) === 0) return false;
  findTiers(node);
  if (allowsOne(reading) && (node.oneCount > 0 || node.split !== null)) return true;
  return allowsTwo(reading) && node.twoCount > 0;
}

export function typosMax(reading: Reading): u32 {
  const node = nodeOf(reading);
  if (node.typos === 0) return node.phrase === null ? 1 : 0;
  if (node.typos === 1) return allowsOne(reading) ? 1 : 0;
  return allowsTwo(reading) ? 2 : allowsOne(reading) ? 1 : 0;
}

export function hasCommonPrefix(reading: Reading): bool {
  return untouched(reading) !== 0 && nodeOf(reading).isCommon !== 0;
}

/** What the user wrote can be found as it is. */
export function hasExactTerm(reading: Reading): bool {
  const node = nodeOf(reading);
  if (node.size > 1 || untouched(reading) === 0) return false;
  return node.phrase !== null || node.exact !== null;
}

/** Terms of a segment that are words of the reading: where they begin, and how many. */
export let wordsAt: usize = 0;

export function wordsOf(reading: Reading, segment: u32): u32 {
  const node = nodeOf(reading);
  if ((reading & 3) !== 0) findTiers(node);
  const refs = node.refsOf(segment);
  const kind = untouched(reading);
  return useWords(refs, kind === 0 ? startOfTypos(reading, refs) : 0, endOfWords(reading, refs));
}

/** Only words with typos. */
export function typoWordsOf(reading: Reading, segment: u32): u32 {
  if ((reading & 3) === 0) return 0;
  findTiers(nodeOf(reading));
  const refs = nodeOf(reading).refsOf(segment);
  return useWords(refs, startOfTypos(reading, refs), endOfWords(reading, refs));
}

function plainWordsOf(reading: Reading, segment: u32): u32 {
  const refs = nodeOf(reading).refsOf(segment);
  const kind = untouched(reading);
  return useWords(refs, 0, kind === 0 ? 0 : kind === UNTOUCHED_ALL ? refs.plainEnd : refs.exactEnd);
}

function useWords(refs: NodeRefs, from: u32, to: u32): u32 {
  wordsAt = refs.at + <usize>from * REF_BYTES;
  return to - from;
}

function startOfTypos(reading: Reading, refs: NodeRefs): u32 {
  return allowsOne(reading) ? refs.plainEnd : refs.oneEnd;
}

function endOfWords(reading: Reading, refs: NodeRefs): u32 {
  if (allowsTwo(reading)) return refs.twoEnd;
  if (allowsOne(reading)) return refs.oneEnd;
  const kind = untouched(reading);
  // Without typos, none of those either.
  return kind === UNTOUCHED_ALL ? refs.plainEnd : kind === UNTOUCHED_EXACT ? refs.exactEnd : refs.oneEnd;
}

/** The phrase itself, synonyms, and the word cut in two. */
export function phraseCount(reading: Reading): u32 {
  const node = nodeOf(reading);
  if (node.phrase !== null) return 1;
  if (!allowsOne(reading)) return node.synonymCount;
  findTiers(node);
  return node.synonymCount + (node.split !== null && !isSplitKnown(node) ? 1 : 0);
}

export function phraseOf(reading: Reading, i: u32): Phrase {
  const node = nodeOf(reading);
  if (node.phrase !== null) return node.phrase!;
  return i < node.synonymCount ? node.synonym(i) : node.split!;
}

/** All terms of a segment that begin with a common prefix: where their refs begin. */
export function prefixRefs(node: Node, i: u32): usize {
  const refs = node.refsOf(i);
  if (refs.prefixAt === 0) {
    refs.prefixAt = keep(<usize>(refs.to - refs.from) * REF_BYTES);
    refs.prefixDocuments = refsBetween(segmentAt(i), refs.from, refs.to, refs.prefixAt);
  }
  return refs.prefixAt;
}

/** Documents that match any of what the reading allows; 0 when there are none. */
export function matching(reading: Reading): usize {
  const node = nodeOf(reading);
  const place = reading & 15;
  const at = node.sets + ((<usize>place) << 2);
  if (load<u32>(at) === 0) {
    const set = mayMatch(reading) ? find(node, reading) : 0;
    store<u32>(at, set === 0 ? 1 : <u32>set);
    store<u8>(node.filled + place, set !== 0 && hasAny(set) ? 1 : 0);
  }
  const known = load<u32>(at);
  return known === 1 ? 0 : known;
}

/** Whether its documents were asked for before. */
export function isFound(reading: Reading): bool {
  return load<u32>(nodeOf(reading).sets + ((<usize>(reading & 15)) << 2)) !== 0;
}

/** Whether no document matches. */
export function isEmpty(reading: Reading): bool {
  matching(reading);
  return load<u8>(nodeOf(reading).filled + (reading & 15)) === 0;
}

function find(node: Node, reading: Reading): usize {
  if (isWhole(reading) && node.phrase === null) return findAny(reading);
  const set = keptSet();
  const isJoined = node.size > 1;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const marks = isJoined ? segment.searchedTolerantSets : segment.searchedSets;
    const plain = plainWordsOf(reading, i);
    if (isJoined && index.limitsNumbers !== 0) addAllButNumbers(node, reading, i, set);
    else addWords(i, wordsAt, plain, marks, set);
    const mistyped = typoWordsOf(reading, i);
    addWords(i, wordsAt, mistyped, segment.searchedTolerantSets, set);
    if (hasCommonPrefix(reading) && !(isJoined && index.limitsNumbers !== 0)) {
      addCompletions(node, i, marks, set);
    }
  }
  const phrases = phraseCount(reading);
  for (let p: u32 = 0; p < phrases; p++) addTo(set, phraseSet(phraseOf(reading, p)));
  return set;
}

/** Adds the rows of terms of a segment to a set, see `addTerms`; those of frequent ones are known. */
export function addWords(i: u32, refs: usize, count: u32, marks: usize, set: usize): void {
  const segment = segmentAt(i);
  let from: u32 = 0;
  for (let r: u32 = 0; marks === 0 && r < count; r++) {
    const bits = termBits(i, refs + <usize>r * REF_BYTES);
    if (bits === 0) continue;
    addTerms(segment, refs + <usize>from * REF_BYTES, r - from, 0, set);
    addBits(segment, bits, set);
    from = r + 1;
  }
  addTerms(segment, refs + <usize>from * REF_BYTES, count - from, marks, set);
}

/** Documents that match a reading with any number of typos; most have some with one number only. */
function findAny(reading: Reading): usize {
  let only: usize = 0;
  let all: usize = 0;
  for (let typos: u32 = 0; typos <= 2; typos++) {
    const part = tier(reading, typos);
    if (isEmpty(part)) continue;
    if (only === 0) {
      only = matching(part);
      continue;
    }
    if (all === 0) {
      all = keptSet();
      addTo(all, only);
    }
    addTo(all, matching(part));
  }
  return all === 0 ? only : all;
}

/** Looking at so many documents takes as long as looking at one of the terms that begin with a prefix. */
const DOCUMENTS_PER_TERM: u32 = 4;
/** Looking at one document takes as long as so many occurrences. */
const OCCURRENCES_PER_DOCUMENT: u32 = 8;

/** Whether the words of so many documents are looked through sooner than all terms that begin with a prefix. */
export function isLookedThrough(node: Node, i: u32, documents: u32): bool {
  const own = node.refsOf(i);
  if (!hasForward(segmentAt(i)) || documents >= (own.to - own.from) * DOCUMENTS_PER_TERM) return false;
  if (node.input.first > 0) return true;
  // With no word in front, most of those that have such a word may be looked at.
  prefixRefs(node, i);
  return documents < own.prefixDocuments / OCCURRENCES_PER_DOCUMENT;
}

/** To look through more documents takes so long that the rows of a prefix are worth remembering. */
const MANY_DOCUMENTS: u32 = 16_384;

/** Rows of all terms that begin with a common prefix, or those of them that count. */
function addCompletions(node: Node, i: u32, marks: usize, set: usize): void {
  const segment = segmentAt(i);
  const own = node.refsOf(i);
  if (own.from === own.to) return;
  if (marks !== 0) {
    addTerms(segment, prefixRefs(node, i), own.to - own.from, marks, set);
    return;
  }
  const within = documentsFor(node);
  const documents = within === 0 ? segment.rows : countOf(within);
  const isLookedUp = within !== 0 && isLookedThrough(node, i, documents);
  const bits = isLookedUp && documents < MANY_DOCUMENTS ? madeBits(i, node) : prefixBits(i, node);
  if (bits !== 0) addBits(segment, bits, set);
  else if (isLookedUp) addRowsOfRange(i, own.from, own.to, within, set);
  else addTerms(segment, prefixRefs(node, i), own.to - own.from, 0, set);
}

/**
 * Words of joined ones, without numbers, which have no place that tolerates typos; a search limited to some fields does not
 * look at that.
 */
function addAllButNumbers(node: Node, reading: Reading, i: u32, set: usize): void {
  const kind = untouched(reading);
  if (kind === 0) return;
  const segment = segmentAt(i);
  const exact = node.exact;
  const marks = segment.searchedTolerantSets;
  if (exact !== null && exact.ordinal(i) !== -1 && counts(exact.isExactNumber))
    addTerms(segment, exact.ref(i), 1, marks, set);
  if (node.isPrefix === 0 || (kind !== UNTOUCHED_ALL && node.isCommon === 0)) return;
  if (node.listed !== 0) {
    for (let w: u32 = 0; w < node.listedCount; w++) {
      const word = listedWord(node, w);
      if (word.ordinal(i) !== -1 && counts(word.isExactNumber)) addTerms(segment, word.ref(i), 1, marks, set);
    }
    return;
  }
  const before = mark();
  const ref = stack(REF_BYTES);
  const text = stack(256);
  for (let ordinal = node.refsOf(i).from; ordinal < node.refsOf(i).to; ordinal++) {
    const length = termText(termsOf(segment), ordinal, text);
    if (!counts(isNumeric(text, length) ? 1 : 0)) continue;
    refOf(segment, ordinal, ref);
    addTerms(segment, ref, 1, marks, set);
  }
  release(before);
}

function counts(isExactNumber: u32): bool {
  return isExactNumber === 0 || index.isRestricted !== 0;
}

/** Documents that hold what the user wrote; 0 when that cannot be. */
export function exactMatching(reading: Reading): usize {
  if (!hasExactTerm(reading)) return 0;
  const node = nodeOf(reading);
  if (node.exactSet === 0) {
    if (node.phrase !== null) node.exactSet = phraseSet(node.phrase!);
    else {
      node.exactSet = keptSet();
      addWord(node.exact!, node.exactSet);
    }
  }
  return node.exactSet;
}

/** Adds the documents that hold a word in some searched field. */
function addWord(word: Word, set: usize): void {
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (word.ordinal(i) !== -1) addWords(i, word.ref(i), 1, segmentAt(i).searchedSets, set);
  }
}
