/**
 * Terms as the terms part of a segment has them packed: blocks of sixteen, of which the first is whole and the others
 * say what they share with the one before. These numbers are those of the call under way; `openTerms` comes first. Once
 * the head of a term is read, reading goes on at the bytes that it does not share.
 */

import { at, readByte, readFrom, readNumber } from "../../shared/assembly/reading";
import { Terms } from "./layout";

export const BLOCK_SHIFT: u32 = 4;
export const BLOCK_MASK: u32 = 15;
const BLOCK_BYTES_SHIFT: usize = 4;
const NIBBLE_FULL: u32 = 15;

let textAt: usize = 0;
let blocksAt: usize = 0;
/** 0 when there are none. */
let keysAt: usize = 0;
/** Bytes in common with the term before, and those that follow. */
export let shared: u32 = 0;
export let suffix: u32 = 0;

export function openTerms(terms: Terms): void {
  textAt = terms.text;
  blocksAt = terms.blocks;
  keysAt = terms.keys;
}

export function hasKeys(): bool {
  return keysAt !== 0;
}

export function keyOfBlock(block: u32): u64 {
  return load<u64>(keysAt + ((<usize>block) << 3));
}

/** Reads the head of the first term of a block: all of it is suffix. */
export function readFirst(block: u32): void {
  readFrom(textAt + load<u32>(blocksAt + ((<usize>block) << BLOCK_BYTES_SHIFT)));
  shared = 0;
  suffix = readNumber();
}

/** Reads the head of the next term of the block, once reading is behind the one before. */
export function readNext(): void {
  const head = readByte();
  shared = head >> 4;
  suffix = head & NIBBLE_FULL;
  if (shared === NIBBLE_FULL) shared += readNumber();
  if (suffix === NIBBLE_FULL) suffix += readNumber();
  suffix++;
}

/**
 * Passes terms of a block, from `first` to before `end`, as long as they share `prefix` bytes or more with the one before;
 * returns the first that does not, with its head read, or `end`.
 */
export function passSharing(first: u32, end: u32, prefix: u32): u32 {
  let from = at;
  for (let ordinal = first; ordinal < end; ordinal++) {
    const head = <u32>load<u8>(from);
    if (head < NIBBLE_FULL << 4 && (head & NIBBLE_FULL) !== NIBBLE_FULL) {
      if (head >> 4 < prefix) {
        readFrom(from);
        readNext();
        return ordinal;
      }
      from += 2 + (head & NIBBLE_FULL);
    } else {
      readFrom(from);
      readNext();
      if (shared < prefix) return ordinal;
      from = at + suffix;
    }
  }
  readFrom(from);
  return end;
}

export function passSuffix(): void {
  readFrom(at + suffix);
}

/** The bytes of a code point other than 0, the first one lowest. */
export function utf8Of(point: u32): u32 {
  if (point < 0x80) return point;
  const last = (point & 0x3f) | 0x80;
  if (point < 0x800) return (point >> 6) | 0xc0 | (last << 8);
  const third = ((point >> 6) & 0x3f) | 0x80;
  if (point < 0x10000) return (point >> 12) | 0xe0 | (third << 8) | (last << 16);
  return (point >> 18) | 0xf0 | ((((point >> 12) & 0x3f) | 0x80) << 8) | (third << 16) | (last << 24);
}
