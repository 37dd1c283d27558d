/**
 * The three-letter sequences of a text by frequency, each as one number, and how near their order is to that of a language.
 * Reads every run of Arabic script, so it allocates nothing: what is returned lies in memory that the next call reuses.
 * Ranks compared out of place: Cavnar, Trenkle 1994, "N-Gram-Based Text Categorization".
 */

/** A language and the places of its most frequent sequences. */
export interface Profile {
  code: string;
  places: ReadonlyMap<number, number>;
}

const PROFILE_LENGTH = 300;
/** Only the most frequent sequences of a text count. */
const TEXT_TRIGRAMS_MAX = 600;
/** Three characters must fit into the 53 bits of a whole number; nothing beyond emoji is told apart. */
const CHARACTER_LIMIT = 2 ** 17;
const SPACE = 0x20;
/** Fewer numbers than this are sorted faster here than by the engine. */
const FEW = 32;

/** All sequences of a text, with repetitions. */
let all = new Float64Array(1024);
/** Each once, by falling code points, and how often it occurs. */
let distinct = new Float64Array(1024);
let counts = new Uint32Array(1024);
/** By number of occurrences: where the sequences with so many go. */
let slots = new Uint32Array(1024);
let ordered = new Float64Array(1024);

/** A line of the table: a code of three letters, a blank, 300 sequences. */
export function readProfile(line: string): Profile {
  const places = new Map<number, number>();
  for (let place = 0; place < PROFILE_LENGTH; place++) {
    const at = 4 + place * 3;
    places.set(trigramOf(line.charCodeAt(at), line.charCodeAt(at + 1), line.charCodeAt(at + 2)), place);
  }
  return { code: line.slice(0, 3), places };
}

/** ASCII that is no letter says nothing about a language. */
export function isStopCharacter(code: number): boolean {
  return code <= 0x40 || (code >= 0x5b && code <= 0x60) || (code >= 0x7b && code <= 0x7e);
}

/** The sequences of a lower-case text by falling frequency, equal ones by falling code points. */
export function trigramsByFrequency(text: string): Float64Array {
  if (all.length <= text.length) makeRoom(text.length + 1);
  const found = collect(text);
  sort(all, found);
  let kinds = 0;
  let most = 0;
  for (let at = found - 1; at >= 0; ) {
    const trigram = all[at]!;
    const last = at;
    while (at >= 0 && all[at] === trigram) at--;
    distinct[kinds] = trigram;
    counts[kinds++] = last - at;
    most = Math.max(most, last - at);
  }
  // Afterwards slots[n] = how many occur more than n times = where those that occur n times begin.
  slots.fill(0, 0, most + 1);
  for (let kind = 0; kind < kinds; kind++) slots[counts[kind]! - 1]!++;
  for (let count = most - 1; count >= 0; count--) slots[count]! += slots[count + 1]!;
  for (let kind = 0; kind < kinds; kind++) ordered[slots[counts[kind]!]!++] = distinct[kind]!;
  return ordered.subarray(0, Math.min(kinds, TEXT_TRIGRAMS_MAX));
}

/** How near the sequences of a text are to their places in the profile, from 0 to 1. */
export function scoreTrigrams(trigrams: Float64Array, { places }: Profile): number {
  let distance = 0;
  let known = 0;
  for (let rank = 0; rank < trigrams.length; rank++) {
    const place = places.get(trigrams[rank]!);
    if (place === undefined) continue;
    known++;
    distance += Math.abs(rank - place);
  }
  const expected = Math.min(trigrams.length, PROFILE_LENGTH);
  const distanceMax = trigrams.length * PROFILE_LENGTH;
  const total = distance + (expected - known) * PROFILE_LENGTH;
  return (distanceMax - Math.min(total, PROFILE_LENGTH * PROFILE_LENGTH)) / distanceMax;
}

function trigramOf(first: number, second: number, third: number): number {
  return (first * CHARACTER_LIMIT + second) * CHARACTER_LIMIT + third;
}

/** Fills `all`; words are read with one blank on each side. */
function collect(text: string): number {
  let found = 0;
  let first = SPACE;
  let second = -1;
  for (let at = 0; at <= text.length; at++) {
    let third = SPACE;
    if (at < text.length) {
      const code = text.codePointAt(at)!;
      if (code > 0xffff) at++;
      third = isStopCharacter(code) ? SPACE : Math.min(code, CHARACTER_LIMIT - 1);
    }
    if (second >= 0) {
      if (second !== SPACE || (first !== SPACE && third !== SPACE)) all[found++] = trigramOf(first, second, third);
      first = second;
    }
    second = third;
  }
  return found;
}

function sort(numbers: Float64Array, length: number): void {
  if (length > FEW) {
    numbers.subarray(0, length).sort();
    return;
  }
  for (let at = 1; at < length; at++) {
    const number = numbers[at]!;
    let to = at;
    while (to > 0 && numbers[to - 1]! > number) {
      numbers[to] = numbers[to - 1]!;
      to--;
    }
    numbers[to] = number;
  }
}

function makeRoom(length: number): void {
  const room = length * 2;
  all = new Float64Array(room);
  distinct = new Float64Array(room);
  counts = new Uint32Array(room);
  slots = new Uint32Array(room);
  ordered = new Float64Array(room);
}
