/**
 * Looks terms up by their bytes: blocks by halving, then the heads of one block, of which only those are compared that
 * share exactly as much with the term before as that one has in common with what is looked for.
 */
import { characterBytes } from "../../shared/assembly/characters";
import { at } from "../../shared/assembly/reading";
import { hasKey, KEY_BYTES, keyOf, maskOf } from "./keys";
import { Halves, Range, Terms } from "./layout";
import {
  BLOCK_MASK,
  BLOCK_SHIFT,
  hasKeys,
  keyOfBlock,
  openTerms,
  passSuffix,
  readFirst,
  readNext,
  shared,
  suffix,
} from "./packed";
import { openWalk } from "./walk";

/** Bytes the term just compared has in common with what is looked for, and its length. */
let matched: u32 = 0;
let termLength: u32 = 0;

/**
 * The first ordinal in `[from, to)` whose term is not less than the key, `to` when there is none; with `after`, the
 * first that is greater than all terms that begin with the key. No term before `from` may be an answer.
 */
export function termBound(terms: Terms, from: u32, to: u32, key: usize, length: u32, after: bool): u32 {
  openTerms(terms);
  return boundBetween(from, to, key, length, after);
}

/** The ordinal of a term, which is in `[from, to)` if anywhere; -1 when it is not. */
export function termFind(terms: Terms, from: u32, to: u32, key: usize, length: u32): i32 {
  openTerms(terms);
  return findBetween(from, to, key, length);
}

/**
 * The halves of a word, wherever it can be cut between two letters: writes the ordinals of both, -1 for one that is no
 * term, cut by cut. Returns the number of cuts.
 */
export function termCuts(terms: Terms, to: u32, key: usize, length: u32, out: usize): u32 {
  openTerms(terms);
  let end = out;
  for (let cut = characterBytes(load<u8>(key)); cut < length; cut += characterBytes(load<u8>(key + cut))) {
    const halves = changetype<Halves>(end);
    halves.left = findBetween(0, to, key, cut);
    halves.right = findBetween(0, to, key + cut, length - cut);
    end += offsetof<Halves>();
  }
  return <u32>((end - out) / offsetof<Halves>());
}

/**
 * Terms by what follows their first letter: `ranges` are n pairs of ordinals [from, to) of terms with one first letter,
 * among them all that go on with the key's first. In each, the term that goes on with the key and ends there is looked
 * for, or all that go on with it. Writes the pairs of those found and returns their number. In front of the key are 4
 * bytes that may be written.
 */
export function termsAfterFirst(
  terms: Terms,
  ranges: usize,
  n: u32,
  key: usize,
  length: u32,
  isPrefix: bool,
  scratch: usize,
  out: usize,
): u32 {
  let end = out;
  for (let i: u32 = 0; i < n; i++) {
    const range = changetype<Range>(ranges + <usize>i * offsetof<Range>());
    const from = range.first;
    const to = range.end;
    openWalk(terms, from, scratch);
    const letter = characterBytes(load<u8>(scratch));
    const whole = key - letter;
    memory.copy(whole, scratch, letter);
    let first: u32 = 0;
    let last: u32 = 0;
    if (isPrefix) {
      first = boundBetween(from, to, whole, length + letter, false);
      last = boundBetween(first, to, whole, length + letter, true);
    } else {
      const found = findBetween(from, to, whole, length + letter);
      first = <u32>found;
      last = first + (found === -1 ? 0 : 1);
    }
    if (first === last) continue;
    const found = changetype<Range>(end);
    found.first = first;
    found.end = last;
    end += offsetof<Range>();
  }
  return <u32>((end - out) / offsetof<Range>());
}

function boundBetween(from: u32, to: u32, key: usize, length: u32, after: bool): u32 {
  if (from >= to) return to;
  const block = lastBlockBelow(from, to, key, length, after);
  readFirst(block);
  if (!isBelow(key, length, 0, after)) return max(block << BLOCK_SHIFT, from);
  const end = min(to, (block + 1) << BLOCK_SHIFT);
  for (let ordinal = (block << BLOCK_SHIFT) + 1; ordinal < end; ordinal++) {
    passSuffix();
    readNext();
    if (shared < matched || (shared === matched && !isBelow(key, length, shared, after))) return max(ordinal, from);
  }
  return max(end, from);
}

function findBetween(from: u32, to: u32, key: usize, length: u32): i32 {
  const ordinal = boundBetween(from, to, key, length, false);
  if (ordinal >= to) return -1;
  // What was compared last may be the term before.
  if (matched === length && termLength === length) return ordinal;
  if ((ordinal & BLOCK_MASK) !== 0) return -1;
  readFirst(ordinal >> BLOCK_SHIFT);
  isBelow(key, length, 0, false);
  return matched === length && termLength === length ? <i32>ordinal : -1;
}

/** The last of the blocks with ordinals in `[from, to)` whose first term is below the key; the first when none is. */
function lastBlockBelow(from: u32, to: u32, key: usize, length: u32, after: bool): u32 {
  let low = from >> BLOCK_SHIFT;
  let high = (to - 1) >> BLOCK_SHIFT;
  if (hasKeys() && hasKey(key, length)) {
    // What begins with the key is below it, too, if that is what is asked for.
    const mask: u64 = after ? maskOf(length) : -1;
    const bound = keyOf(key, length);
    const isWhole = length <= KEY_BYTES;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const own = keyOfBlock(middle) & mask;
      let isLess = own < bound;
      if (own === bound) {
        if (isWhole) isLess = after;
        else {
          readFirst(middle);
          isLess = isBelow(key, length, 0, after);
        }
      }
      if (isLess) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    readFirst(middle);
    if (isBelow(key, length, 0, after)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Whether the term whose head was read, and which has its first `known` bytes in common with the key, is less than the
 * key; with `after` also when it begins with it.
 */
function isBelow(key: usize, length: u32, known: u32, after: bool): bool {
  const bytes = at - known;
  termLength = known + suffix;
  const limit = min(length, termLength);
  let i = known;
  while (i < limit && load<u8>(bytes + i) === load<u8>(key + i)) i++;
  matched = i;
  if (i === length) return after;
  return i === termLength || load<u8>(bytes + i) < load<u8>(key + i);
}
