/**
 * What a query stands for: words, prefixes and phrases, found by the bytes of a word while these are read one after the
 * other. Few, and made anew for every query.
 */
import { codePointAt, SECOND } from "../../shared/assembly/characters";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { openWanted, want } from "./ahead";

/** What a term is; one may be several things. */
export const WHOLE: u32 = 1;
const PREFIX: u32 = 2;
/** Marked where nothing else fits. */
export const STOP: u32 = 4;

/** Longer ones are the host's. */
export const TERM_BYTES_MAX: u32 = 63;

const HASH_PRIME: u32 = 0x01000193;

@unmanaged
export class Term {
  hash: u32;
  bytes: usize;
  length: u32;
  kinds: u32;
  /** Of a prefix: of several the lowest is meant. And how many bytes of a word that begins with it are marked. */
  order: u32;
  marked: u32;
  /** Phrases that begin with it, in the order in which they are tried. */
  phrases: usize;
}

/** Where a word of a phrase is. */
@unmanaged
export class Word {
  at: u32;
  length: u32;
}

@unmanaged
export class Phrase {
  next: usize;
  count: u32;
  /** A `Word` for each. */
  words: usize;
}

/** Chosen by the thread, so that nobody can send words prepared to collide. */
let seed: u32 = 0;
/** Open addressing: addresses of terms, 0 when free. */
let slots: usize = 0;
let mask: u32 = 0;
let prefixCount: u32 = 0;
/** Lengths of whole words, and of prefixes, as bits. */
export let wholeLengths: u64 = 0;
export let prefixLengths: u64 = 0;
/** Whether some term begins with a character: of ASCII by itself, of others by its last bits. */
let begins: usize = 0;
const BEGINS_MASK: u32 = 0x3ff;
/** And with two bytes of ASCII, as bits; with any second one where a term is a single byte. */
let pairs: usize = 0;
const SECONDS_BYTES: usize = 16;

export function seedTerms(value: u32): void {
  seed = value;
}

/** Room for so many terms; those of the query before are forgotten. */
export function openTerms(count: u32): void {
  let size: u32 = 16;
  while (size < count << 1) size <<= 1;
  slots = allocateZeros((<usize>size) << 2);
  mask = size - 1;
  prefixCount = 0;
  wholeLengths = 0;
  prefixLengths = 0;
  begins = allocateZeros(0x80 + BEGINS_MASK + 1);
  pairs = allocateZeros(0x80 * SECONDS_BYTES);
  openWanted();
}

export function firstHash(): u32 {
  return seed;
}

export function nextHash(hash: u32, byte: u32): u32 {
  return (hash ^ byte) * HASH_PRIME;
}

/** The term of so many bytes; null when there is none. */
export function findTerm(bytes: usize, length: u32, hash: u32): Term | null {
  const found = load<u32>(slotOf(bytes, length, hash));
  return found === 0 ? null : changetype<Term>(found);
}

function slotOf(bytes: usize, length: u32, hash: u32): usize {
  let slot = (hash ^ (hash >> 15)) & mask;
  while (true) {
    const at = slots + ((<usize>slot) << 2);
    const found = load<u32>(at);
    if (found === 0) return at;
    const term = changetype<Term>(found);
    if (term.hash === hash && term.length === length && memory.compare(term.bytes, bytes, length) === 0) return at;
    slot = (slot + 1) & mask;
  }
}

function termOf(bytes: usize, length: u32): Term {
  let hash = seed;
  for (let i: u32 = 0; i < length; i++) hash = nextHash(hash, load<u8>(bytes + i));
  const slot = slotOf(bytes, length, hash);
  const known = load<u32>(slot);
  if (known !== 0) return changetype<Term>(known);
  const term = changetype<Term>(allocateZeros(offsetof<Term>()));
  term.hash = hash;
  term.bytes = bytes;
  term.length = length;
  store<u32>(slot, <u32>changetype<usize>(term));
  store<u8>(beginsAt(codePointAt(bytes)), 1);
  const first = <u32>load<u8>(bytes);
  const second = <u32>load<u8>(bytes, SECOND);
  if (first < 0x80) want(first);
  if (first < 0x80 && length === 1) memory.fill(pairs + first * SECONDS_BYTES, 0xff, SECONDS_BYTES);
  else if (first < 0x80 && second < 0x80) {
    const at = pairAt(first, second);
    store<u8>(at, <u32>load<u8>(at) | (1 << (second & 7)));
  }
  return term;
}

function pairAt(first: u32, second: u32): usize {
  return pairs + first * SECONDS_BYTES + (second >> 3);
}

/** False when no term begins with two bytes of ASCII, nor is the first of them. */
export function mayBeginPair(first: u32, second: u32): bool {
  return ((<u32>load<u8>(pairAt(first, second)) >> (second & 7)) & 1) !== 0;
}

function beginsAt(codePoint: u32): usize {
  return begins + (codePoint < 0x80 ? codePoint : 0x80 + (codePoint & BEGINS_MASK));
}

/** False when no term begins with the character. */
export function mayBegin(codePoint: u32): bool {
  return load<u8>(beginsAt(codePoint)) !== 0;
}

/** A word that is marked where it stands as a whole: before prefixes are tried, or, a stop word, after them. */
export function addWord(bytes: usize, length: u32, isStopWord: bool): void {
  termOf(bytes, length).kinds |= isStopWord ? STOP : WHOLE;
  wholeLengths |= (<u64>1) << length;
}

/** The first of equal ones stays. */
export function addPrefix(bytes: usize, length: u32, marked: u32): void {
  const term = termOf(bytes, length);
  if ((term.kinds & PREFIX) !== 0) return;
  term.kinds |= PREFIX;
  term.order = prefixCount++;
  term.marked = marked;
  prefixLengths |= (<u64>1) << length;
}

export function isPrefix(term: Term): bool {
  return (term.kinds & PREFIX) !== 0;
}

/** `words`: a `Word` for each; they stay where they are. */
export function addPhrase(words: usize, count: u32): void {
  const word = changetype<Word>(words);
  const length = word.length;
  const first = termOf(word.at, length);
  const phrase = changetype<Phrase>(allocate(offsetof<Phrase>()));
  phrase.next = 0;
  phrase.count = count;
  phrase.words = words;
  wholeLengths |= (<u64>1) << length;
  if (first.phrases === 0) {
    first.phrases = changetype<usize>(phrase);
    return;
  }
  let last = changetype<Phrase>(first.phrases);
  while (last.next !== 0) last = changetype<Phrase>(last.next);
  last.next = changetype<usize>(phrase);
}
