/** Packs the occurrences of one term after the other, as `storage/segment/postings/format.ts` describes. */

import { allocate } from "../../shared/assembly/region";
import { OCCURRENCE_BYTES, placeOf, rowOf } from "./occurrence";
import { Output, writeNumber } from "./output";
import { longer, setCount, setOf } from "./sets";

const ROWS_PER_BLOCK: u32 = 128;
const BLOCK_SHIFT: u32 = 7;
const DENSE_ROWS: u64 = 16;
const HEAD_ONE_FORM_ONE_BLOCK: u32 = 2;
const POSITION_MASK: u32 = 0xffff;
const FORMS_FIRST: u32 = 128;
const NO_CODE: u32 = u32.MAX_VALUE;

let rowCount: u32 = 0;
/** Per row of the term being written: the row, its form and later the code of that. */
let termRows: usize = 0;
let termCodes: usize = 0;
/** For every block of rows: where its positions begin, and the bits of its gaps. */
let blockPositions: usize = 0;
let blockWidths: usize = 0;
/** Forms of the term in order of first use; by form its place there, NO_CODE between terms. */
let forms: usize = 0;
let formCodes: usize = 0;
let formsMax: u32 = 0;
let formCount: u32 = 0;

/** `rows` of the segment; no term has more than `most` occurrences. */
export function openPostings(rows: u32, most: u32): void {
  rowCount = rows;
  termRows = allocate((<usize>most) << 2);
  termCodes = allocate((<usize>most) << 2);
  const blocks = <usize>(most >> BLOCK_SHIFT) + 1;
  blockPositions = allocate(blocks << 2);
  blockWidths = allocate(blocks);
  makeRoomForForms(FORMS_FIRST);
}

function makeRoomForForms(count: u32): void {
  formsMax = count;
  forms = allocate((<usize>count) << 2);
  formCodes = allocate((<usize>count) << 2);
  memory.fill(formCodes, 0xff, (<usize>count) << 2);
}

/** Writes the occurrences in `[from, to)`, and what the terms part says of the term to `entries`. */
export function writeTerm(from: usize, to: usize, entries: Output, postings: Output, positions: Output): void {
  if (load<u32>(from) === load<u32>(to - 8)) {
    const form = formOf(from, to);
    entries.number(1);
    entries.number(load<u32>(from));
    entries.number(form);
    entries.at = writePositions(entries.at, from, to, (form & 1) === 1);
    return;
  }
  const positionsBefore = positions.at;
  const count = writeOccurrences(from, to, positions);
  const postingsBefore = postings.at;
  writeRows(count, postings);
  entries.number(count);
  entries.number(<u32>(postings.at - postingsBefore));
  entries.number(<u32>(positions.at - positionsBefore));
}

/** Writes all positions and notes rows and forms; returns the number of rows. */
function writeOccurrences(from: usize, to: usize, positions: Output): u32 {
  const begin = positions.at;
  const rows = termRows;
  const codes = termCodes;
  let at = begin;
  let count: u32 = 0;
  for (let start = from; start < to; ) {
    const row = rowOf(start);
    let end = start + OCCURRENCE_BYTES;
    while (end < to && rowOf(end) === row) end += OCCURRENCE_BYTES;
    if ((count & (ROWS_PER_BLOCK - 1)) === 0) {
      store<u32>(blockPositions + ((<usize>(count >> BLOCK_SHIFT)) << 2), <u32>(at - begin));
    }
    const place = (<usize>count) << 2;
    store<u32>(rows + place, row);
    if (end === start + OCCURRENCE_BYTES) {
      const only = placeOf(start);
      store<u32>(codes + place, setOf(only >> 16) << 1);
      at = writeNumber(at, only & POSITION_MASK);
    } else {
      const form = formOf(start, end);
      store<u32>(codes + place, form);
      at = writePositions(at, start, end, (form & 1) === 1);
    }
    count++;
    start = end;
  }
  positions.at = at;
  return count;
}

/** The form of one row: its set of fields, and whether the term stands more than once in one of them. */
function formOf(from: usize, to: usize): u32 {
  let field = placeOf(from) >> 16;
  let prefix = field;
  let repeated: u32 = 0;
  for (let at = from + OCCURRENCE_BYTES; at < to; at += OCCURRENCE_BYTES) {
    const next = placeOf(at) >> 16;
    if (next === field) {
      repeated = 1;
    } else {
      field = next;
      prefix = longer(prefix, field);
    }
  }
  return (setOf(prefix) << 1) | repeated;
}

/** The record of one row; returns the address behind it. */
function writePositions(out: usize, from: usize, to: usize, repeated: bool): usize {
  let at = out;
  let field: u32 = u32.MAX_VALUE;
  let previous: u32 = 0;
  for (let own = from; own < to; own += OCCURRENCE_BYTES) {
    const place = placeOf(own);
    const next = own + OCCURRENCE_BYTES;
    const position = place & POSITION_MASK;
    let value = place >> 16 === field ? position - previous : position;
    field = place >> 16;
    previous = position;
    if (repeated) value = (value << 1) | <u32>(next < to && placeOf(next) >> 16 === field);
    at = writeNumber(at, value);
  }
  return at;
}

function writeRows(count: u32, postings: Output): void {
  numberForms(count);
  const dense = <u64>count * DENSE_ROWS >= <u64>rowCount;
  if (!dense) measureGaps(count);
  const oneBlock = !dense && formCount === 1 && count <= ROWS_PER_BLOCK;
  if (oneBlock) postings.number(((<u32>load<u8>(blockWidths)) << 2) | HEAD_ONE_FORM_ONE_BLOCK);
  else postings.number((formCount << 2) | <u32>dense);
  for (let i: u32 = 0; i < formCount; i++) postings.number(load<u32>(forms + ((<usize>i) << 2)));
  writeSkips(count, dense, postings);
  writeCodes(count, postings);
  if (dense) writeBitmap(count, postings);
  else writeGaps(count, oneBlock, postings);
  for (let i: u32 = 0; i < formCount; i++) {
    store<u32>(formCodes + ((<usize>load<u32>(forms + ((<usize>i) << 2))) << 2), NO_CODE);
  }
}

/** Replaces the forms of the term's rows by their numbers in `forms`. */
function numberForms(count: u32): void {
  if (formsMax < 2 * setCount) makeRoomForForms(4 * setCount);
  const codes = formCodes;
  let used: u32 = 0;
  const end = termCodes + ((<usize>count) << 2);
  for (let at = termCodes; at < end; at += 4) {
    const form = load<u32>(at);
    const known = codes + ((<usize>form) << 2);
    let code = load<u32>(known);
    if (code === NO_CODE) {
      code = used++;
      store<u32>(known, code);
      store<u32>(forms + ((<usize>code) << 2), form);
    }
    store<u32>(at, code);
  }
  formCount = used;
}

function rowAt(i: u32): u32 {
  return load<u32>(termRows + ((<usize>i) << 2));
}

function measureGaps(count: u32): void {
  let previous: u32 = u32.MAX_VALUE;
  for (let first: u32 = 0; first < count; first += ROWS_PER_BLOCK) {
    const end = min(count, first + ROWS_PER_BLOCK);
    let bits: u32 = 0;
    for (let i = first; i < end; i++) {
      const row = rowAt(i);
      bits |= row - previous - 1;
      previous = row;
    }
    store<u8>(blockWidths + (first >> BLOCK_SHIFT), 32 - clz(bits));
  }
}

function writeSkips(count: u32, dense: bool, postings: Output): void {
  let offset: u32 = 0;
  for (let block: u32 = 1; block << BLOCK_SHIFT < count; block++) {
    postings.u32(rowAt((block << BLOCK_SHIFT) - 1));
    postings.u32(load<u32>(blockPositions + ((<usize>block) << 2)));
    if (dense) continue;
    offset += 1 + ((<u32>load<u8>(blockWidths + block - 1)) << (BLOCK_SHIFT - 3));
    postings.u32(offset);
  }
}

function writeCodes(count: u32, postings: Output): void {
  if (formCount <= 1) return;
  const bits = 32 - clz(formCount - 1);
  let at = postings.at;
  let held: u64 = 0;
  let heldBits: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    held |= (<u64>load<u32>(termCodes + ((<usize>i) << 2))) << heldBits;
    heldBits += bits;
    while (heldBits >= 8) {
      store<u8>(at++, held);
      held >>= 8;
      heldBits -= 8;
    }
  }
  if (heldBits > 0) store<u8>(at++, held);
  postings.at = at;
}

function writeBitmap(count: u32, postings: Output): void {
  const size = (<usize>rowCount + 7) >> 3;
  const start = postings.at;
  memory.fill(start, 0, size);
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(i);
    const at = start + (row >> 3);
    store<u8>(at, <u32>load<u8>(at) | ((<u32>1) << (row & 7)));
  }
  postings.at = start + size;
}

function writeGaps(count: u32, oneBlock: bool, postings: Output): void {
  let previous: u32 = u32.MAX_VALUE;
  let at = postings.at;
  for (let first: u32 = 0; first < count; first += ROWS_PER_BLOCK) {
    const width = <u32>load<u8>(blockWidths + (first >> BLOCK_SHIFT));
    if (!oneBlock) store<u8>(at++, width);
    const end = min(count, first + ROWS_PER_BLOCK);
    let held: u64 = 0;
    let heldBits: u32 = 0;
    for (let i = first; i < end; i++) {
      const row = rowAt(i);
      held |= (<u64>(row - previous - 1)) << heldBits;
      previous = row;
      heldBits += width;
      while (heldBits >= 8) {
        store<u8>(at++, held);
        held >>= 8;
        heldBits -= 8;
      }
    }
    if (heldBits > 0) store<u8>(at++, held);
  }
  postings.at = at;
}
