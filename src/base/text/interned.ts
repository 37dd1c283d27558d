/**
 * Lower-cases ASCII words on the fly and keeps one string object for each frequent one: indexing meets the same words over
 * and over, and a string that already exists needs no allocation and has its hash ready for the maps it is looked up in.
 */
import { WORD_UNIT } from "./patterns.ts";
import { WORD_BYTES_MAX } from "./token.ts";

/** Lower case of every ASCII character. */
const LOWER: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit,
);

const SLOT_BITS = 15;
const SLOTS = 1 << SLOT_BITS;
/** Longer words are rare; they get a new string each time. */
const INTERNED_BYTES_MAX = 16;
const SCRATCH_BYTES = 256;

const strings: (string | undefined)[] = new Array(SLOTS).fill(undefined);
const hashes = new Int32Array(SLOTS);
const spellings = new Uint8Array(SLOTS * INTERNED_BYTES_MAX);

/** The word read last. */
const scratch = Buffer.alloc(SCRATCH_BYTES);
let length = 0;
let hash = 0;

/**
 * Reads the visible ASCII characters that begin at `at`, up to the first that `classes` (of the patterns) does not call
 * part of a word. Returns where they end.
 */
export function readAsciiWord(text: string, at: number, end: number, classes: Uint8Array): number {
  // Local names: a name of a module is looked up at every use, which doubles the time of this loop.
  const lowerCase = LOWER;
  const wordUnit = WORD_UNIT;
  const lengthMax = WORD_BYTES_MAX;
  const spelling = scratch;
  let wordHash = 0;
  let to = at;
  while (to < end) {
    const unit = text.charCodeAt(to);
    if (unit > 0x7e || unit <= 0x20 || classes[unit] !== wordUnit) break;
    const lower = lowerCase[unit]!;
    const place = to - at;
    if (place < lengthMax) spelling[place] = lower;
    wordHash = Math.imul(wordHash ^ lower, 0x01000193) + place;
    to++;
  }
  hash = wordHash;
  length = to - at;
  return to;
}

/** The word read last, in lower case; null if it is too long to be indexed. */
export function asciiWordRead(): string | null {
  if (length > INTERNED_BYTES_MAX) return length > WORD_BYTES_MAX ? null : scratch.toString("latin1", 0, length);
  const slot = (hash ^ (hash >>> SLOT_BITS)) & (SLOTS - 1);
  const known = strings[slot];
  if (known !== undefined && hashes[slot] === hash && known.length === length && isSpelled(slot)) return known;
  const word = scratch.toString("latin1", 0, length);
  strings[slot] = word;
  hashes[slot] = hash;
  spellings.set(scratch.subarray(0, length), slot * INTERNED_BYTES_MAX);
  return word;
}

function isSpelled(slot: number): boolean {
  const from = slot * INTERNED_BYTES_MAX;
  for (let at = 0; at < length; at++) if (spellings[from + at] !== scratch[at]) return false;
  return true;
}
