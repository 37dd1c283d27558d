/**
 * The words of a text of one script, straight from UTF-8 bytes. ASCII words are put in lower case here; letters outside
 * ASCII come from tables that the host fills, one for each script that needs no segmenter; whatever else stands in a word
 * is left to the host, once for every different piece of text.
 */

import { addTo, SET_BYTES, upperBits } from "../../shared/assembly/byte-set";
import {
  BEFORE_SPACE,
  CHARACTER_ODD,
  CHARACTER_UNKNOWN,
  CHARACTERS_END,
  characterBytes,
  codePointAt,
  HARD,
  lowerCase,
  SYMBOL,
  WIDE,
  WORD,
  WORD_BYTES_MAX,
} from "../../shared/assembly/characters";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Entry, Table } from "../../shared/assembly/table";
import { Field, POSITIONS } from "./fields";
import { character, lemma } from "./host";
import { addOccurrence, terms } from "./words";

const SPACE: u32 = 0x20;
/** More than a word and all that one character becomes. */
const SCRATCH_BYTES: usize = 1024;
/** Bytes of a word that are read at once. */
const BLOCK_BYTES: usize = 16;

/** What the host says of a piece: it separates (up to here); it is nothing; it takes a position; it is a word, in the scratch. */
const PIECE_HARD: u32 = 1;
const PIECE_EMPTY: u32 = 2;
const PIECE_SKIPPED: u32 = 3;
const PIECE_WORD: u32 = 4;

const CHARACTER_TABLE_BYTES: usize = (<usize>CHARACTERS_END) << 3;
const CHARACTER_TABLES: u32 = 5;
/** Scripts of runs, as the host numbers them; all others are in the tables alone. */
export const SCRIPT_OTHER: u32 = 0;
export const SCRIPT_LATIN: u32 = 1;
const SCRIPTS_MAX: u32 = 32;

/** What each byte does; what each UTF-16 unit does and of which script it is: all written by the host. */
export let byteClasses: usize = 0;
export let unitClasses: usize = 0;
export let unitScripts: usize = 0;
/** By script: the number of its table of characters, plus one; 0 for those that the host reads. */
export let scriptTables: usize = 0;
/** Eight bytes for each character, table after table. */
export let characters: usize = 0;
/** For each ASCII character, the lengths of stop words that begin with it as bits; 31 stands for all above. */
export let stopLengths: usize = 0;
export let scratch: usize = 0;

/** Which ASCII characters belong to words. */
let wordsByLow: v128 = i64x2.splat(0);

let hasStopWords: bool = false;
let plainLanguage: u32 = 0;
let stopWords: Table = changetype<Table>(0);
/** By script: a table of the pieces that the host was asked about; value is the kind, more the term. */
let pieceTables: usize = 0;

/** Distance of the next word of the value: see `base/text/distance.ts`. And the position of the word before it. */
export let gap: u32 = 0;
export let started: bool = false;
export let position: u32 = 0;
/** The table of the script that is being read. */
let table: usize = 0;

/** Tables that last as long as the settings do not change. */
export function layTextTables(): void {
  byteClasses = allocate(256);
  unitClasses = allocate(1 << 16);
  unitScripts = allocate(1 << 16);
  scriptTables = allocate(SCRIPTS_MAX);
  characters = allocate(<usize>CHARACTER_TABLES * CHARACTER_TABLE_BYTES);
  stopLengths = allocate(128 * 4);
  scratch = allocate(SCRATCH_BYTES + BLOCK_BYTES);
}

function layHalves(): void {
  memory.fill(scratch, 0, SET_BYTES);
  for (let byte: u32 = 0; byte < 0x80; byte++) if (load<u8>(byteClasses + byte) === WORD) addTo(scratch, byte);
  wordsByLow = v128.load(scratch);
}

/** `plain`: no language in particular. */
export function openText(plain: u32): void {
  hasStopWords = false;
  plainLanguage = plain;
  layHalves();
  stopWords = newTable();
  pieceTables = allocateZeros((<usize>SCRIPTS_MAX) << 2);
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

/** Where the distance to the next word stands, and at which position. */
export function setDistance(nextGap: u32, hasStarted: bool, at: u32): void {
  gap = nextGap;
  started = hasStarted;
  position = at;
}

/** What the character at `at` does; WIDE only if it belongs to a word. */
function classAt(at: usize): u32 {
  const kind = <u32>load<u8>(byteClasses + load<u8>(at));
  if (kind !== WIDE) return kind;
  const codePoint = codePointAt(at);
  return codePoint > 0xffff ? WIDE : <u32>load<u8>(unitClasses + codePoint);
}

/** Whether a script has a table of characters. */
export function hasTable(script: u32): bool {
  return load<u8>(scriptTables + script) !== 0;
}

/**
 * Reads the words of the run `[start, end)` to the field. Of a text whose only script can be Latin `script` may be left
 * open: NO_SCRIPT. Up to 16 bytes behind are read.
 */
export function readRun(field: Field, start: usize, end: usize, script: u32, language: u32): void {
  const classes = byteClasses;
  const spelling = scratch;
  let own = script;
  let at = start;
  table =
    characters +
    (<usize>max(<u32>load<u8>(scriptTables + (script === NO_SCRIPT ? SCRIPT_LATIN : script)), 1) - 1) *
      CHARACTER_TABLE_BYTES;
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
      separate(hard);
      continue;
    }
    if (kind === SYMBOL) {
      at += characterBytes(load<u8>(at));
      pieceLength = NEEDS_HOST;
    } else {
      at = readAscii(at, end);
      const length = <u32>(at - from);
      if (at === end || <u32>load<u8>(classes + load<u8>(at)) > WIDE) {
        if (!step()) return;
        if (length <= WORD_BYTES_MAX && !isStopWord(from, length)) {
          addOccurrence(terms.entry(spelling, length), field, position);
        }
        continue;
      }
      at = readWide(at, end, length, script === NO_SCRIPT ? SCRIPT_LATIN : script);
    }
    if (own === NO_SCRIPT) own = hasLatin(start, end) ? SCRIPT_LATIN : SCRIPT_OTHER;
    if (!readPiece(field, from, <u32>(at - from), own, language)) return;
  }
}

/** Puts what belongs to a word from `from` on into the scratch, in lower case and as far as it fits; returns where it ends. */
function readAscii(from: usize, end: usize): usize {
  let at = from;
  let to = scratch;
  const limit = scratch + SCRATCH_BYTES;
  let ends: u32 = 0;
  while (true) {
    const block = v128.load(at);
    const low = i8x16.swizzle(wordsByLow, v128.and(block, i8x16.splat(15)));
    const high = i8x16.swizzle(upperBits(), i8x16.shr_u(block, 4));
    ends = i8x16.bitmask(i8x16.eq(v128.and(low, high), i8x16.splat(0)));
    const isUpper = i8x16.lt_u(i8x16.sub(block, i8x16.splat(0x41)), i8x16.splat(26));
    if (to < limit) v128.store(to, v128.or(block, v128.and(isUpper, i8x16.splat(0x20))));
    const left = end - at;
    if (left < BLOCK_BYTES) ends |= (<u32>1) << (<u32>left);
    if (ends !== 0) break;
    at += BLOCK_BYTES;
    to += BLOCK_BYTES;
  }
  return at + ctz(ends);
}

/** No script was found yet. */
export const NO_SCRIPT: u32 = u32.MAX_VALUE;

/** Several separators in a row count once, and those before the first word not at all. */
function separate(hard: bool): void {
  if (started) gap = hard ? 8 : max(gap, 1);
}

/** To the position of the next word; false when there is no room for it. */
function step(): bool {
  position += gap;
  gap = 1;
  started = true;
  return position < POSITIONS;
}

/** Places a word that is not plain ASCII; false when there is no room for more. */
function readPiece(field: Field, from: usize, length: u32, script: u32, language: u32): bool {
  let piece: u32;
  let term: usize = 0;
  if (pieceLength === NEEDS_HOST || script === SCRIPT_OTHER || language !== plainLanguage || hasStopWords) {
    piece = askHost(from, length, script, language);
    term = pieceTerm;
  } else {
    piece = pieceLength === 0 ? PIECE_EMPTY : pieceLength > WORD_BYTES_MAX ? PIECE_SKIPPED : PIECE_WORD;
  }
  if (piece <= PIECE_HARD) {
    separate(piece === PIECE_HARD);
    return true;
  }
  if (piece === PIECE_EMPTY) {
    started = true;
    return true;
  }
  if (!step()) return false;
  if (piece === PIECE_WORD) {
    addOccurrence(term === 0 ? terms.entry(scratch, pieceLength) : changetype<Entry>(term), field, position);
  }
  return true;
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
function readWide(from: usize, end: usize, length: u32, script: u32): usize {
  let at = from;
  let odd = length > WORD_BYTES_MAX;
  let to: u32 = odd ? 0 : length;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    const kind = classAt(at);
    if (kind > WIDE) break;
    if (kind === WORD) {
      store<u8>(scratch + to++, lowerCase(byte));
    } else if (kind !== WIDE) {
      odd = true;
    } else {
      const codePoint = codePointAt(at);
      const place = table + ((<usize>codePoint) << 3);
      let known = codePoint < CHARACTERS_END ? <u32>load<u8>(place) : CHARACTER_ODD;
      if (known === CHARACTER_UNKNOWN) {
        character(codePoint, script, place);
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
function askHost(bytes: usize, length: u32, script: u32, language: u32): u32 {
  const isKept = language === plainLanguage;
  const pieces = piecesOf(script);
  let entry = changetype<Entry>(0);
  if (isKept) {
    entry = pieces.entry(bytes, length);
    if (!pieces.isNew) {
      pieceTerm = entry.more;
      return entry.value;
    }
  }
  const answer = lemma(bytes, length, script, language);
  const kind = answer & 0xff;
  pieceTerm = kind === PIECE_WORD ? changetype<usize>(terms.entry(scratch, answer >> 8)) : 0;
  if (isKept) {
    entry.value = kind;
    entry.more = <u32>pieceTerm;
  }
  return kind;
}

function piecesOf(script: u32): Table {
  const place = pieceTables + ((<usize>script) << 2);
  if (load<u32>(place) === 0) store<u32>(place, <u32>changetype<usize>(newTable()));
  return changetype<Table>(load<u32>(place));
}

/** Whether any letter of a readable text has a script; it is Latin then. */
function hasLatin(start: usize, end: usize): bool {
  for (let at = start; at < end; ) {
    const codePoint = codePointAt(at);
    if (codePoint <= 0xffff && load<u8>(unitScripts + codePoint) === SCRIPT_LATIN) return true;
    at += characterBytes(load<u8>(at));
  }
  return false;
}
