/**
 * The words of a text, straight from UTF-8 bytes. ASCII words are put in lower case here; Latin letters outside ASCII
 * come from a table that the host fills; whatever else stands in a word is left to the host, once for every different
 * piece of text. Texts with other scripts are the host's altogether.
 */

import { allocate } from "../../shared/assembly/region";
import { Entry, Table } from "../../shared/assembly/table";
import { Field, POSITIONS } from "./fields";
import { character, lemma, words } from "./host";
import { addOccurrence, openValue, terms } from "./words";

/** What a byte does: part of a word; a blank or control character in a word; first of a character outside ASCII. */
const WORD: u32 = 0;
const WIDE: u32 = 2;
/** Separators; the last one is hard together with a space behind it, else soft. */
const HARD: u32 = 4;
const BEFORE_SPACE: u32 = 5;
/** A token of its own whose kind only the host knows. */
const SYMBOL: u32 = 6;

const SPACE: u32 = 0x20;
const WORD_BYTES_MAX: u32 = 250;
/** More than a word and all that one character becomes. */
const SCRATCH_BYTES: usize = 1024;

/** What the host says of a piece: it separates (up to here); it is nothing; it takes a position; it is a word, in the scratch. */
const PIECE_HARD: u32 = 1;
const PIECE_EMPTY: u32 = 2;
const PIECE_SKIPPED: u32 = 3;
const PIECE_WORD: u32 = 4;

/** Characters from here on are in no table. */
const CHARACTERS_END: u32 = 0x2c00;
/** First byte of a character in the table: 0 when nobody asked for it, 255 when the host decides, else its length + 1. */
const CHARACTER_UNKNOWN: u32 = 0;
const CHARACTER_ODD: u32 = 255;
/** In the table of units, beside the class: the letter is Latin. */
const LATIN_BIT: u32 = 0x80;
const CLASS_MASK: u32 = 0x7f;

/** What each byte does; what each UTF-16 unit does; eight bytes for each character: all written by the host. */
export let byteClasses: usize = 0;
export let unitClasses: usize = 0;
export let characters: usize = 0;
/** For each ASCII character, the lengths of stop words that begin with it as bits; 31 stands for all above. */
export let stopLengths: usize = 0;
export let scratch: usize = 0;

let asciiExact: bool = false;
let wideExact: bool = false;
let hasStopWords: bool = false;
let plainLanguage: u32 = 0;
let stopWords: Table = changetype<Table>(0);
/** Pieces that the host was asked about, in Latin texts and in those without letters: value is the kind, more the term. */
let latinPieces: Table = changetype<Table>(0);
let otherPieces: Table = changetype<Table>(0);

/** Tables that last as long as the settings do not change. */
export function layTextTables(): void {
  byteClasses = allocate(256);
  unitClasses = allocate(1 << 16);
  characters = allocate((<usize>CHARACTERS_END) << 3);
  stopLengths = allocate(128 * 4);
  scratch = allocate(SCRATCH_BYTES);
}

/** `ascii`, `wide`: whether characters alone decide, inside ASCII and beyond. `plain`: no language in particular. */
export function openText(ascii: bool, wide: bool, plain: u32): void {
  asciiExact = ascii;
  wideExact = wide;
  hasStopWords = false;
  plainLanguage = plain;
  stopWords = newTable();
  latinPieces = newTable();
  otherPieces = newTable();
}

function newTable(): Table {
  const table = changetype<Table>(allocate(offsetof<Table>()));
  table.prepare();
  return table;
}

export function addStopWord(bytes: usize, length: u32): void {
  stopWords.entry(bytes, length);
  hasStopWords = true;
}

/** Reads the words of `[start, end)` to the field, from where it stands. Up to 16 bytes behind are read. */
export function readText(field: Field, start: usize, end: usize): void {
  if (start === end) return;
  if (!field.elsewhere && asciiExact && canRead(start, end)) readWords(field, start, end, field.language);
  else leaveToHost(field, start, end, false);
}

/** The same for numbers and truth values, which have no language. */
export function readPlain(field: Field, start: usize, end: usize): void {
  if (asciiExact) readWords(field, start, end, plainLanguage);
  else leaveToHost(field, start, end, true);
}

function leaveToHost(field: Field, start: usize, end: usize, isPlain: bool): void {
  openValue(field);
  words(changetype<usize>(field), start, <u32>(end - start), <u32>isPlain);
}

/** Whether every character is ASCII, or one that leaves the text one run of Latin script. */
function canRead(start: usize, end: usize): bool {
  let at = start;
  while (at < end) {
    while (at + 16 <= end && !v128.any_true(v128.and(v128.load(at), i8x16.splat(-128)))) at += 16;
    if (at >= end) return true;
    const byte = <u32>load<u8>(at);
    if (byte < 0x80) {
      at++;
      continue;
    }
    if (!wideExact || !isReadableWide(byte, load<u8>(at, 1))) return false;
    at += characterBytes(byte);
  }
  return true;
}

/** Latin letters, combining marks, general punctuation, symbols (U+0080-036F, U+1E00-1EFF, U+2000-2BFF), emoji (U+1F000-1FFFF). */
function isReadableWide(lead: u32, second: u32): bool {
  if (lead < 0xcd) return true;
  if (lead === 0xcd) return second < 0xb0;
  if (lead === 0xe1) return second >= 0xb8 && second <= 0xbb;
  if (lead === 0xe2) return second < 0xb0;
  return lead === 0xf0 && second === 0x9f;
}

function characterBytes(lead: u32): u32 {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

function codePointAt(at: usize): u32 {
  const lead = <u32>load<u8>(at);
  if (lead < 0x80) return lead;
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** What the character at `at` does; WIDE only if it belongs to a word. */
function classAt(at: usize): u32 {
  const kind = <u32>load<u8>(byteClasses + load<u8>(at));
  if (kind !== WIDE) return kind;
  const codePoint = codePointAt(at);
  return codePoint > 0xffff ? WIDE : <u32>load<u8>(unitClasses + codePoint) & CLASS_MASK;
}

function readWords(field: Field, start: usize, end: usize, language: u32): void {
  const classes = byteClasses;
  const spelling = scratch;
  let position = field.position;
  let gap: u32 = 0;
  let started = false;
  let isLatin: i32 = -1;
  let at = start;
  while (at < end) {
    let kind = <u32>load<u8>(classes + load<u8>(at));
    if (kind === WIDE) kind = classAt(at);
    const from = at;
    if (kind > WIDE && kind !== SYMBOL) {
      at += characterBytes(load<u8>(at));
      let hard = kind === HARD;
      if (kind === BEFORE_SPACE && at < end && load<u8>(at) === SPACE) {
        at++;
        hard = true;
      }
      if (started) gap = hard ? 8 : max(gap, 1);
      continue;
    }
    let term: Entry;
    if (kind === SYMBOL) {
      at += characterBytes(load<u8>(at));
      pieceLength = NEEDS_HOST;
    } else {
      let to = spelling;
      while (at < end) {
        const byte = <u32>load<u8>(at);
        if (load<u8>(classes + byte) !== WORD) break;
        if (to < spelling + SCRATCH_BYTES) store<u8>(to, byte + ((<u32>(byte - 0x41 < 26)) << 5));
        to++;
        at++;
      }
      const length = <u32>(to - spelling);
      if (at === end || <u32>load<u8>(classes + load<u8>(at)) > WIDE) {
        position += gap;
        gap = 1;
        started = true;
        if (position >= POSITIONS) return;
        if (length <= WORD_BYTES_MAX && !isStopWord(from, length)) {
          addOccurrence(terms.entry(spelling, length), field, position);
        }
        continue;
      }
      at = readWide(at, end, length);
    }
    if (isLatin < 0) isLatin = hasLatin(start, end) ? 1 : 0;
    let piece: u32;
    if (pieceLength === NEEDS_HOST || isLatin === 0 || language !== plainLanguage || hasStopWords) {
      piece = askHost(from, <u32>(at - from), isLatin, language);
      term = changetype<Entry>(pieceTerm);
    } else {
      piece = pieceLength === 0 ? PIECE_EMPTY : pieceLength > WORD_BYTES_MAX ? PIECE_SKIPPED : PIECE_WORD;
      term = changetype<Entry>(0);
    }
    if (piece <= PIECE_HARD) {
      if (started) gap = piece === PIECE_HARD ? 8 : max(gap, 1);
      continue;
    }
    started = true;
    if (piece === PIECE_EMPTY) continue;
    position += gap;
    gap = 1;
    if (position >= POSITIONS) return;
    if (piece === PIECE_SKIPPED) continue;
    if (changetype<usize>(term) === 0) term = terms.entry(spelling, pieceLength);
    addOccurrence(term, field, position);
  }
}

function isStopWord(bytes: usize, length: u32): bool {
  if (!hasStopWords) return false;
  const lengths = load<u32>(stopLengths + ((<usize>load<u8>(bytes)) << 2));
  return (lengths & ((<u32>1) << min(length, 31))) !== 0 && stopWords.has(bytes, length);
}

/** Length of the piece in the scratch, or that it is the host's to read. */
const NEEDS_HOST: u32 = u32.MAX_VALUE;
let pieceLength: u32 = 0;

/** Reads on in a word that has characters beyond plain ASCII from `from` on, `length` bytes being read; returns where it ends. */
function readWide(from: usize, end: usize, length: u32): usize {
  let at = from;
  let odd = length > WORD_BYTES_MAX;
  let to: u32 = odd ? 0 : length;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    const kind = classAt(at);
    if (kind > WIDE) break;
    if (kind === WORD) {
      store<u8>(scratch + to++, byte + ((<u32>(byte - 0x41 < 26)) << 5));
    } else if (kind !== WIDE) {
      odd = true;
    } else {
      const codePoint = codePointAt(at);
      const place = characters + ((<usize>codePoint) << 3);
      let known = codePoint < CHARACTERS_END ? <u32>load<u8>(place) : CHARACTER_ODD;
      if (known === CHARACTER_UNKNOWN) {
        character(codePoint);
        known = load<u8>(place);
      }
      if (known === CHARACTER_ODD) {
        odd = true;
      } else {
        store<u64>(scratch + to, load<u64>(place) >> 8);
        to += known - 1;
      }
    }
    if (to > WORD_BYTES_MAX) odd = true;
    if (odd) to = 0;
    at += characterBytes(byte);
  }
  pieceLength = odd ? NEEDS_HOST : to;
  return at;
}

let pieceTerm: usize = 0;

/** What the host says of a piece; `pieceTerm` is its term when it is a word. */
function askHost(bytes: usize, length: u32, isLatin: u32, language: u32): u32 {
  const isKept = language === plainLanguage;
  const pieces = isLatin !== 0 ? latinPieces : otherPieces;
  let entry = changetype<Entry>(0);
  if (isKept) {
    entry = pieces.entry(bytes, length);
    if (!pieces.isNew) {
      pieceTerm = entry.more;
      return entry.value;
    }
  }
  const answer = lemma(bytes, length, isLatin, language);
  const kind = answer & 0xff;
  pieceTerm = kind === PIECE_WORD ? changetype<usize>(terms.entry(scratch, answer >> 8)) : 0;
  if (isKept) {
    entry.value = kind;
    entry.more = <u32>pieceTerm;
  }
  return kind;
}

/** Whether any letter of a readable text has a script; it is Latin then. */
function hasLatin(start: usize, end: usize): bool {
  for (let at = start; at < end; ) {
    const codePoint = codePointAt(at);
    if (codePoint <= 0xffff && (<u32>load<u8>(unitClasses + codePoint) & LATIN_BIT) !== 0) return true;
    at += characterBytes(load<u8>(at));
  }
  return false;
}
