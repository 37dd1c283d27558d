/**
 * Sets of rows in lines of 512, and behind the bits of a set its map: one bit a line. Lines that are not on the map are
 * zero, and passed over, so that what few rows have costs little however many rows there are.
 */
import { bitsOr, listBits, setBit } from "../../keyword/assembly/bits";
import { record } from "../../keyword/assembly/places";
import { unionRows, unionRowsInSets } from "../../keyword/assembly/rows";
import { open, REF_BYTES, useSets } from "../../keyword/assembly/term";
import { visitAll } from "../../keyword/assembly/visit";
import { mapBytes, setBytes } from "./index-of";
import { Segment } from "./layout";

const LINE_BYTES: usize = 64;
export const LINE_ROWS: u32 = 512;

function mapOf(set: usize, w: usize): u64 {
  return load<u64>(set + setBytes + w);
}

/** Where the first line of some is in a set; `w`: where these are in the map. */
function lineAt(w: usize, lines: u64): usize {
  return ((w << 3) + <usize>ctz(lines)) * LINE_BYTES;
}

/** To call `memory.fill` for so little takes longer. */
function clearLine(at: usize): void {
  const none = i64x2.splat(0);
  v128.store(at, none);
  v128.store(at, none, 16);
  v128.store(at, none, 32);
  v128.store(at, none, 48);
}

/** Writes the rows that both have; what was there before is gone. */
export function andInto(out: usize, a: usize, b: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    const both = mapOf(a, w) & mapOf(b, w);
    for (let left = mapOf(out, w) & ~both; left !== 0; left &= left - 1) {
      clearLine(out + lineAt(w, left));
    }
    let some: u64 = 0;
    for (let left = both; left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      let any = i64x2.splat(0);
      for (let i = at; i < at + LINE_BYTES; i += 16) {
        const rows = v128.and(v128.load(a + i), v128.load(b + i));
        v128.store(out + i, rows);
        any = v128.or(any, rows);
      }
      if (v128.any_true(any)) some |= left & (0 - left);
    }
    store<u64>(out + setBytes + w, some);
  }
}

export function addTo(a: usize, b: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    const some = mapOf(b, w);
    for (let left = some; left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      bitsOr(a + at, a + at, b + at, LINE_BYTES);
    }
    store<u64>(a + setBytes + w, mapOf(a, w) | some);
  }
}

export function removeFrom(a: usize, b: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    let some = mapOf(a, w);
    for (let left = some & mapOf(b, w); left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      let any = i64x2.splat(0);
      for (let i = at; i < at + LINE_BYTES; i += 16) {
        const rows = v128.andnot(v128.load(a + i), v128.load(b + i));
        v128.store(a + i, rows);
        any = v128.or(any, rows);
      }
      if (!v128.any_true(any)) some &= ~(left & (0 - left));
    }
    store<u64>(a + setBytes + w, some);
  }
}

/** Adds what `b` and `c` both have to `a`. */
export function addBoth(a: usize, b: usize, c: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    let some: u64 = 0;
    for (let left = mapOf(b, w) & mapOf(c, w); left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      let any = i64x2.splat(0);
      for (let i = at; i < at + LINE_BYTES; i += 16) {
        const rows = v128.and(v128.load(b + i), v128.load(c + i));
        v128.store(a + i, v128.or(v128.load(a + i), rows));
        any = v128.or(any, rows);
      }
      if (v128.any_true(any)) some |= left & (0 - left);
    }
    store<u64>(a + setBytes + w, mapOf(a, w) | some);
  }
}

export function meet(a: usize, b: usize): bool {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    for (let left = mapOf(a, w) & mapOf(b, w); left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      for (let i = at; i < at + LINE_BYTES; i += 16) {
        if (v128.any_true(v128.and(v128.load(a + i), v128.load(b + i)))) return true;
      }
    }
  }
  return false;
}

export function countBoth(a: usize, b: usize): u32 {
  let count: u32 = 0;
  for (let w: usize = 0; w < mapBytes; w += 8) {
    for (let left = mapOf(a, w) & mapOf(b, w); left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      for (let i = at; i < at + LINE_BYTES; i += 8) count += <u32>popcnt(load<u64>(a + i) & load<u64>(b + i));
    }
  }
  return count;
}

export function hasRow(segment: Segment, set: usize, row: u32): bool {
  return ((<u32>load<u8>(set + segment.setAt + (row >> 3)) >> (row & 7)) & 1) !== 0;
}

export function hasAny(set: usize): bool {
  return meet(set, set);
}

export function countOf(set: usize): u32 {
  return countBoth(set, set);
}

const NO_LINES: u64 = 0;

/** Leaves nothing in a set. */
export function clearSet(set: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    for (let left = mapOf(set, w); left !== 0; left &= left - 1) clearLine(set + lineAt(w, left));
    store<u64>(set + setBytes + w, NO_LINES);
  }
}

/** Takes lines without rows off the map of a set. */
export function trimMap(set: usize): void {
  for (let w: usize = 0; w < mapBytes; w += 8) {
    let some: u64 = 0;
    for (let left = mapOf(set, w); left !== 0; left &= left - 1) {
      const at = set + lineAt(w, left);
      const first = v128.or(v128.load(at), v128.load(at, 16));
      if (v128.any_true(v128.or(first, v128.or(v128.load(at, 32), v128.load(at, 48))))) some |= left & (0 - left);
    }
    store<u64>(set + setBytes + w, some);
  }
}

/**
 * Goes through the lines of a set that are on its map, between two bytes where lines begin. What is done with a line is up to a
 * visitor, a class without state whose `visit` gets the line and returns what is carried on to the next; `to` is the visitor's.
 */
function walkLines<Visitor>(set: usize, begin: usize, end: usize, to: usize, start: usize): usize {
  const visitor = changetype<Visitor>(<usize>0);
  let carried = start;
  const first = begin / LINE_BYTES;
  for (let w = (first >> 6) << 3; w << 3 < end / LINE_BYTES; w += 8) {
    let left = mapOf(set, w);
    if (w << 3 < first) left &= (<u64>-1) << (<u64>(first - (w << 3)));
    for (; left !== 0; left &= left - 1) {
      const at = lineAt(w, left);
      if (at >= end) break;
      carried = visitor.visit(set, at, begin, to, carried);
    }
  }
  return carried;
}

/** Lists the rows between two bytes of a set, both where lines begin; returns how many there are. */
export function listRows(set: usize, begin: usize, end: usize, list: usize): u32 {
  return <u32>((walkLines<RowLister>(set, begin, end, 0, list) - list) >> 2);
}

class RowLister {
  @inline
  visit(set: usize, at: usize, begin: usize, _to: usize, list: usize): usize {
    let out = list;
    for (let i = at; i < at + LINE_BYTES; i += 8) {
      const row = (<u32>(i - begin)) << 3;
      for (let word = load<u64>(set + i); word !== 0; word &= word - 1) {
        store<u32>(out, row + <u32>ctz(word));
        out += 4;
      }
    }
    return out;
  }
}

/** The first of them, at least so many where there are as many, and up to a line more. */
export function listFirstRows(set: usize, begin: usize, end: usize, most: u32, list: usize): u32 {
  const lister = changetype<RowLister>(<usize>0);
  const enough = list + ((<usize>most) << 2);
  let out = list;
  for (let at = begin; at < end && out < enough; at += LINE_BYTES) {
    const line = at / LINE_BYTES;
    if (((load<u8>(set + setBytes + (line >> 3)) >> <u8>(line & 7)) & 1) !== 0)
      out = lister.visit(set, at, begin, 0, out);
  }
  return <u32>((out - list) >> 2);
}

/** How many rows there are between two bytes of a set, both where lines begin. */
export function countRows(set: usize, begin: usize, end: usize): u32 {
  return <u32>walkLines<RowCounter>(set, begin, end, 0, 0);
}

class RowCounter {
  @inline
  visit(set: usize, at: usize, _begin: usize, _to: usize, below: usize): usize {
    let count = below;
    for (let i = at; i < at + LINE_BYTES; i += 8) count += <usize>popcnt(load<u64>(set + i));
    return count;
  }
}

/**
 * Counts, for every 64th row between two bytes of a set, the rows below it: four bytes for each eight of the set. In lines
 * that are not on the map, where nobody asks, nothing is written.
 */
export function rankRows(set: usize, begin: usize, end: usize, ranks: usize): void {
  walkLines<RowRanker>(set, begin, end, ranks, 0);
}

class RowRanker {
  @inline
  visit(set: usize, at: usize, begin: usize, ranks: usize, below: usize): usize {
    let count = below;
    for (let i = at; i < at + LINE_BYTES; i += 8) {
      store<u32>(ranks + ((i - begin) >> 1), <u32>count);
      count += <usize>popcnt(load<u64>(set + i));
    }
    return count;
  }
}

/** Adds the rows of a segment in another set for which `test` of a class without state is true to a set. */
export function keepWhere<Test>(segment: Segment, within: usize, set: usize): void {
  walkLines<RowTester<Test>>(within, segment.setAt, segment.setAt + segment.setBytes, set, 0);
}

class RowTester<Test> {
  @inline
  visit(within: usize, at: usize, begin: usize, set: usize, _carried: usize): usize {
    let any: u64 = 0;
    for (let i = at; i < at + LINE_BYTES; i += 8) {
      let kept: u64 = 0;
      const row = (<u32>(i - begin)) << 3;
      for (let word = load<u64>(within + i); word !== 0; word &= word - 1) {
        const bit = <u32>ctz(word);
        if (changetype<Test>(<usize>0).test(row + bit)) kept |= (<u64>1) << (<u64>bit);
      }
      store<u64>(set + i, load<u64>(set + i) | kept);
      any |= kept;
    }
    if (any !== 0) setBit(set + setBytes, <u32>(at / LINE_BYTES));
    return 0;
  }
}

/** Puts all lines of a segment on the map of a set. */
export function markAll(segment: Segment, set: usize): void {
  const end = <usize>(segment.setAt + segment.setBytes) / LINE_BYTES;
  for (let line = <usize>segment.setAt / LINE_BYTES; line < end; ) {
    if ((line & 7) === 0 && line + 8 <= end) {
      store<u8>(set + setBytes + (line >> 3), 0xff);
      line += 8;
    } else {
      setBit(set + setBytes, <u32>line);
      line++;
    }
  }
}

/** Whether looking at every row costs more than having all lines on the map. */
function areMany(segment: Segment, documents: u32): bool {
  return documents >= segment.setBytes / <u32>LINE_BYTES;
}

let markedAt: usize = 0;
let firstByte: u32 = 0;

/** Rows of the segment go on the map of the set from now on. */
function useMap(segment: Segment, set: usize): void {
  markedAt = set + setBytes;
  firstByte = segment.setAt;
}

class Marking {
  @inline
  visit(row: u32, _rank: u32): void {
    setBit(markedAt, (firstByte + (row >> 3)) / <u32>LINE_BYTES);
  }
}

/** Adds the rows of terms of a segment to a set; only those in field sets that are marked unless `marks` is 0. */
export function addTerms(segment: Segment, refs: usize, count: u32, marks: usize, set: usize): void {
  if (count === 0) return;
  const bits = set + segment.setAt;
  if (marks === 0) unionRows(refs, count, segment.rows, bits);
  else unionRowsInSets(refs, count, segment.rows, marks, bits);
  let documents: u32 = 0;
  for (let r: u32 = 0; r < count && !areMany(segment, documents); r++)
    documents += load<u32>(refs + <usize>r * REF_BYTES);
  if (areMany(segment, documents)) {
    markAll(segment, set);
    return;
  }
  useMap(segment, set);
  for (let r: u32 = 0; r < count; r++) {
    open(refs + <usize>r * REF_BYTES);
    visitAll<Marking>();
  }
}

/** Adds the rows of a segment in which some of terms stand first in a field. */
export function addTermStarts(segment: Segment, refs: usize, count: u32, set: usize): void {
  useMap(segment, set);
  useSets(segment.setOffsets, segment.setFields);
  for (let r: u32 = 0; r < count; r++) {
    open(refs + <usize>r * REF_BYTES);
    visitAll<Starting>();
  }
}

class Starting {
  @inline
  visit(row: u32, index: u32): void {
    if (record.read<IsFirst>(index, 0, 0) === 0) return;
    setBit(markedAt - setBytes + firstByte, row);
    changetype<Marking>(<usize>0).visit(row, index);
  }
}

class IsFirst {
  @inline
  take(known: usize, _field: usize, position: u32, _end: usize): usize {
    return known | <usize>(position === 0);
  }
}

/** Adds the rows of a list of a segment to a set. */
export function addList(segment: Segment, list: usize, n: u32, set: usize): void {
  listBits(list, n, set + segment.setAt);
  if (areMany(segment, n)) {
    markAll(segment, set);
    return;
  }
  useMap(segment, set);
  const marking = changetype<Marking>(<usize>0);
  for (let p: u32 = 0; p < n; p++) marking.visit(load<u32>(list + ((<usize>p) << 2)), p);
}

/** Adds rows of a segment that are bits, a multiple of sixteen bytes. */
export function addBits(segment: Segment, bits: usize, set: usize): void {
  bitsOr(set + segment.setAt, set + segment.setAt, bits, ((<usize>segment.rows + 127) >> 7) << 4);
  markAll(segment, set);
}
