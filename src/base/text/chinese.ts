/**
 * Chinese words: the most probable path through all dictionary words of a sentence, then long words cut again into the
 * two- and three-character words they are made of, so that a search for a part finds the whole.
 * A unigram model of words, by dynamic programming over all places of a sentence.
 */
import { lazily, readMade } from "./data-files.ts";
import type { Segmenter } from "./segmenter.ts";
import { ROOT, WordTrie } from "./word-trie.ts";

const LINE_FEED = 0x0a;
const DIGIT_ZERO = 0x30;

interface Dictionary {
  /** Value of a word = how often it was counted. */
  words: WordTrie;
  /** Logarithm of the sum of all counts. */
  logTotal: number;
}

const dictionary = lazily((): Dictionary => {
  const words = WordTrie.in(readMade("chinese", (data) => readWords(data.toString("utf8")).bytes));
  return { words, logTotal: Math.log(words.total) };
});

/** Words, an empty line, then how often each was counted. */
function readWords(text: string): WordTrie {
  const end = text.indexOf("\n\n");
  return WordTrie.of({ text, start: 0, end }, readCounts(text, end + 2));
}

/** Numbers, a line each, up to the end. */
function readCounts(text: string, start: number): number[] {
  const counts: number[] = [];
  let count = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) {
      counts.push(count);
      count = 0;
    } else {
      count = count * 10 + unit - DIGIT_ZERO;
    }
  }
  counts.push(count);
  return counts;
}

/** Characters that may stand in a dictionary word; any other is a word of its own. */
const IN_DICTIONARY =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2ebef}\u{2f800}-\u{2fa1f}a-zA-Z0-9+#&._%-]/u;

let scores = new Float64Array(256);
let steps = new Int32Array(256);

export const segmentChinese: Segmenter = (text, start, end, cuts) => {
  let at = start;
  while (at < end) {
    const from = at;
    while (at < end && IN_DICTIONARY.test(characterAt(text, at))) at += unitsAt(text, at);
    if (at > from) cutSentence(text, from, at, cuts);
    if (at < end) {
      at += unitsAt(text, at);
      cuts.push(at);
    }
  }
};

/** Dictionary characters only: cut along the best path, single ASCII letters and digits joined again. */
function cutSentence(text: string, start: number, end: number, cuts: number[]): void {
  const { words, logTotal } = dictionary();
  findPath(words, logTotal, text, start, end);
  let at = start;
  let joinedFrom = -1;
  while (at < end) {
    const wordEnd = at + steps[at - start]!;
    if (wordEnd === at + 1 && isAsciiAlphanumeric(text.charCodeAt(at))) {
      if (joinedFrom < 0) joinedFrom = at;
      at = wordEnd;
      continue;
    }
    if (joinedFrom >= 0) cuts.push(at);
    joinedFrom = -1;
    cutWord(words, text, at, wordEnd, cuts);
    at = wordEnd;
  }
  if (joinedFrom >= 0) cuts.push(end);
}

/** Leaves in `steps` how many units the best word takes at each place; from the end backwards. */
function findPath(words: WordTrie, logTotal: number, text: string, start: number, end: number): void {
  const length = end - start;
  if (steps.length <= length) {
    scores = new Float64Array(length * 2);
    steps = new Int32Array(length * 2);
  }
  scores[length] = 0;
  for (let from = end - 1; from >= start; from--) {
    let best = Number.NEGATIVE_INFINITY;
    let step = 0;
    let node = ROOT;
    for (let at = from; at < end; at++) {
      node = words.child(node, text.charCodeAt(at));
      if (node === 0) break;
      const count = words.value(node);
      if (count === 0) continue;
      const score = Math.log(count) - logTotal + scores[at + 1 - start]!;
      if (score >= best) {
        best = score;
        step = at + 1 - from;
      }
    }
    if (step === 0) {
      step = unitsAt(text, from);
      best = scores[from + step - start]! - logTotal;
    }
    scores[from - start] = best;
    steps[from - start] = step;
  }
}

/** From left to right: two characters if they are a word, else three, else one. */
function cutWord(words: WordTrie, text: string, start: number, end: number, cuts: number[]): void {
  if (characterEnd(text, start, end, 3) < 0 || isAsciiWord(text, start, end)) {
    cuts.push(end);
    return;
  }
  let at = start;
  while (at < end) {
    const two = characterEnd(text, at, end, 2);
    const three = characterEnd(text, at, end, 3);
    if (two > 0 && words.has(text, at, two)) at = two;
    else if (three > 0 && words.has(text, at, three)) at = three;
    else at += unitsAt(text, at);
    cuts.push(at);
  }
}

/** Where the next `count` characters end, or -1 if fewer are left. */
function characterEnd(text: string, start: number, end: number, count: number): number {
  let at = start;
  for (let taken = 0; taken < count; taken++) {
    if (at >= end) return -1;
    at += unitsAt(text, at);
  }
  return at;
}

function isAsciiWord(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isAsciiAlphanumeric(text.charCodeAt(at))) return false;
  return true;
}

function isAsciiAlphanumeric(unit: number): boolean {
  const letter = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (unit < 0x80 && letter >= 0x61 && letter <= 0x7a);
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!);
}

function unitsAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
