/**
 * The term that is being read: where its rows, forms and positions are, as the postings part of a segment has them.
 * These numbers are those of the call under way; `open` sets all of them, so nothing lasts from one call to the next.
 */
import { SECOND } from "../../shared/assembly/characters";
import { at as readAt, readFrom, readNumber } from "../../shared/assembly/reading";
import { Ref } from "./layout";

export const REF_BYTES: usize = offsetof<Ref>();
const BLOCK_SHIFT: u32 = 7;
const EACH_BYTE: u64 = ((<u64>0x0101_0101) << 32) | 0x0101_0101;
const CONTINUED: u64 = ((<u64>0x8080_8080) << 32) | 0x8080_8080;

/** What stands in front of a block but the first: see `storage/segment/postings/format.ts`. Bitmaps have no gaps. */
@unmanaged
class Skip {
  rowBefore: u32;
  positions: u32;
  gaps: u32;
}

const BITMAP_SKIP_BYTES: usize = offsetof<Skip>("gaps");
const GAPS_SKIP_BYTES: usize = offsetof<Skip>();

export let docCount: u32 = 0;
export let isDense: bool = false;
export let formCount: u32 = 0;
/** Bits of a code; the codes of a term of one form have none. */
export let codeBits: u32 = 0;
export let blocks: u32 = 0;
/** Where the bitmap or the first block of gaps begins. */
export let rowsAt: usize = 0;
/** Width of the gaps when it is in the head, otherwise -1. */
export let headWidth: i32 = 0;
/** The row of a term of one row. */
export let onlyRow: u32 = 0;
let onlyForm: u32 = 0;
let formsAt: usize = 0;
/** Bytes of every form, 0 when they differ. */
let formBytes: u32 = 0;
/** Then the first forms, sixteen bits each, which are those of most rows; none when they are wider. */
let heldForms: u64 = 0;
let nextHeldForms: u64 = 0;
let heldCount: u32 = 0;
let codesAt: usize = 0;
let skipsAt: usize = 0;
let skipBytes: usize = 0;
let positionsAt: usize = 0;
/** The record of the row of rank `recordIndex` is at `recordAt`. */
let recordAt: usize = 0;
let recordIndex: u32 = 0;
let setOffsetsAt: usize = 0;
let setFieldsAt: usize = 0;

/** Where field sets are; needed before positions are read. */
export function useSets(setOffsets: usize, setFields: usize): void {
  setOffsetsAt = setOffsets;
  setFieldsAt = setFields;
}

export function open(at: usize): void {
  const ref = changetype<Ref>(at);
  docCount = ref.docCount;
  positionsAt = ref.positions;
  recordAt = positionsAt;
  recordIndex = 0;
  if (docCount === 1) {
    isDense = false;
    formCount = 1;
    codeBits = 0;
    blocks = 1;
    onlyRow = ref.row;
    onlyForm = ref.form;
    return;
  }
  readFrom(ref.postings);
  const head = readNumber();
  const oneBlock = (head & 3) === 2;
  isDense = (head & 1) === 1;
  headWidth = oneBlock ? head >> 2 : -1;
  formCount = oneBlock ? 1 : head >> 2;
  formsAt = readAt;
  const formsEnd = behindVarints(formsAt, formCount);
  const size = <u32>(formsEnd - formsAt);
  formBytes = size === formCount ? 1 : size === formCount << 1 ? twoBytesEach(formsEnd) : 0;
  onlyForm = readNumber();
  if (formBytes === 0) holdForms();
  codeBits = formCount <= 1 ? 0 : 32 - clz(formCount - 1);
  skipsAt = formsEnd;
  skipBytes = isDense ? BITMAP_SKIP_BYTES : GAPS_SKIP_BYTES;
  blocks = (docCount + 127) >> BLOCK_SHIFT;
  codesAt = skipsAt + <usize>(blocks - 1) * skipBytes;
  rowsAt = codesAt + ((<usize>docCount * codeBits + 7) >> 3);
}

/** 2 when all forms, which take two bytes on average and end at `end`, take two bytes. */
function twoBytesEach(end: usize): u32 {
  for (let at = formsAt; at < end; at += 2) if (load<u8>(at) < 0x80 || load<u8>(at, SECOND) >= 0x80) return 0;
  return 2;
}

function holdForms(): void {
  heldForms = 0;
  nextHeldForms = 0;
  heldCount = min(formCount, 8);
  readFrom(formsAt);
  for (let code: u32 = 0; code < heldCount; code++) {
    const form = readNumber();
    if (form > 0xffff) heldCount = code;
    else if (code < 4) heldForms |= (<u64>form) << (<u64>(code << 4));
    else nextHeldForms |= (<u64>form) << (<u64>((code & 3) << 4));
  }
}

/** The row before a block; blocks count from 1 here. */
export function rowBefore(block: u32): u32 {
  return changetype<Skip>(skipsAt + <usize>(block - 1) * skipBytes).rowBefore;
}

/** Where the gaps of a block begin. */
export function gapsOf(block: u32): usize {
  return block === 0 ? rowsAt : rowsAt + changetype<Skip>(skipsAt + <usize>(block - 1) * GAPS_SKIP_BYTES).gaps;
}

/** The last block, from `block` on, with no row of it or behind it below `target` missed. */
export function leap(block: u32, target: u32): u32 {
  const last = blocks - 1;
  let low = block;
  if (low === last || rowBefore(low + 1) >= target) return low;
  let step: u32 = 1;
  while (low + step < last && rowBefore(low + step) < target) {
    low += step;
    step <<= 1;
  }
  let high = min(last, low + step);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowBefore(middle) < target) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What is asked of the open term for every row; methods, since only those can be told to dissolve in their callers. */
class OpenTerm {
  /** The number of the form of a row, by rank of the row; only for terms of several forms. */
  @inline
  codeAt(index: u32): u32 {
    const bit = index * codeBits;
    return (load<u32>(codesAt + (bit >> 3)) >> (bit & 7)) & ((1 << codeBits) - 1);
  }

  @inline
  formOf(code: u32): u32 {
    if (formBytes === 1) return load<u8>(formsAt + code);
    return longFormOf(code);
  }

  /** Field set << 1 | repeated, by rank of the row. */
  @inline
  formAt(index: u32): u32 {
    return codeBits === 0 ? onlyForm : this.formOf(this.codeAt(index));
  }

  /** Where the positions of a row are, by its rank; ranks must ascend. */
  @inline
  recordOf(index: u32): usize {
    const first = index & ~127;
    let from = recordIndex;
    let at = recordAt;
    if (from < first) {
      from = first;
      at = positionsAt + changetype<Skip>(skipsAt + <usize>((first >> BLOCK_SHIFT) - 1) * skipBytes).positions;
    }
    return from < index ? behindRecords(at, from, index) : at;
  }
}

export const term = changetype<OpenTerm>(<usize>0);

function longFormOf(code: u32): u32 {
  if (formBytes === 2) {
    const pair = <u32>load<u16>(formsAt + (code << 1));
    return (pair & 0x7f) | ((pair >> 8) << 7);
  }
  if (code < heldCount) return <u32>(select(heldForms, nextHeldForms, code < 4) >> <u64>((code & 3) << 4)) & 0xffff;
  readFrom(behindVarints(formsAt, code));
  return readNumber();
}

/** Number of fields in a set. */
export function setSize(set: u32): u32 {
  const pair = load<u64>(setOffsetsAt + ((<usize>set) << 2));
  return <u32>(pair >> 32) - <u32>pair;
}

/** Where the fields of a set begin. */
export function fieldsOf(set: u32): usize {
  return setFieldsAt + ((<usize>load<u32>(setOffsetsAt + ((<usize>set) << 2))) << 1);
}

/** To be told where the record of a row ends, once it was read. */
export function recordEnded(index: u32, at: usize): void {
  recordIndex = index + 1;
  recordAt = at;
}

/** Passes the records of the rows of rank `from` to `to - 1`. */
function behindRecords(start: usize, from: u32, to: u32): usize {
  let at = start;
  if (codeBits === 0) {
    const fields = setSize(onlyForm >> 1) * (to - from);
    return (onlyForm & 1) === 1 ? behindRepeated(at, fields) : behindVarints(at, fields);
  }
  // Fields with one position each are passed together.
  let single: u32 = 0;
  const mask = ((<u64>1) << codeBits) - 1;
  const together = 56 / codeBits;
  for (let i = from; i < to; ) {
    const bit = i * codeBits;
    let held = load<u64>(codesAt + (bit >> 3)) >> (<u64>bit & 7);
    for (const end = min(to, i + together); i < end; i++) {
      const form = term.formOf(<u32>(held & mask));
      held >>= <u64>codeBits;
      const fields = setSize(form >> 1);
      if ((form & 1) === 0) {
        single += fields;
        continue;
      }
      at = behindRepeated(behindVarints(at, single), fields);
      single = 0;
    }
  }
  return behindVarints(at, single);
}

function behindVarints(start: usize, count: u32): usize {
  let at = start;
  let left = count;
  while (left > 0) {
    const ends = ~load<u64>(at) & CONTINUED;
    const found = <u32>popcnt(ends);
    if (found >= left) return at + nthByte(ends, left) + 1;
    left -= found;
    at += 8;
  }
  return at;
}

/** Passes fields of which each position says whether another one follows. */
function behindRepeated(start: usize, fields: u32): usize {
  const bytes = load<u64>(start);
  const ends = ~bytes & CONTINUED;
  const lasts = ((ends << 8) | 0x80) & ~(bytes << 7);
  if (<u32>popcnt(lasts) >= fields) {
    const last = nthByte(lasts, fields);
    const end = ends >> ((<u64>last) << 3);
    if (end !== 0) return start + last + (<usize>ctz(end) >> 3) + 1;
  }
  return behindFields(start, fields, 1);
}

/** Passes fields byte by byte; with `repeated` = 1 each position says whether another one follows, else none does. */
export function behindFields(start: usize, fields: u32, repeated: u32): usize {
  let at = start;
  let left = fields;
  while (left > 0) {
    let byte = <u32>load<u8>(at++);
    left -= 1 - (byte & repeated);
    while (byte >= 0x80) byte = load<u8>(at++);
  }
  return at;
}

/** Of eight bytes with nothing but their highest bits, which is the nth that has it: counts how many are before. */
function nthByte(highest: u64, nth: u32): usize {
  const upTo = (highest >> 7) * EACH_BYTE;
  return 8 - <usize>popcnt(((upTo | CONTINUED) - <u64>nth * EACH_BYTE) & CONTINUED);
}
