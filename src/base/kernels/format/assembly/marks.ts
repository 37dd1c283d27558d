/**
 * Where in a text stands what a query stands for. One pass from left to right: at each word the phrases that begin with it,
 * then the word itself, then the prefixes; the first that fits wins.
 */
import { characterBytes, lowerCase, SECOND } from "../../shared/assembly/characters";
import { BACKSLASH } from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { nextWanted } from "./ahead";
import { mayBeginWide } from "./beginnings";
import { mayBegin, mayBeginPair, Phrase, STOP, WHOLE, Word } from "./terms";
import {
  isPlain,
  isSymbol,
  lemma,
  lemmaLength,
  passSeparators,
  passWord,
  prefix,
  readWord,
  whole,
  wordEnd,
} from "./words";

/** With more of them a text is the host's. */
const MARKS_MAX: u32 = 4096;

/** Where a mark begins, and where it ends. */
@unmanaged
class Mark {
  start: u32;
  end: u32;
}

let marks: usize = 0;
export let markCount: u32 = 0;

export function layMarks(): void {
  marks = allocate(<usize>MARKS_MAX * offsetof<Mark>());
}

export function markAt(i: u32): Mark {
  return changetype<Mark>(marks + <usize>i * offsetof<Mark>());
}

/** Of the text `[start, end)`, which is of Latin script; false when the host has to find them. */
export function findMarks(start: usize, end: usize): bool {
  markCount = 0;
  let at = start;
  while (true) {
    at = passSeparators(nextWanted(at, end), end);
    if (at === 0) return false;
    if (at === end) return true;
    const byte = <u32>load<u8>(at);
    if (isSymbol(at)) {
      if (mayBeginWide(at)) return false;
      at += characterBytes(byte);
      continue;
    }
    if (byte < 0x80 && !mayBeginAt(at, end)) {
      at = passWord(at, end);
      if (at === 0) return false;
      continue;
    }
    at = markWord(at, end);
    if (at === 0) return false;
  }
}

/** False when no term begins like the word at `at`, the first letter of which is ASCII. */
function mayBeginAt(at: usize, end: usize): bool {
  const first = lowerCase(load<u8>(at));
  if (!mayBegin(first)) return false;
  if (at + 1 === end) return true;
  const second = <u32>load<u8>(at, SECOND);
  return second >= 0x80 || second === BACKSLASH || mayBeginPair(first, lowerCase(second));
}

/** Marks what begins with the word at `from`, if anything; behind what was read. 0 when the host has to read the text. */
function markWord(from: usize, end: usize): usize {
  if (!readWord(from, end)) return 0;
  const behind = wordEnd;
  const term = whole;
  const begun = prefix;
  const plain = isPlain;
  if (term !== null && term.phrases !== 0) {
    for (let phrase = term.phrases; phrase !== 0; phrase = changetype<Phrase>(phrase).next) {
      const last = phraseEnd(changetype<Phrase>(phrase), behind, end);
      if (last === HOST) return 0;
      if (last !== 0) return mark(from, last) ? last : 0;
    }
  }
  if (term !== null && (term.kinds & WHOLE) !== 0) return mark(from, behind) ? behind : 0;
  if (begun === null) {
    if (term === null || (term.kinds & STOP) === 0) return behind;
    return mark(from, behind) ? behind : 0;
  }
  const marked = from + begun.marked;
  // Where a word is not its own normalized form, only ASCII at its beginning shows how far the prefix reaches.
  if (!plain && (marked > behind || !isAscii(from, marked))) return 0;
  return mark(from, marked) ? behind : 0;
}

const HOST: usize = usize.MAX_VALUE;

/** Behind the words of a phrase, the first of which ends at `from`; 0 when others stand there. */
function phraseEnd(phrase: Phrase, from: usize, end: usize): usize {
  let at = from;
  for (let i: u32 = 1; i < phrase.count; i++) {
    at = passSeparators(at, end);
    if (at === 0) return HOST;
    if (at === end) return 0;
    if (!readWord(at, end)) return HOST;
    const word = changetype<Word>(phrase.words + <usize>i * offsetof<Word>());
    if (word.length !== lemmaLength || memory.compare(word.at, lemma, word.length) !== 0) return 0;
    at = wordEnd;
  }
  return at;
}

function mark(from: usize, to: usize): bool {
  if (markCount === MARKS_MAX) return false;
  const own = markAt(markCount++);
  own.start = <u32>from;
  own.end = <u32>to;
  return true;
}

function isAscii(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}
