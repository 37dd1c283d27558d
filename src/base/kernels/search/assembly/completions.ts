/** Words that begin with a prefix: whether they are so many that they are searched as one, otherwise which they are. */
import { termText } from "../../dictionary/assembly/walk";
import { index, segmentAt, segmentCount, termsOf } from "./index-of";
import { Node } from "./nodes";
import { keep, mark, release, stack } from "./room";
import { findWord, TERM_BYTES, Word, wordOfTerm } from "./words";

/** Prefixes of so few bytes that so many words share are searched as one word. */
const COMMON_WORDS_MIN: u32 = 100;
const COMMON_BYTES_MAX: u32 = 4;
const COMPLETIONS_MAX: u32 = 1000;

function termCountOf(node: Node): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < segmentCount; i++) sum += node.refsOf(i).to - node.refsOf(i).from;
  return sum;
}

/** Whether every term counts, since its documents are there and tolerate typos. */
function allCount(): bool {
  return index.hasDeletes === 0 && index.toleratesEverywhere !== 0;
}

export function isCommonPrefix(node: Node): bool {
  const length = node.input.length;
  if (length === 0 || length > COMMON_BYTES_MAX) return false;
  const sum = termCountOf(node);
  if (sum < COMMON_WORDS_MIN) return false;
  if (allCount()) {
    for (let i: u32 = 0; i < segmentCount; i++) {
      if (node.refsOf(i).to - node.refsOf(i).from >= COMMON_WORDS_MIN) return true;
    }
    if (segmentCount === 1) return false;
  }
  const before = mark();
  openMerge(node);
  let count: u32 = 0;
  while (count < COMMON_WORDS_MIN && nextWord(node)) {
    if (allCount() || wordOfTerm(segmentAt(mergedSegment), mergedOrdinal).isTolerant !== 0) count++;
  }
  release(before);
  return count === COMMON_WORDS_MIN;
}

/** Lists the completions, if they are not simply all words that begin so. */
export function completeWords(node: Node): void {
  const sum = termCountOf(node);
  const isWord = findWord(node.input.text, node.input.length);
  if (index.hasDeletes === 0) {
    if (sum <= COMPLETIONS_MAX) return;
    if (segmentCount === 1) {
      const refs = node.refsOf(0);
      const own: u32 = isWord.ordinal(0) === -1 ? 0 : 1;
      refs.to = min(refs.to, refs.from + own + COMPLETIONS_MAX);
      return;
    }
  }
  node.listed = keep((<usize>min(COMPLETIONS_MAX, sum)) << 2);
  const before = mark();
  openMerge(node);
  while (node.listedCount < COMPLETIONS_MAX && nextWord(node)) {
    const word = wordOfTerm(segmentAt(mergedSegment), mergedOrdinal);
    if (word === isWord || word.exists === 0) continue;
    store<u32>(node.listed + ((<usize>node.listedCount) << 2), <u32>changetype<usize>(word));
    node.listedCount++;
  }
  release(before);
}

/** By segment: the ordinal it stands on, and the text of that. */
let ordinalsAt: usize = 0;
let textsAt: usize = 0;
let lengthsAt: usize = 0;
let mergedSegment: u32 = 0;
let mergedOrdinal: u32 = 0;

/** To go through the terms of all segments in byte order, each once; on the stack. */
function openMerge(node: Node): void {
  ordinalsAt = stack((<usize>segmentCount) << 2);
  lengthsAt = stack((<usize>segmentCount) << 2);
  textsAt = stack(<usize>segmentCount * TERM_BYTES);
  for (let i: u32 = 0; i < segmentCount; i++) stand(node, i, node.refsOf(i).from);
}

function stand(node: Node, i: u32, ordinal: u32): void {
  store<u32>(ordinalsAt + ((<usize>i) << 2), ordinal);
  if (ordinal >= node.refsOf(i).to) return;
  const segment = segmentAt(i);
  const length = termText(termsOf(segment), ordinal, textsAt + <usize>i * TERM_BYTES);
  store<u32>(lengthsAt + ((<usize>i) << 2), length);
}

function nextWord(node: Node): bool {
  let least: u32 = segmentCount;
  for (let i: u32 = 0; i < segmentCount; i++) {
    if (ordinalOf(i) >= node.refsOf(i).to) continue;
    if (least === segmentCount || compareStanding(i, least) < 0) least = i;
  }
  if (least === segmentCount) return false;
  mergedSegment = least;
  mergedOrdinal = ordinalOf(least);
  for (let i: u32 = least + 1; i < segmentCount; i++) {
    if (ordinalOf(i) < node.refsOf(i).to && compareStanding(i, least) === 0) stand(node, i, ordinalOf(i) + 1);
  }
  stand(node, least, mergedOrdinal + 1);
  return true;
}

function ordinalOf(i: u32): u32 {
  return load<u32>(ordinalsAt + ((<usize>i) << 2));
}

function compareStanding(a: u32, b: u32): i32 {
  const aLength = load<u32>(lengthsAt + ((<usize>a) << 2));
  const bLength = load<u32>(lengthsAt + ((<usize>b) << 2));
  const order = memory.compare(textsAt + <usize>a * TERM_BYTES, textsAt + <usize>b * TERM_BYTES, min(aLength, bLength));
  return order !== 0 ? order : <i32>aLength - <i32>bLength;
}

export function listedWord(node: Node, i: u32): Word {
  return changetype<Word>(<usize>load<u32>(node.listed + ((<usize>i) << 2)));
}
