/**
 * Passes over what nobody looks for, sixteen bytes at a time: words of ASCII that begin with no wanted letter, and what stands
 * between them.
 */
import { addTo, SET_BYTES, upperBits } from "../../shared/assembly/byte-set";
import { SOFT, SYMBOL, WORD } from "../../shared/assembly/characters";
import { allocate, allocateZeros } from "../../shared/assembly/region";

const BLOCK_BYTES: usize = 16;
const CASE_BIT: u32 = 0x20;

/** Of words, and between words. */
let letters: usize = 0;
let separators: usize = 0;
/** That words which are looked for begin with. */
let wanted: usize = 0;

export function layAhead(): void {
  letters = allocate(SET_BYTES);
  separators = allocate(SET_BYTES);
}

export function noteClasses(byteClasses: usize): void {
  memory.fill(letters, 0, SET_BYTES);
  memory.fill(separators, 0, SET_BYTES);
  for (let byte: u32 = 0; byte < 0x80; byte++) {
    const kind = <u32>load<u8>(byteClasses + byte);
    if (kind === WORD) addTo(letters, byte);
    else if (kind >= SOFT && kind < SYMBOL) addTo(separators, byte);
  }
}

/** Nothing is wanted yet. */
export function openWanted(): void {
  wanted = allocateZeros(SET_BYTES);
}

/** Words that begin with this byte of ASCII, or, a letter, with its capital. */
export function want(byte: u32): void {
  addTo(wanted, byte);
  if (byte - 0x61 < 26) addTo(wanted, byte ^ CASE_BIT);
}

/**
 * Where the next word that begins with a wanted byte is, or the next that holds something which is in no set, or that itself;
 * `end` when nothing of that is left. No word begins before `from` and goes on there.
 */
export function nextWanted(from: usize, end: usize): usize {
  const inLetters = v128.load(letters);
  const inSeparators = v128.load(separators);
  const inWanted = v128.load(wanted);
  // Whether the byte before is of a word, and where that word begins.
  let isInside: u32 = 0;
  let wordStart = from;
  for (let at = from; at < end; at += BLOCK_BYTES) {
    const bytes = v128.load(at);
    const lower = v128.and(bytes, i8x16.splat(15));
    const upper = i8x16.swizzle(upperBits(), i8x16.shr_u(bytes, 4));
    const valid: u32 = end - at < BLOCK_BYTES ? (1 << (<u32>(end - at))) - 1 : 0xffff;
    const ofWords = members(inLetters, lower, upper) & valid;
    const starts = ofWords & ~((ofWords << 1) | isInside);
    const others = valid & ~(ofWords | members(inSeparators, lower, upper));
    const stops = others | (starts & members(inWanted, lower, upper));
    if (stops !== 0) {
      const stop = <u32>ctz(stops);
      if (((others >> stop) & 1) === 0) return at + stop;
      if (stop === 0) return isInside !== 0 ? wordStart : at;
      if (((ofWords >> (stop - 1)) & 1) === 0) return at + stop;
      const before = starts & ((1 << stop) - 1);
      return before === 0 ? wordStart : at + (31 - clz(before));
    }
    if (starts !== 0) wordStart = at + (31 - clz(starts));
    isInside = (ofWords >> 15) & 1;
  }
  return end;
}

function members(set: v128, lower: v128, upper: v128): u32 {
  const none = i8x16.eq(v128.and(i8x16.swizzle(set, lower), upper), i8x16.splat(0));
  return <u32>i8x16.bitmask(none) ^ 0xffff;
}
