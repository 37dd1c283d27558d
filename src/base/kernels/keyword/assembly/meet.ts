/**
 * Meets terms with the rows of a list: whichever side is behind leaps to the other. What is done with a row both have
 * is up to a visitor, a class without state whose `visit` gets the position in the list and the rank in the term.
 */
import { bitAt, bitsBetween, firstNotBelow, rowAt } from "./bits";
import { isIn, rankAt, wordOf } from "./ranks";
import {
  blocks,
  docCount,
  gapsOf,
  headWidth,
  isDense,
  leap,
  onlyRow,
  open,
  REF_BYTES,
  rowBefore,
  rowsAt,
} from "./term";
import { visitGaps } from "./visit";

/** Bits further apart than this are counted with the help of the skips. */
const COUNTED_BITS_MAX: u32 = 512;
const NO_ROW: u32 = 0xffff_ffff;
/** A list this many times shorter than the term decides where to look; otherwise all rows of the term are looked up. */
const SHORTER: u32 = 8;
/** A list with fewer than one row in this many is not worth going through all words of a bitmap. */
const SPARSE: u32 = 32;

/** The list of the call under way, and how many rows it has. */
let listAt: usize = 0;
let listLength: u32 = 0;
/** The list as a set, and the number of its rows below every 64th row; 0 and 0 when there are none. */
let bitsAt: usize = 0;
let ranksAt: usize = 0;
/** Only rows of this set, 0 for all. */
let amongAt: usize = 0;

export function useList(list: usize, length: u32, bits: usize, ranks: usize, among: usize): void {
  listAt = list;
  listLength = length;
  bitsAt = bits;
  ranksAt = ranks;
  amongAt = among;
}

export function meetAll<Visitor>(refs: usize, count: u32, rows: u32): void {
  if (listLength === 0) return;
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    if (docCount === 1) {
      meetOne<Visitor>();
    } else if (isDense) {
      if (ranksAt !== 0 && listLength > rows / SPARSE) meetWords<Visitor>(rows);
      else meetBitmap<Visitor>();
    } else {
      if (ranksAt !== 0 && listLength > docCount / SHORTER) visitGaps<LookedUp<Visitor>>();
      else meetGaps<Visitor>();
    }
  }
}

function meetOne<Visitor>(): void {
  const row = onlyRow;
  if (amongAt !== 0 && bitAt(amongAt, row) === 0) return;
  let p: u32;
  if (ranksAt !== 0) {
    const word = wordOf(bitsAt, row);
    if (isIn(word, row) === 0) return;
    p = rankAt(word, ranksAt, row);
  } else {
    p = firstNotBelow(listAt, 0, listLength, row);
    if (p === listLength || rowAt(listAt, p) !== row) return;
  }
  changetype<Visitor>(<usize>0).visit(p, 0);
}

/** Looks up every row of the term in the list. */
class LookedUp<Visitor> {
  @inline
  visit(row: u32, index: u32): void {
    const word = wordOf(bitsAt, row);
    if (isIn(word, row) === 0 || (amongAt !== 0 && bitAt(amongAt, row) === 0)) return;
    changetype<Visitor>(<usize>0).visit(rankAt(word, ranksAt, row), index);
  }
}

/** Looks at 64 rows of both sides at a time. */
function meetWords<Visitor>(rows: u32): void {
  const bits = bitsAt;
  const ranks = ranksAt;
  const among = amongAt;
  const visitor = changetype<Visitor>(<usize>0);
  const bitmap = rowsAt;
  /** Rows of the term before the 64. */
  let index: u32 = 0;
  for (let first: u32 = 0; first < rows; first += 64) {
    const ofTerm = load<u64>(bitmap + (first >> 3));
    const ofList = load<u64>(bits + (first >> 3));
    let both = ofTerm & ofList;
    if (among !== 0) both &= load<u64>(among + (first >> 3));
    const rank = load<u32>(ranks + ((<usize>(first >> 6)) << 2));
    for (; both !== 0; both &= both - 1) {
      const below = (both & (0 - both)) - 1;
      visitor.visit(rank + <u32>popcnt(ofList & below), index + <u32>popcnt(ofTerm & below));
    }
    index += <u32>popcnt(ofTerm);
  }
}

/** Looks up every row of the list in the bitmap. */
function meetBitmap<Visitor>(): void {
  const list = listAt;
  const among = amongAt;
  const visitor = changetype<Visitor>(<usize>0);
  const bitmap = rowsAt;
  /** Rows of the term below `counted`. */
  let index: u32 = 0;
  let counted: u32 = 0;
  for (let first: u32 = 0; first < listLength; first += 64) {
    // Which of the next rows are in the term is not to be foreseen: finding out needs no branches, visiting does.
    let found: u64 = 0;
    const length = min<u32>(64, listLength - first);
    for (let i: u32 = 0; i < length; i++) {
      found |= (<u64>bitAt(bitmap, rowAt(list, first + i))) << (<u64>i);
    }
    for (; found !== 0; found &= found - 1) {
      const p = first + <u32>ctz(found);
      const row = rowAt(list, p);
      if (among !== 0 && bitAt(among, row) === 0) continue;
      if (visitor.needsRank()) {
        if (row - counted > COUNTED_BITS_MAX) {
          const block = leap(index >> 7, row);
          if (block > index >> 7) {
            index = block << 7;
            counted = rowBefore(block) + 1;
          }
        }
        index += bitsBetween(bitmap, counted, row);
        counted = row;
      }
      visitor.visit(p, index);
    }
  }
}

/** Whichever side is behind leaps to the other. */
function meetGaps<Visitor>(): void {
  const list = listAt;
  const among = amongAt;
  const visitor = changetype<Visitor>(<usize>0);
  const last = blocks - 1;
  let p: u32 = 0;
  let target = load<u32>(list);
  for (let block: u32 = 0; block <= last; block++) {
    block = leap(block, target);
    let row: u32 = block === 0 ? -1 : rowBefore(block);
    const lastRow = block < last ? rowBefore(block + 1) : NO_ROW;
    let at = gapsOf(block);
    const width = headWidth >= 0 ? <u32>headWidth : <u32>load<u8>(at++);
    const mask = ((<u64>1) << width) - 1;
    const end = min(docCount, (block + 1) << 7);
    let bit: u32 = 0;
    for (let index = block << 7; index < end; index++) {
      row += <u32>((load<u64>(at + (bit >> 3)) >> (<u64>bit & 7)) & mask) + 1;
      bit += width;
      if (row < target) continue;
      if (row > target) {
        if (++p === listLength) return;
        target = load<u32>(list + ((<usize>p) << 2));
        if (target < row) {
          p = firstNotBelow(list, p + 1, listLength, row);
          if (p === listLength) return;
          target = load<u32>(list + ((<usize>p) << 2));
        }
        if (row < target) {
          if (target > lastRow) break;
          continue;
        }
      }
      if (among === 0 || bitAt(among, row) === 1) visitor.visit(p, index);
      if (++p === listLength) return;
      target = load<u32>(list + ((<usize>p) << 2));
      if (target > lastRow) break;
    }
  }
}
