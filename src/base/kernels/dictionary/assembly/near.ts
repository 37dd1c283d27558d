/**
 * Terms near a word. The table of edit distances has a row for each letter of the term, kept for what the next term
 * shares; only cells within the limit of the diagonal count, so that a row is a few bytes of a register: lane c of row i
 * is the distance from the first i letters of the term to the first j = i - limit - 1 + c letters of the word.
 */
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { Near, Terms } from "./layout";
import { leave, length, next, openWalk, ordinal, seek, shared } from "./walk";

/** Beside the word, so that lanes may reach over its ends; no letter is this number. */
const MARGIN: u32 = 8;
const NO_LETTER: u32 = 0xffff_ffff;
/** Scratch: the term, letters of the word, ceilings, then rows, 32 bytes each. */
const LETTERS_AT: usize = 256;
const CEILINGS_AT: usize = LETTERS_AT + 4 * 288;
const ROWS_AT: usize = CEILINGS_AT + 288;
const ROW_SHIFT: usize = 5;
/** In a row: distances, then which letters of the word equal the term's, then the end of the term's letter. */
const EQUALS: usize = 8;
const END: usize = 16;

let scratch: usize = 0;
let wordLength: u32 = 0;
let limit: u32 = 0;

/**
 * Writes the ordinal to go on from, then triples: ordinals [from, to) and the distance of terms in `[from, to)` whose
 * distance from the word is 1 to `limit` (1 or 2), in byte order. Stops when there is no room for more, or after `steps`
 * terms and branches. The terms must begin with the word's first letter. With `isPrefix` a term is judged by its first
 * beginning that is near enough and to which no shorter beginning of the word is nearer.
 */
export function termsNear(
  terms: Terms,
  from: u32,
  to: u32,
  letters: usize,
  n: u32,
  most: u32,
  isPrefix: bool,
  room: usize,
  steps: u32,
  out: usize,
  capacity: u32,
): u32 {
  scratch = room;
  wordLength = n;
  limit = most;
  openTable(letters);
  openWalk(terms, from, room);
  let count: u32 = 0;
  let end = out + 4;
  let depth: u32 = 0;
  for (let left = steps; left > 0 && ordinal < to && count < capacity; left--) {
    while (depth > 0 && endOf(depth) > shared) depth--;
    let isDead = false;
    let isSettled = isPrefix && settled(depth);
    while (!isSettled && endOf(depth) < length) {
      isDead = !addLetter(depth);
      depth++;
      if (isDead) break;
      isSettled = isPrefix && settled(depth);
    }
    const first = ordinal;
    const distance = isDead ? <u32>0 : distanceOf(depth);
    if (isDead) skip(depth - 1, to);
    else if (isSettled) leave(endOf(depth), to);
    else next(to);
    if (distance === 0 || distance > most) continue;
    const near = changetype<Near>(end);
    near.first = first;
    near.end = ordinal;
    near.distance = distance;
    end += offsetof<Near>();
    count++;
  }
  store<u32>(out, ordinal);
  return count;
}

function rowOf(depth: u32): usize {
  return scratch + ROWS_AT + ((<usize>depth) << ROW_SHIFT);
}

/** Bytes of the term that were read for a row. */
function endOf(depth: u32): u32 {
  return load<u32>(rowOf(depth) + END);
}

function openTable(letters: usize): void {
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

/** No term that goes on with this letter can be near: to the next letter with which one can. */
function skip(depth: u32, to: u32): void {
  // As long as one more edit is allowed, that may be any.
  if (v128.any_true(i8x16.lt_u(rowLanes(depth), i8x16.splat(<i8>limit)))) {
    leave(endOf(depth + 1), to);
    return;
  }
  const letter = nextLetter(depth, codePointAt(scratch + endOf(depth)));
  if (letter === NO_LETTER) leave(endOf(depth), to);
  else seek(endOf(depth), letter, to);
}

/** Where no more edits are allowed: the least letter, greater than one, that the word has next or, swapped, before that. */
function nextLetter(depth: u32, letter: u32): u32 {
  const row = rowOf(depth);
  const letters = scratch + LETTERS_AT + ((<usize>(depth + MARGIN - limit - 1)) << 2);
  const lanes: u32 = 2 * limit + 2;
  let least = NO_LETTER;
  for (let c: u32 = 1; c < lanes; c++) {
    const at = letters + ((<usize>c) << 2);
    if (<u32>load<u8>(row + c) <= limit) least = lesser(load<u32>(at), letter, least);
    const isSwapped = depth > 0 && load<u8>(row + c, EQUALS + 1) !== 0;
    if (isSwapped && <u32>load<u8>(rowOf(depth - 1) + c) < limit) least = lesser(load<u32>(at - 4), letter, least);
  }
  return least;
}

function lesser(candidate: u32, letter: u32, least: u32): u32 {
  return candidate > letter && candidate < least ? candidate : least;
}

/** From the whole word; anything above the limit is too far. */
function distanceOf(depth: u32): u32 {
  const lane = wordLength + limit + 1 - depth;
  return lane < 8 ? <u32>load<u8>(rowOf(depth) + lane) : limit + 1;
}

/** Near enough, and no shorter beginning of the word is nearer: what follows does not matter. */
function settled(depth: u32): bool {
  const distance = distanceOf(depth);
  if (distance > limit) return false;
  return !v128.any_true(i8x16.lt_u(rowLanes(depth), i8x16.splat(<i8>distance)));
}

/** Lanes that are none of a row are as far as can be. */
function rowLanes(depth: u32): v128 {
  return v128.or(v128.load64_zero(rowOf(depth)), i64x2(0, -1));
}

/** Reads the term's letter after the first `depth`; false when no term that begins so can be near. */
function addLetter(depth: u32): bool {
  const above = rowOf(depth);
  const here = above + (1 << ROW_SHIFT);
  const start = load<u32>(above, END);
  const letterAt = scratch + start;
  const lead = <u32>load<u8>(letterAt);
  const letter = i32x4.splat(lead < 0x80 ? lead : codePointAt(letterAt));
  store<u32>(here, start + characterBytes(lead), END);

  // The letter of the word that lane 0 ends with: j - 1, where j = depth + 1 - limit - 1.
  const place = depth + MARGIN - limit - 1;
  const letters = scratch + LETTERS_AT + ((<usize>place) << 2);
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
  row = v128.or(v128.or(row, v128.load64_zero(scratch + CEILINGS_AT + place + 1)), outside());
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
