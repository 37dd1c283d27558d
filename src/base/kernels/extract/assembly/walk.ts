/** Walks documents, which are known to be valid JSON: words to the vocabulary, values to the columns, names to the field sets. */

import { storedEnd, storedForm } from "../../documents/assembly/lay";
import { ByteRange } from "../../shared/assembly/byte-range";
import { FOURTH, SECOND, THIRD } from "../../shared/assembly/characters";
import {
  ARRAY_END,
  ARRAY_START,
  BACKSLASH,
  COMMA,
  hadEscapes,
  OBJECT_START,
  plainEnd,
  QUOTE,
  SPACE,
  stringEnd,
  valueEnd,
} from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { Table } from "../../shared/assembly/table";
import { addRow } from "./columns";
import { childOf, countWords, Field, Node, visit } from "./fields";
import { apart, fieldSet } from "./host";
import { beginDocument, endDocument, openSlab, packMember } from "./pack";
import { readPlain, readText } from "./runs";
import { beginRow } from "./words";

const SMALL_F: u32 = 0x66;
const SMALL_N: u32 = 0x6e;
const SMALL_T: u32 = 0x74;
const SMALL_U: u32 = 0x75;

/** Kinds of nodes: read; of no interest. All above are kept apart by the host. */
const READ: u32 = 0;
const UNWANTED: u32 = 1;

const TOP_FIELDS_USUAL: u32 = 256;
/** Room behind a string for reading it many bytes at a time. */
const BEHIND_BYTES: usize = 16;

/** Where the walk stands, and in which row. */
let at: usize = 0;
let row: u32 = 0;
let unescaped: usize = 0;
let unescapedMax: usize = 0;
/** Numbers of the fields at the top of the document. */
let topFields: usize = 0;
let topFieldsMax: u32 = 0;
/** Field sets by such numbers; that of each row. */
let fieldSets: Table = changetype<Table>(0);
let rowFieldSets: usize = 0;

export function openWalk(rows: u32): void {
  unescapedMax = 4096;
  unescaped = allocate(unescapedMax + BEHIND_BYTES);
  topFieldsMax = TOP_FIELDS_USUAL;
  topFields = allocate(((<usize>topFieldsMax) << 2) + BEHIND_BYTES);
  fieldSets = changetype<Table>(allocate(offsetof<Table>()));
  fieldSets.prepare();
  rowFieldSets = allocate((<usize>rows) << 2);
}

/** The field set of every row, as the host numbers them. */
export function fieldSetsOfRows(): usize {
  return rowFieldSets;
}

/**
 * Documents `bytes + offsets[i]` to `bytes + offsets[i + 1]`, as rows from `firstRow` on. 16 bytes behind may be read, and
 * behind `packed` as many as the documents have and 16 more may be written.
 */
export function walkDocuments(
  root: usize,
  bytes: usize,
  offsets: usize,
  count: u32,
  firstRow: u32,
  packed: usize,
  packedEnds: usize,
  packedBefore: u32,
): void {
  openSlab(packed, packedEnds, packedBefore);
  for (let i: u32 = 0; i < count; i++) {
    const place = changetype<ByteRange>(offsets + ((<usize>i) << 2));
    walkDocument(changetype<Node>(root), bytes + place.start, bytes + place.end, firstRow + i);
  }
}

/**
 * The same for documents as they came, `base + ranges[2 i]` to `base + ranges[2 i + 1]`: each is brought into its stored form
 * first, in `room` where it has another. Stops at one that is left to the host; returns how many were walked.
 */
export function takeDocuments(
  root: usize,
  base: usize,
  ranges: usize,
  count: u32,
  firstRow: u32,
  room: usize,
  packed: usize,
  packedEnds: usize,
  packedBefore: u32,
): u32 {
  openSlab(packed, packedEnds, packedBefore);
  for (let i: u32 = 0; i < count; i++) {
    const range = changetype<ByteRange>(ranges + <usize>i * offsetof<ByteRange>());
    const from = storedForm(base + range.start, base + range.end, room);
    if (from === 0) return i;
    walkDocument(changetype<Node>(root), from, storedEnd, firstRow + i);
  }
  return count;
}

function walkDocument(root: Node, begin: usize, end: usize, number: u32): void {
  row = number;
  at = begin;
  beginRow(row);
  beginDocument(at);
  passBlanks();
  let fields: u32 = 0;
  if (load<u8>(at) === OBJECT_START) fields = members(root, true);
  endDocument(end, fields);
  store<u32>(rowFieldSets + ((<usize>row) << 2), fieldSetOf(fields));
  countWords(row);
}

function fieldSetOf(count: u32): u32 {
  const entry = fieldSets.entry(topFields, count << 2);
  if (fieldSets.isNew) entry.value = fieldSet(topFields, count);
  return entry.value;
}

function passBlanks(): void {
  while (<u32>load<u8>(at) <= SPACE) at++;
}

/** Reads the members of the object at `at`; returns how many there are. */
function members(node: Node, top: bool): u32 {
  let count: u32 = 0;
  at++;
  for (;;) {
    let byte = <u32>load<u8>(at);
    while (byte <= SPACE || byte === COMMA) byte = load<u8>(++at);
    if (byte !== QUOTE) break;
    const start = at + 1;
    at = stringEnd(at);
    const child = childOf(node, start, <u32>(at - 1 - start));
    const nameEnd = at;
    do at++;
    while (<u32>load<u8>(at) <= SPACE || load<u8>(at) === 0x3a);
    const value = at;
    if (top) addTopField(count, child.topFieldNumber);
    count++;
    if (child.kind === READ) member(child, top);
    else skip(child);
    if (top) packMember(start - 1, nameEnd, value, at, child.topFieldNumber);
  }
  at++;
  return count;
}

function addTopField(place: u32, topFieldNumber: u32): void {
  if (place === topFieldsMax) {
    const before = topFields;
    topFieldsMax *= 2;
    topFields = allocate(((<usize>topFieldsMax) << 2) + BEHIND_BYTES);
    memory.copy(topFields, before, (<usize>place) << 2);
  }
  store<u32>(topFields + ((<usize>place) << 2), topFieldNumber);
}

function skip(node: Node): void {
  const start = at;
  at = valueEnd(at);
  if (node.kind !== UNWANTED) apart(node.kind, row, start, <u32>(at - start));
}

/** The value of a key. A container below the top is itself a visit of the field, and so is an empty one. */
function member(node: Node, top: bool): void {
  const field = node.field;
  const column = field.column;
  if (column !== null) addRow(column.present, row);
  const byte = <u32>load<u8>(at);
  if (byte === OBJECT_START || byte === ARRAY_START) {
    if (!top) visit(field, row);
    const count = byte === OBJECT_START ? members(node, false) : elements(node);
    if (count > 0) return;
    visit(field, row);
    if (column !== null) addRow(column.empties, row);
    return;
  }
  if (column !== null) {
    if (byte === SMALL_N) addRow(column.nulls, row);
    else if (byte === QUOTE && load<u8>(at, SECOND) === QUOTE) addRow(column.empties, row);
  }
  leaf(field, byte);
}

/** Reads the elements of the array at `at`; returns how many there are. */
function elements(node: Node): u32 {
  let count: u32 = 0;
  at++;
  for (;;) {
    let byte = <u32>load<u8>(at);
    while (byte <= SPACE || byte === COMMA) byte = load<u8>(++at);
    if (byte === ARRAY_END) break;
    count++;
    if (byte === OBJECT_START) {
      if (members(node, false) === 0) visit(node.field, row);
    } else if (byte === ARRAY_START) {
      if (elements(node) === 0) visit(node.field, row);
    } else {
      leaf(node.field, byte);
    }
  }
  at++;
  return count;
}

/** A value that is no container and begins with `byte`. */
function leaf(field: Field, byte: u32): void {
  const start = at;
  const column = field.column;
  if (byte === QUOTE) {
    at = stringEnd(at);
    text(field, start + 1, at - 1);
    return;
  }
  at = plainEnd(at);
  if (byte === SMALL_N) {
    visit(field, row);
    return;
  }
  if (column !== null) {
    if (byte === SMALL_T || byte === SMALL_F) column.text(row, start, <u32>(at - start));
    else column.number(row, start, <u32>(at - start));
  }
  if (visit(field, row)) readPlain(field, start, at);
}

function text(field: Field, from: usize, to: usize): void {
  let start = from;
  let end = to;
  const column = field.column;
  if (hadEscapes) {
    if (column === null && !field.searchable) return;
    end = writeUnescaped(start, end);
    start = unescaped;
  }
  if (column !== null) column.text(row, start, <u32>(end - start));
  if (visit(field, row)) readText(field, start, end);
}

/** Writes the text that the JSON string `[start, end)` stands for to `unescaped`; returns where it ends. */
function writeUnescaped(start: usize, end: usize): usize {
  if (end - start > unescapedMax) {
    unescapedMax = 2 * (end - start);
    unescaped = allocate(unescapedMax + BEHIND_BYTES);
  }
  let from = start;
  let to = unescaped;
  while (from < end) {
    const byte = <u32>load<u8>(from++);
    if (byte !== BACKSLASH) {
      store<u8>(to++, byte);
      continue;
    }
    const kind = <u32>load<u8>(from++);
    if (kind !== SMALL_U) {
      store<u8>(to++, escapedByte(kind));
      continue;
    }
    let point = hexUnit(from);
    from += 4;
    if ((point & 0xfc00) === 0xd800 && from + 6 <= end && load<u16>(from) === 0x755c) {
      const low = hexUnit(from + 2);
      if ((low & 0xfc00) === 0xdc00) {
        point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
        from += 6;
      }
    }
    to = writePoint(to, point < 0x10000 && (point & 0xf800) === 0xd800 ? 0xfffd : point);
  }
  return to;
}

/** What `\b`, `\f`, `\n`, `\r`, `\t` stand for; others stand for themselves. */
function escapedByte(kind: u32): u32 {
  switch (kind) {
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return kind;
  }
}

function hexUnit(from: usize): u32 {
  let unit: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = <u32>load<u8>(from + i);
    unit = (unit << 4) | (byte <= 0x39 ? byte - 0x30 : (byte & 0x5f) - 0x37);
  }
  return unit;
}

/** UTF-8 of a code point; returns the address behind it. */
function writePoint(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, 0xc0 | (point >> 6));
    store<u8>(to, 0x80 | (point & 0x3f), SECOND);
    return to + 2;
  }
  if (point < 0x10000) {
    store<u8>(to, 0xe0 | (point >> 12));
    store<u8>(to, 0x80 | ((point >> 6) & 0x3f), SECOND);
    store<u8>(to, 0x80 | (point & 0x3f), THIRD);
    return to + 3;
  }
  store<u8>(to, 0xf0 | (point >> 18));
  store<u8>(to, 0x80 | ((point >> 12) & 0x3f), SECOND);
  store<u8>(to, 0x80 | ((point >> 6) & 0x3f), THIRD);
  store<u8>(to, 0x80 | (point & 0x3f), FOURTH);
  return to + 4;
}
