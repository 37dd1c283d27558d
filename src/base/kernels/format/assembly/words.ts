/**
 * The words of a text inside a JSON string, each brought to its normalized form while it is read, and looked up while it is
 * brought there. Reads what tables decide: ASCII, Latin letters, punctuation, plain escapes. All else is left to the host.
 */
import {
  CHARACTER_ODD,
  CHARACTER_UNKNOWN,
  CHARACTERS_END,
  characterBytes,
  codePointAt,
  lowerCase,
  ODD,
  SECOND,
  SOFT,
  SYMBOL,
  WIDE,
  WORD,
  WORD_BYTES_MAX,
} from "../../shared/assembly/characters";
import { BACKSLASH, QUOTE } from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { noteClasses } from "./ahead";
import { character } from "./host";
import { findTerm, firstHash, isPrefix, nextHash, prefixLengths, TERM_BYTES_MAX, Term, wholeLengths } from "./terms";

/** A class of this file alone: what follows says what the character is. */
const ESCAPE: u32 = 7;

export const TAB: u32 = 0x09;
const LINE_FEED: u32 = 0x0a;
export const CARRIAGE_RETURN: u32 = 0x0d;
const SMALL_N: u32 = 0x6e;
const SMALL_R: u32 = 0x72;
const SMALL_T: u32 = 0x74;

const SCRATCH_BYTES: usize = 512;

/** What each byte, and each UTF-16 unit, does; what characters become, eight bytes each: all written by the host. */
export let byteClasses: usize = 0;
export let unitClasses: usize = 0;
export let characters: usize = 0;
let backslashClass: u32 = 0;

/** Of the word read last: where it ends, its normalized form, whether it is its own in another letter case. */
export let wordEnd: usize = 0;
export let lemma: usize = 0;
export let lemmaLength: u32 = 0;
export let isPlain: bool = false;
/** The term that it is, and the prefix that it begins with. */
export let whole: Term | null = null;
export let prefix: Term | null = null;
let hash: u32 = 0;

export function layWords(): void {
  byteClasses = allocate(256);
  unitClasses = allocate(1 << 16);
  characters = allocate((<usize>CHARACTERS_END) << 3);
  lemma = allocate(SCRATCH_BYTES);
}

/** Once the host has written the classes: in JSON a backslash begins an escape and is nothing by itself. */
export function noteEscapes(): void {
  backslashClass = load<u8>(byteClasses + BACKSLASH);
  store<u8>(byteClasses + BACKSLASH, ESCAPE);
  noteClasses(byteClasses);
}

function classOf(byte: u32): u32 {
  return <u32>load<u8>(byteClasses + byte);
}

/** What a character does that is not plain ASCII: escapes of separators separate, others are the host's. */
function classAt(at: usize, kind: u32): u32 {
  if (kind === ESCAPE) return classOfEscape(load<u8>(at, SECOND));
  if (kind !== WIDE) return kind;
  const codePoint = codePointAt(at);
  return codePoint > 0xffff ? ODD : <u32>load<u8>(unitClasses + codePoint);
}

function classOfEscape(letter: u32): u32 {
  let kind = ODD;
  if (letter === QUOTE) kind = classOf(QUOTE);
  else if (letter === BACKSLASH) kind = backslashClass;
  else if (letter === SMALL_N) kind = classOf(LINE_FEED);
  else if (letter === SMALL_T) kind = classOf(TAB);
  else if (letter === SMALL_R) kind = classOf(CARRIAGE_RETURN);
  return kind < SOFT ? ODD : kind;
}

/** Bytes of a character, in JSON. */
function spelledBytes(at: usize, kind: u32): u32 {
  return kind === ESCAPE ? 2 : characterBytes(load<u8>(at));
}

/** Whether a token of its own is at `at`, where a word may begin. */
export function isSymbol(at: usize): bool {
  const kind = classOf(load<u8>(at));
  return kind === WIDE && classAt(at, kind) === SYMBOL;
}

/** Behind the separators at `at`; 0 when the host has to read the text. */
export function passSeparators(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const kind = classOf(load<u8>(at));
    if (kind === WORD) break;
    if (kind >= SOFT && kind < SYMBOL) {
      at++;
      continue;
    }
    const own = classAt(at, kind);
    if (own === ODD) return 0;
    if (own < SOFT || own === SYMBOL) break;
    at += spelledBytes(at, kind);
  }
  return at;
}

/** Behind the word at `at`, which is of no interest; 0 when the host has to read the text. */
export function passWord(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const kind = classOf(load<u8>(at));
    if (kind === WORD) {
      at++;
      continue;
    }
    if (kind >= SOFT && kind < SYMBOL) break;
    const own = classAt(at, kind);
    if (own === ODD || (own === WIDE && placeOf(at) === 0)) return 0;
    if (own > WIDE) break;
    at += characterBytes(load<u8>(at));
  }
  return at;
}

/** Where the table says what a wide character becomes; 0 when only the host can say it. */
function placeOf(at: usize): usize {
  const codePoint = codePointAt(at);
  if (codePoint >= CHARACTERS_END) return 0;
  const place = characters + ((<usize>codePoint) << 3);
  if (load<u8>(place) === CHARACTER_UNKNOWN) character(codePoint, place);
  return load<u8>(place) === CHARACTER_ODD ? 0 : place;
}

/** Reads the word at `at`; false when the host has to read the text. */
export function readWord(from: usize, end: usize): bool {
  let at = from;
  lemmaLength = 0;
  hash = firstHash();
  prefix = null;
  isPlain = true;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    const kind = classOf(byte);
    if (kind === WORD) {
      addByte(lowerCase(byte));
      at++;
    } else {
      const own = classAt(at, kind);
      // A token of its own, where a word is asked for, is the host's.
      if (own > WIDE && (own !== SYMBOL || at > from)) break;
      if (own !== WIDE) return false;
      const place = placeOf(at);
      if (place === 0) return false;
      const length = <u32>load<u8>(place) - 1;
      for (let i: u32 = 1; i <= length; i++) addByte(load<u8>(place + i));
      isPlain = false;
      at += characterBytes(byte);
    }
    if (lemmaLength > WORD_BYTES_MAX) return false;
  }
  wordEnd = at;
  whole = wholeTerm();
  return true;
}

function wholeTerm(): Term | null {
  const isLooked = lemmaLength <= TERM_BYTES_MAX && ((wholeLengths >> lemmaLength) & 1) !== 0;
  return isLooked ? findTerm(lemma, lemmaLength, hash) : null;
}

/** False when the Latin word at `at`, which begins in ASCII, is no term and begins with none. */
export function mayFit(from: usize, end: usize): bool {
  lemmaLength = 0;
  hash = firstHash();
  prefix = null;
  let at = from;
  while (at < end && classOf(load<u8>(at)) === WORD) {
    addByte(lowerCase(load<u8>(at++)));
    if (prefix !== null || lemmaLength > TERM_BYTES_MAX) return true;
  }
  return (at < end && classAt(at, classOf(load<u8>(at))) < SOFT) || wholeTerm() !== null;
}

function addByte(byte: u32): void {
  store<u8>(lemma + lemmaLength, byte);
  lemmaLength++;
  hash = nextHash(hash, byte);
  if (lemmaLength <= TERM_BYTES_MAX && ((prefixLengths >> lemmaLength) & 1) !== 0) lookUpPrefix();
}

function lookUpPrefix(): void {
  const term = findTerm(lemma, lemmaLength, hash);
  if (term === null || !isPrefix(term)) return;
  const best = prefix;
  if (best === null || term.order < best.order) prefix = term;
}
