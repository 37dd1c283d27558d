/** Segmenters that take the longest dictionary word at each place: Thai, Khmer, and German compounds. */
import { lazily, readText } from "./data-files.ts";
import type { Segmenter } from "./segmenter.ts";
import { WordTrie } from "./word-trie.ts";

const germanWords = lazily(() => wordsOf("german"));
const thaiWords = lazily(() => wordsOf("thai"));
const khmerWords = lazily(() => wordsOf("khmer"));

function wordsOf(name: string): WordTrie {
  const text = readText(name);
  return WordTrie.of({ text, start: 0, end: text.length });
}

/** Characters that begin no word become words of their own. */
export const segmentThai: Segmenter = (text, start, end, cuts) => cutSingly(thaiWords(), text, start, end, cuts);
export const segmentKhmer: Segmenter = (text, start, end, cuts) => cutSingly(khmerWords(), text, start, end, cuts);

/** Characters that begin no part of a compound stay together until the next part. */
export const segmentGerman: Segmenter = (text, start, end, cuts) => {
  const words = germanWords();
  let unknownFrom = start;
  let at = start;
  while (at < end) {
    const wordEnd = words.longest(text, at, end);
    if (wordEnd < 0) {
      at++;
      continue;
    }
    if (unknownFrom < at) cuts.push(at);
    cuts.push(wordEnd);
    at = wordEnd;
    unknownFrom = at;
  }
  if (unknownFrom < end) cuts.push(end);
};

function cutSingly(words: WordTrie, text: string, start: number, end: number, cuts: number[]): void {
  let at = start;
  while (at < end) {
    const wordEnd = words.longest(text, at, end);
    at = wordEnd < 0 ? at + (text.codePointAt(at)! > 0xffff ? 2 : 1) : wordEnd;
    cuts.push(at);
  }
}
