/**
 * Nodes of the query graph and what each may stand for: the word itself, its completions, words with typos, synonyms, the
 * word cut in two. What is costly is found out when first asked for.
 */

import { termBound, termFind } from "../../dictionary/assembly/seek";
import { REF_BYTES } from "../../keyword/assembly/term";
import { lookAt } from "./agreement";
import { completeWords, isCommonPrefix } from "./completions";
import { segmentAt, segmentCount, termsOf } from "./index-of";
import { KnownWords, NodeInput } from "./layout";
import { openPhrase, Phrase, samePhrase } from "./phrases";
import { keep, keepZeros } from "./room";
import { findSplit, splitAt } from "./splits";
import { findTypos, takeListed } from "./tiers";
import { findWord, refsBetween, WORD_BYTES_MAX, Word } from "./words";

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
  const known = knownOf(node);
  if (known === null ? own.exists !== 0 : known.exists !== 0) node.exact = own;
  if (node.isPrefix !== 0) openPrefix(node, known);
  openRefs(node);
  node.synonymCount = input.synonymCount;
  node.synonyms = keep((<usize>input.synonymCount) << 2);
  for (let s: u32 = 0; s < input.synonymCount; s++) {
    const phrase = openPhrase(load<u32>(input.synonyms + ((<usize>s) << 2)));
    store<u32>(node.synonyms + ((<usize>s) << 2), <u32>changetype<usize>(phrase));
  }
}

/** What all parts of the index know of it; null where words are looked for here. */
function knownOf(node: Node): KnownWords | null {
  return changetype<KnownWords | null>(<usize>node.input.known);
}

function openPrefix(node: Node, known: KnownWords | null): void {
  const text = node.input.text;
  const length = node.input.length;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const refs = node.refsOf(i);
    refs.from = termBound(termsOf(segment), 0, segment.termCount, text, length, false);
    refs.to = termBound(termsOf(segment), refs.from, segment.termCount, text, length, true);
  }
  if (known === null ? isCommonPrefix(node) : known.isCommonPrefix !== 0) node.isCommon = 1;
  else if (known === null) completeWords(node);
  else if (known.lastLength > 0) leaveThoseAfter(node, known.lastCompletion, known.lastLength);
}

/** Completions that come after a word do not count. */
function leaveThoseAfter(node: Node, text: usize, length: u32): void {
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    const refs = node.refsOf(i);
    const next = termBound(termsOf(segment), refs.from, refs.to, text, length, false);
    refs.to = termFind(termsOf(segment), refs.from, refs.to, text, length) === -1 ? next : next + 1;
  }
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
  const known = knownOf(node);
  lookAt(node.number);
  if (known !== null && known.takesAll === 0) takeListed(node, known);
  else if (node.typos > 0 && node.input.length > 0) findTypos(node);
  if (known === null) findSplit(node);
  else if (known.cut > 0) splitAt(node, known.cut);
}

/** Whether the word cut in two is a synonym anyway. */
export function isSplitKnown(node: Node): bool {
  for (let i: u32 = 0; i < node.synonymCount; i++) if (samePhrase(node.synonym(i), node.split!)) return true;
  return false;
}
