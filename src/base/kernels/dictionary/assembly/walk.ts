/**
 * Walks terms in byte order with the bytes of the one it stands on in a buffer of the caller. Leaving a branch reads no
 * more than the heads of its terms, and leaps over blocks that are wholly inside.
 */
import { at } from "../../shared/assembly/reading";
import { hasKey, KEY_BYTES, keyOf, maskOf } from "./keys";
import { Terms } from "./layout";
import {
  BLOCK_MASK,
  BLOCK_SHIFT,
  hasKeys,
  keyOfBlock,
  openTerms,
  passSharing,
  passSuffix,
  readFirst,
  readNext,
  shared as sharedOfHead,
  suffix,
  utf8Of,
} from "./packed";

export let ordinal: u32 = 0;
/** Of the term in the buffer; what of it is the same as in the term the walk stood on before. */
export let length: u32 = 0;
export let shared: u32 = 0;
let buffer: usize = 0;

export function termText(terms: Terms, wanted: u32, out: usize): u32 {
  openWalk(terms, wanted, out);
  return length;
}

/** Stands on a term that exists; nothing is shared then. */
export function openWalk(terms: Terms, wanted: u32, bytes: usize): void {
  openTerms(terms);
  buffer = bytes;
  length = 0;
  openBlock(wanted >> BLOCK_SHIFT);
  while (ordinal < wanted) step();
  shared = 0;
}

/** To the next term; terms from `to` on are not read. */
export function next(to: u32): void {
  if (ordinal + 1 >= to) ordinal = to;
  else if (((ordinal + 1) & BLOCK_MASK) === 0) openBlock((ordinal + 1) >> BLOCK_SHIFT);
  else step();
}

/** To the first term that does not begin with the first `prefix` bytes of this one; terms from `to` on are not read. */
export function leave(prefix: u32, to: u32): void {
  for (;;) {
    const behind = (ordinal | BLOCK_MASK) + 1;
    const end = min(behind, to);
    ordinal = passSharing(ordinal + 1, end, prefix);
    if (ordinal < end) {
      take();
      return;
    }
    if (ordinal === to) return;
    const block = behind >> BLOCK_SHIFT;
    insidePrefix = prefix;
    useKey(prefix);
    const last = lastBlockWhere<Inside>(block, to);
    if (last < block) {
      length = prefix;
      openBlock(block);
      return;
    }
    ordinal = last << BLOCK_SHIFT;
    readFirst(last);
    passSuffix();
  }
}

/**
 * To the first term that goes on with a letter, or a greater one, behind the first `prefix` bytes of this one, which goes on
 * with a lesser; or to the first behind all that begin so. Terms from `to` on are not read.
 */
export function seek(prefix: u32, letter: u32, to: u32): void {
  let bytes = utf8Of(letter);
  matched = prefix;
  keyLength = prefix;
  for (let isSame = true; bytes > 0; bytes >>= 8, keyLength++) {
    // What the term it stands on has in common with what is sought.
    isSame = isSame && load<u8>(buffer + keyLength) === <u8>bytes;
    if (isSame) matched++;
    store<u8>(buffer + keyLength, <u8>bytes);
  }
  for (;;) {
    const behind = (ordinal | BLOCK_MASK) + 1;
    const end = min(behind, to);
    for (ordinal++; ordinal < end; ordinal++) {
      ordinal = passSharing(ordinal, end, matched + 1);
      if (ordinal === end) break;
      if (sharedOfHead < matched || !isBelow(sharedOfHead)) {
        take();
        shared = min(shared, prefix);
        return;
      }
      passSuffix();
    }
    if (ordinal >= to) {
      ordinal = to;
      return;
    }
    const block = behind >> BLOCK_SHIFT;
    useKey(keyLength);
    const last = lastBlockWhere<Below>(block, to);
    if (last < block) {
      length = keyLength;
      openBlock(block);
      shared = min(shared, prefix);
      return;
    }
    ordinal = last << BLOCK_SHIFT;
    readFirst(last);
    isBelow(0);
    passSuffix();
  }
}

/** Of what is sought, which is in the buffer: its length, and what the term compared last has in common with it. */
let keyLength: u32 = 0;
let matched: u32 = 0;

/** Whether the term whose head was read, with its first `known` bytes those of what is sought, is less. */
function isBelow(known: u32): bool {
  const bytes = at - known;
  const termLength = known + suffix;
  const limit = min(keyLength, termLength);
  let i = known;
  while (i < limit && load<u8>(bytes + i) === load<u8>(buffer + i)) i++;
  matched = i;
  if (i === keyLength) return false;
  return i === termLength || load<u8>(bytes + i) < load<u8>(buffer + i);
}

/** The last block, from `block` on, whose first term passes a test that none does behind it; the one before if none does. */
function lastBlockWhere<Test>(block: u32, to: u32): u32 {
  const test = changetype<Test>(<usize>0);
  if (!test.holds(block)) return block - 1;
  const last = (to - 1) >> BLOCK_SHIFT;
  let low = block;
  let width: u32 = 1;
  while (low + width <= last && test.holds(low + width)) {
    low += width;
    width <<= 1;
  }
  let high = min(last, low + width - 1);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (test.holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The first bytes of the buffer as the key that those of blocks are compared with. */
let key: u64 = 0;
let keyMask: u64 = 0;
let isKeyed: bool = false;

function useKey(bytes: u32): void {
  isKeyed = hasKeys() && hasKey(buffer, bytes);
  key = keyOf(buffer, bytes);
  keyMask = maskOf(bytes);
}

/** First terms that begin with what is left. */
class Inside {
  @inline
  holds(block: u32): bool {
    if (isKeyed) {
      if ((keyOfBlock(block) & keyMask) !== key) return false;
      if (insidePrefix <= KEY_BYTES) return true;
    }
    readFirst(block);
    const prefix = insidePrefix;
    if (suffix < prefix) return false;
    for (let i: u32 = 0; i < prefix; i++) if (load<u8>(at + i) !== load<u8>(buffer + i)) return false;
    return true;
  }
}

let insidePrefix: u32 = 0;

/** First terms that are less than what is sought. */
class Below {
  @inline
  holds(block: u32): bool {
    if (isKeyed) {
      const own = keyOfBlock(block);
      if (own !== key || keyLength <= KEY_BYTES) return own < key;
    }
    readFirst(block);
    return isBelow(0);
  }
}

function openBlock(block: u32): void {
  readFirst(block);
  const limit = min(length, suffix);
  let same: u32 = 0;
  while (same < limit && load<u8>(at + same) === load<u8>(buffer + same)) same++;
  take();
  shared = same;
  ordinal = block << BLOCK_SHIFT;
}

function step(): void {
  readNext();
  take();
  ordinal++;
}

/** Puts the bytes of the term whose head was read behind those it shares. */
function take(): void {
  const from = at;
  const into = buffer + sharedOfHead;
  for (let i: u32 = 0; i < suffix; i++) store<u8>(into + i, load<u8>(from + i));
  length = sharedOfHead + suffix;
  shared = sharedOfHead;
  passSuffix();
}
