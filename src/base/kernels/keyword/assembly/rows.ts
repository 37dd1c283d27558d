/** Terms and sets of rows: adding all rows of terms, and which terms have some. Positions are never looked at. */
import { bitAt, setBit } from "./bits";
import {
  blocks,
  codeBits,
  docCount,
  formCount,
  headWidth,
  isDense,
  onlyRow,
  open,
  REF_BYTES,
  rowsAt,
  term,
} from "./term";
import { findInGaps, visitAll } from "./visit";

/** As many gaps of this width as named fit 64 bits together with the rest of a byte. */
const FOUR_GAPS_WIDTH: u32 = 14;
const TWO_GAPS_WIDTH: u32 = 28;
/** Wanted forms are remembered as bits of a number. */
const FORMS_MAX: u32 = 64;

/** The set that the rows of a term are added to or looked for in. */
let setAt: usize = 0;
let marksAt: usize = 0;
let wantedForms: u64 = 0;

export function unionRows(refs: usize, count: u32, rows: u32, bits: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    addRows(rows, bits);
  }
}

export function unionRowsInSets(refs: usize, count: u32, rows: u32, marks: usize, bits: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    let marked: u32 = 0;
    let wanted: u64 = 0;
    if (codeBits === 0) {
      marked = load<u8>(marks + (term.formAt(0) >> 1));
    } else {
      for (let code: u32 = 0; code < formCount; code++) {
        const mark = <u32>load<u8>(marks + (term.formOf(code) >> 1));
        marked += mark;
        if (code < FORMS_MAX) wanted |= (<u64>mark) << code;
      }
    }
    if (marked === formCount) addRows(rows, bits);
    else if (marked > 0) addWanted(marks, wanted, bits);
  }
}

/** Refs of the terms that have a row of a set; returns how many. */
export function refsAmong(refs: usize, count: u32, rows: u32, bits: usize, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const ref = refs + <usize>i * REF_BYTES;
    open(ref);
    if (!isAmong(rows, bits)) continue;
    memory.copy(to, ref, REF_BYTES);
    to += REF_BYTES;
  }
  return <u32>((to - out) / REF_BYTES);
}

function isAmong(rows: u32, bits: usize): bool {
  if (docCount === 1) return bitAt(bits, onlyRow) === 1;
  return isDense ? meetsBitmap((rows + 7) >> 3, bits) : meetsGaps(bits);
}

function meetsBitmap(bytes: usize, bits: usize): bool {
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) if (v128.any_true(v128.and(v128.load(bits + i), v128.load(rowsAt + i)))) return true;
  for (; i < bytes; i++) if ((<u32>load<u8>(bits + i) & <u32>load<u8>(rowsAt + i)) !== 0) return true;
  return false;
}

function meetsGaps(bits: usize): bool {
  setAt = bits;
  return findInGaps<Member>();
}

class Member {
  @inline
  isFound(row: u32, _index: u32): bool {
    return bitAt(setAt, row) === 1;
  }
}

function addRows(rows: u32, bits: usize): void {
  if (docCount === 1) setBit(bits, onlyRow);
  else if (isDense) addBitmap((rows + 7) >> 3, bits);
  else addGaps(bits);
}

function addBitmap(bytes: usize, bits: usize): void {
  let i: usize = 0;
  for (; i + 16 <= bytes; i += 16) v128.store(bits + i, v128.or(v128.load(bits + i), v128.load(rowsAt + i)));
  for (; i < bytes; i++) store<u8>(bits + i, load<u8>(bits + i) | load<u8>(rowsAt + i));
}

function addGaps(bits: usize): void {
  let at = rowsAt;
  let row: u32 = -1;
  for (let block: u32 = 0; block < blocks; block++) {
    const count = min(docCount - (block << 7), 128);
    const width = headWidth >= 0 ? <u32>headWidth : <u32>load<u8>(at++);
    row = addBlock(at, width, count, row, bits);
    at += (width * count + 7) >> 3;
  }
}

/** Adds the rows of a block of gaps; returns the last one. */
function addBlock(at: usize, width: u32, count: u32, before: u32, bits: usize): u32 {
  const mask = ((<u64>1) << width) - 1;
  let row = before;
  let bit: u32 = 0;
  let i: u32 = 0;
  if (width <= FOUR_GAPS_WIDTH) {
    const wide = <u64>width;
    for (; i + 4 <= count; i += 4) {
      const held = load<u64>(at + (bit >> 3)) >> (<u64>bit & 7);
      row += <u32>(held & mask) + 1;
      setBit(bits, row);
      row += <u32>((held >> wide) & mask) + 1;
      setBit(bits, row);
      row += <u32>((held >> (wide * 2)) & mask) + 1;
      setBit(bits, row);
      row += <u32>((held >> (wide * 3)) & mask) + 1;
      setBit(bits, row);
      bit += width << 2;
    }
  } else if (width <= TWO_GAPS_WIDTH) {
    for (; i + 2 <= count; i += 2) {
      const held = load<u64>(at + (bit >> 3)) >> (<u64>bit & 7);
      row += <u32>(held & mask) + 1;
      setBit(bits, row);
      row += <u32>((held >> <u64>width) & mask) + 1;
      setBit(bits, row);
      bit += width << 1;
    }
  }
  for (; i < count; i++) {
    row += <u32>((load<u64>(at + (bit >> 3)) >> (<u64>bit & 7)) & mask) + 1;
    setBit(bits, row);
    bit += width;
  }
  return row;
}

/** Adds the rows of a term of several forms that have a wanted one. */
function addWanted(marks: usize, wanted: u64, bits: usize): void {
  marksAt = marks;
  wantedForms = wanted;
  setAt = bits;
  visitAll<Wanted>();
}

class Wanted {
  @inline
  visit(row: u32, index: u32): void {
    const at = setAt + (row >> 3);
    store<u8>(at, <u8>(<u32>load<u8>(at) | (isWanted(index) << (row & 7))));
  }
}

/** Whether the row of a rank counts: 1 or 0. */
function isWanted(index: u32): u32 {
  const code = term.codeAt(index);
  if (formCount <= FORMS_MAX) return <u32>(wantedForms >> <u64>code) & 1;
  return load<u8>(marksAt + (term.formOf(code) >> 1));
}
