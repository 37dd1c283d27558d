/**
 * The first eight bytes of the first term of each block as a number, which tells the order of most terms: looking for a
 * block reads a few neighbours in memory instead of texts that lie far apart.
 */
import { at } from "../../shared/assembly/reading";
import { Terms } from "./layout";
import { BLOCK_MASK, BLOCK_SHIFT, openTerms, readFirst, suffix } from "./packed";

export const KEY_BYTES: u32 = 8;

/** Bytes, the first one highest; what a text lacks is 0. */
export function keyOf(text: usize, length: u32): u64 {
  return bswap(load<u64>(text)) & maskOf(length);
}

/** The bits of so many bytes. */
export function maskOf(length: u32): u64 {
  return length >= KEY_BYTES ? <u64>-1 : ~(<u64>-1 >> ((<u64>length) << 3));
}

/** Whether no byte of a text is one that stands for what a text lacks. */
export function hasKey(text: usize, length: u32): bool {
  for (let i: u32 = 0; i < min(length, KEY_BYTES); i++) if (load<u8>(text + i) === 0) return false;
  return true;
}

/** Writes the keys of the blocks of some terms. */
export function blockKeys(terms: Terms, count: u32, out: usize): void {
  openTerms(terms);
  const blocks = (count + BLOCK_MASK) >> BLOCK_SHIFT;
  for (let block: u32 = 0; block < blocks; block++) {
    readFirst(block);
    store<u64>(out + ((<usize>block) << 3), keyOf(at, suffix));
  }
}
