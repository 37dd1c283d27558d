/**
 * Edit distances from a word to terms that are read letter by letter. The table has a row for each letter of the term, kept for
 * what the next term shares; only cells within the limit of the diagonal count, so that a row is a few bytes of a register:
 * lane c of row i is the distance from the first i letters of the term to the first j = i - limit - 1 + c letters of the word.
 */
import { FuzzyWord, NO_LETTER } from "./layout";

/** Numbers beside the word that are no letters, so that lanes may reach over its ends. */
const MARGIN: u32 = 8;
/** Scratch: the term, letters that come next, letters of the word, ceilings, then rows, 32 bytes each. */
const NEXT_AT: usize = 256;
const LETTERS_AT: usize = NEXT_AT + 4 * 16;
const CEILINGS_AT: usize = LETTERS_AT + 4 * 288;
const ROWS_AT: usize = CEILINGS_AT + 288;
const ROW_SHIFT: usize = 5;
/** In a row: distances, then which letters of the word equal the term's, then the end of the term's letter. */
const EQUALS: usize = 8;
const END: usize = 16;

let scratch: usize = 0;
let wordLength: u32 = 0;
let limit: u32 = 0;

/** The table in `room` for a word, as it was left when `useTable` comes back to it. */
export function useTable(room: usize, word: FuzzyWord): void {
  scratch = room;
  wordLength = word.letterCount;
  limit = word.limit;
}

function rowOf(depth: u32): usize {
  return scratch + ROWS_AT + ((<usize>depth) << ROW_SHIFT);
}

/** Of the letter of the word that lane 0 of the next row ends with: j - 1, where j = depth + 1 - limit - 1. */
function placeOfNext(depth: u32): u32 {
  return depth + MARGIN - limit - 1;
}

/** The letters of the word that the next one of the term is compared with. */
function aboutNext(depth: u32): usize {
  return scratch + LETTERS_AT + ((<usize>placeOfNext(depth)) << 2);
}

/** Bytes of the term that were read for a row. */
export function endOf(depth: u32): u32 {
  return load<u32>(rowOf(depth) + END);
}

/** An empty table for a word. */
export function openTable(room: usize, word: FuzzyWord): void {
  useTable(room, word);
  const letters = <usize>word.letters;
  const padded = scratch + LETTERS_AT;
  const ceilings = scratch + CEILINGS_AT;
  for (let i: u32 = 0; i < wordLength + 2 * MARGIN; i++) {
    const isInside = i >= MARGIN && i < MARGIN + wordLength;
    store<u32>(padded + ((<usize>i) << 2), isInside ? load<u32>(letters + ((<usize>(i - MARGIN)) << 2)) : NO_LETTER);
    store<u8>(ceilings + i, isInside || i === MARGIN + wordLength ? 0 : 0xff);
  }
  const row = rowOf(0);
  for (let c: u32 = 0; c < 8; c++) {
    const j = c - limit - 1;
    store<u8>(row + c, <u8>(j <= min(limit, wordLength) ? j : limit + 1));
  }
  store<u64>(row, 0, EQUALS);
  store<u32>(row, 0, END);
}

/** Whether one more edit is allowed, so that any letter may come next. */
export function allowsAny(depth: u32): bool {
  return v128.any_true(i8x16.lt_u(rowLanes(depth), i8x16.splat(<i8>limit)));
}

/**
 * Where no more edits are allowed: writes, in ascending order, the letters that the word has next or, swapped, before that, but for those
 * that `Asked` does not have; returns how many. It is asked with where the letters of the word are that have to follow.
 */
export function nextLetters<Asked>(depth: u32, out: usize): u32 {
  const letters = aboutNext(depth);
  let count: u32 = 0;
  for (let lanes = spentLanes(depth); lanes !== 0; lanes &= lanes - 1) {
    const at = letterAt(letters, lanes);
    count = withLetter<Asked>(out, count, load<u32>(at), at + 4);
  }
  if (depth === 0) return count;
  const isSwapped = i64x2.shr_u(v128.load64_zero(rowOf(depth), EQUALS), 8);
  let lanes = i8x16.bitmask(v128.and(isSwapped, i8x16.lt_u(rowLanes(depth - 1), i8x16.splat(<i8>limit))));
  for (; lanes !== 0; lanes &= lanes - 1) {
    const at = letterAt(letters, lanes);
    count = withLetter<Asked>(out, count, load<u32>(at - 4), at + 4);
  }
  return count;
}

/** The same after a letter that the word does not have there, which is never swapped: writes where they are, with all that have to follow. */
export function nextPlaces(depth: u32, out: usize): u32 {
  const letters = aboutNext(depth);
  let end = out;
  for (let lanes = spentLanes(depth); lanes !== 0; lanes &= lanes - 1, end += 4) {
    store<u32>(end, <u32>letterAt(letters, lanes));
  }
  return <u32>(end - out) >> 2;
}

/** Those in which the last edit is spent. */
function spentLanes(depth: u32): u32 {
  return i8x16.bitmask(i8x16.le_u(rowLanes(depth), i8x16.splat(<i8>limit)));
}

/** Of the first of some lanes. */
function letterAt(letters: usize, lanes: u32): usize {
  return letters + ((<usize>ctz(lanes)) << 2);
}

/** Puts a letter of the word in its place among ascending ones, unless it is there or not asked for. */
function withLetter<Asked>(out: usize, count: u32, letter: u32, rest: usize): u32 {
  if (letter === NO_LETTER || !changetype<Asked>(<usize>0).has(letter, rest)) return count;
  let at = count;
  for (; at > 0 && load<u32>(out + ((<usize>(at - 1)) << 2)) >= letter; at--) {
    if (load<u32>(out + ((<usize>(at - 1)) << 2)) === letter) return count;
  }
  for (let i = count; i > at; i--) store<u32>(out + ((<usize>i) << 2), load<u32>(out + ((<usize>(i - 1)) << 2)));
  store<u32>(out + ((<usize>at) << 2), letter);
  return count + 1;
}

/** Whether the word has a letter about where the next one of the term is: those that it does not have all come to the same. */
export function hasAbout(depth: u32, letter: u32): bool {
  const letters = aboutNext(depth);
  const same = i32x4.splat(letter);
  return v128.any_true(v128.or(i32x4.eq(v128.load(letters), same), i32x4.eq(v128.load(letters, 16), same)));
}

class FromOneOn {
  @inline
  has(letter: u32, _rest: usize): bool {
    return letter >= firstAsked;
  }
}

let firstAsked: u32 = 0;

/** The least of them all that is not below one. */
export function nextLetter(depth: u32, from: u32): u32 {
  firstAsked = from;
  return nextLetters<FromOneOn>(depth, scratch + NEXT_AT) === 0 ? NO_LETTER : load<u32>(scratch + NEXT_AT);
}

/** From the whole word; anything above the limit is too far. */
export function distanceOf(depth: u32): u32 {
  const lane = wordLength + limit + 1 - depth;
  return lane < 8 ? <u32>load<u8>(rowOf(depth) + lane) : limit + 1;
}

/** Near enough, and no shorter beginning of the word is nearer: what follows does not matter. */
export function settled(depth: u32): bool {
  const distance = distanceOf(depth);
  if (distance > limit) return false;
  return !v128.any_true(i8x16.lt_u(rowLanes(depth), i8x16.splat(<i8>distance)));
}

/** Lanes that are none of a row are as far as can be. */
function rowLanes(depth: u32): v128 {
  return v128.or(v128.load64_zero(rowOf(depth)), i64x2(0, -1));
}

/** Adds the letter of a term after the first `depth`, which ends at a byte of it; false when no term that begins so can be near. */
export function addLetter(depth: u32, codePoint: u32, end: u32): bool {
  const above = rowOf(depth);
  const here = above + (1 << ROW_SHIFT);
  const letter = i32x4.splat(codePoint);
  store<u32>(here, end, END);

  const letters = aboutNext(depth);
  const pairs = i16x8.narrow_i32x4_s(i32x4.eq(v128.load(letters), letter), i32x4.eq(v128.load(letters, 16), letter));
  const equal = i8x16.narrow_i16x8_s(pairs, i16x8.splat(0));
  v128.store64_lane(here, equal, 0, EQUALS);

  const one = i8x16.splat(1);
  const tooFar = i8x16.splat(<i8>(limit + 1));
  const previous = rowLanes(depth);
  // Same place in the row above is one letter less of both; the next lane is one letter less of the term.
  let row = i8x16.min_u(
    i8x16.add_sat_u(previous, v128.andnot(one, equal)),
    i8x16.add_sat_u(i8x16.shuffle(previous, previous, 1, 2, 3, 4, 5, 6, 7, 15, 15, 15, 15, 15, 15, 15, 15, 15), one),
  );
  if (depth > 0) {
    const isSwap = v128.and(i64x2.shr_u(v128.load64_zero(above, EQUALS), 8), i64x2.shl(equal, 8));
    row = i8x16.min_u(row, v128.or(i8x16.add_sat_u(rowLanes(depth - 1), one), v128.not(isSwap)));
  }
  // Letters of the word that the term lacks: from lane to lane, as often as the limit allows.
  row = i8x16.min_u(row, i8x16.add_sat_u(v128.or(i64x2.shl(row, 8), i64x2(0xff, 0)), one));
  row = i8x16.min_u(row, i8x16.add_sat_u(v128.or(i64x2.shl(row, 8), i64x2(0xff, 0)), one));
  row = v128.or(v128.or(row, v128.load64_zero(scratch + CEILINGS_AT + placeOfNext(depth) + 1)), outside());
  row = i8x16.min_u(row, tooFar);
  v128.store64_lane(here, row, 0);
  // A row below may be near although this one is not: by a swap of its letter with this one.
  const swappable = v128.and(i64x2.shr_u(equal, 8), i8x16.lt_u(i8x16.add_sat_u(previous, one), tooFar));
  return v128.any_true(v128.or(i8x16.lt_u(row, tooFar), swappable));
}

/** Lanes beyond the band: the first, and those from twice the limit and two on. */
function outside(): v128 {
  return i64x2(0xff | ((<i64>-1) << ((2 * <i64>limit + 2) << 3)), -1);
}
