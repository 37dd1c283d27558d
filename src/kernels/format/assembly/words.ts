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
  SOFT,
  SYMBOL,
  WIDE,
  WORD,
  WORD_BYTES_MAX,
} from "../../shared/assembly/characters";
import { BACKSLASH, QUOTE, SPACE } from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { character } from "./host";
import { findTerm, firstHash, isPrefix, nextHash, prefixLengths, TERM_BYTES_MAX, Term, wholeLengths } from "./terms";

const SCRATCH_BYTES: usize = 512;

/** What each byte, and each UTF-16 unit, does; what characters become, eight bytes each: all written by the host. */
export let byteClasses: usize = 0;
export let unitClasses: usize = 0;
export let characters: usize = 0;

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

export function classOf(byte: u32): u32 {
  return <u32>load<u8>(byteClasses + byte);
}

/** What the character at `at` does. */
function classAt(at: usize): u32 {
  const byte = <u32>load<u8>(at);
  if (byte === BACKSLASH) return classOfEscape(load<u8>(at, 1));
  if (byte < 0x80) return classOf(byte);
  const codePoint = codePointAt(at);
  return codePoint > 0xffff ? ODD : <u32>load<u8>(unitClasses + codePoint);
}

/** Escapes stand for separators, in most indexes: another one, or one that JSON does not need, is the host's. */
function classOfEscape(letter: u32): u32 {
  let byte: u32 = 0;
  if (letter === QUOTE || letter === BACKSLASH) byte = letter;
  else if (letter === 0x6e) byte = 0x0a;
  else if (letter === 0x74) byte = 0x09;
  else if (letter === 0x72) byte = 0x0d;
  else return ODD;
  const kind = classOf(byte);
  return kind < SOFT ? ODD : kind;
}

/** Bytes of the character at `at`, in JSON. */
function spelledBytes(at: usize): u32 {
  const byte = <u32>load<u8>(at);
  return byte === BACKSLASH ? 2 : characterBytes(byte);
}

/** Behind the separators at `at`; 0 when the host has to read the text. */
export function passSeparators(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte === SPACE && classOf(SPACE) === SOFT) {
      at++;
      continue;
    }
    const kind = classAt(at);
    if (kind === SYMBOL || kind === ODD) return 0;
    if (kind < SOFT) break;
    at += spelledBytes(at);
  }
  return at;
}

/** Behind the word at `at`, which is of no interest; 0 when the host has to read the text. */
export function passWord(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte !== BACKSLASH && classOf(byte) === WORD) {
      at++;
      continue;
    }
    const kind = classAt(at);
    if (kind === SYMBOL || kind === ODD || (kind === WIDE && placeOf(at) === 0)) return 0;
    if (kind > WIDE) break;
    at += spelledBytes(at);
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
    if (byte !== BACKSLASH && classOf(byte) === WORD) {
      addByte(lowerCase(byte));
      at++;
    } else {
      const kind = classAt(at);
      if (kind > WIDE && kind !== SYMBOL) break;
      if (kind !== WIDE) return false;
      const place = placeOf(at);
      if (place === 0) return false;
      const length = <u32>load<u8>(place) - 1;
      for (let i: u32 = 1; i <= length; i++) addByte(load<u8>(place + i));
      isPlain = false;
      at += spelledBytes(at);
    }
    if (lemmaLength > WORD_BYTES_MAX) return false;
  }
  wordEnd = at;
  const isLooked = lemmaLength <= TERM_BYTES_MAX && ((wholeLengths >> lemmaLength) & 1) !== 0;
  whole = isLooked ? findTerm(lemma, lemmaLength, hash) : null;
  return true;
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
