/** Meets words that were unpacked with lists of documents. */
import { firstNotBelow, rowAt } from "../../keyword/assembly/bits";
import { isIn, rankAt, wordOf } from "../../keyword/assembly/ranks";
import { segmentAt } from "./index-of";
import { Table } from "./tables";

/** Lists of which a table has so many times more rows are looked up in it. */
const SHORT_SHARE: u32 = 8;

/**
 * Meets a table with a list: `visit` of a visitor, a class without state, gets the position in the list and the rank in the
 * table, both ascending. `bits`, `ranks`: the list as a set, 0 when it is none.
 */
export function meetTable<Visitor>(table: Table, list: usize, n: u32, bits: usize, ranks: usize): void {
  const isShort = bits === 0 || n < table.rowCount / SHORT_SHARE;
  if (table.rows === 0) {
    if (isShort) lookUpList<Visitor>(table, list, n);
    else meetBits<Visitor>(table, bits, ranks, segmentAt(table.segment).rows);
  } else if (isShort) leapThrough<Visitor>(table, list, n);
  else lookUpRows<Visitor>(table, bits, ranks);
}

function lookUpList<Visitor>(table: Table, list: usize, n: u32): void {
  const bits = <usize>table.bits;
  const ranks = <usize>table.ranks;
  for (let p: u32 = 0; p < n; p++) {
    const row = rowAt(list, p);
    const word = wordOf(bits, row);
    if (isIn(word, row) === 1) changetype<Visitor>(<usize>0).visit(p, rankAt(word, ranks, row));
  }
}

/** Looks at 64 rows of both at a time. */
function meetBits<Visitor>(table: Table, bits: usize, ranks: usize, rows: u32): void {
  const own = <usize>table.bits;
  const ownRanks = <usize>table.ranks;
  for (let first: u32 = 0; first < rows; first += 64) {
    const ofTable = load<u64>(own + (first >> 3));
    const ofList = load<u64>(bits + (first >> 3));
    let both = ofTable & ofList;
    if (both === 0) continue;
    const position = load<u32>(ranks + ((<usize>(first >> 6)) << 2));
    const rank = load<u32>(ownRanks + ((<usize>(first >> 6)) << 2));
    for (; both !== 0; both &= both - 1) {
      const below = (both & (0 - both)) - 1;
      changetype<Visitor>(<usize>0).visit(position + <u32>popcnt(ofList & below), rank + <u32>popcnt(ofTable & below));
    }
  }
}

function leapThrough<Visitor>(table: Table, list: usize, n: u32): void {
  const rows = <usize>table.rows;
  let next: u32 = 0;
  for (let p: u32 = 0; p < n; p++) {
    const row = rowAt(list, p);
    next = firstNotBelow(rows, next, table.rowCount, row);
    if (next === table.rowCount) return;
    if (rowAt(rows, next) === row) changetype<Visitor>(<usize>0).visit(p, next);
  }
}

function lookUpRows<Visitor>(table: Table, bits: usize, ranks: usize): void {
  const rows = <usize>table.rows;
  for (let r: u32 = 0; r < table.rowCount; r++) {
    const row = rowAt(rows, r);
    const word = wordOf(bits, row);
    if (isIn(word, row) === 1) changetype<Visitor>(<usize>0).visit(rankAt(word, ranks, row), r);
  }
}

let startsAt: usize = 0;
let beginsAt: usize = 0;
let endsAt: usize = 0;

/** Where the places of each row of a list begin and end; the same where it has none. */
export function tableSpans(
  table: Table,
  list: usize,
  n: u32,
  bits: usize,
  ranks: usize,
  begins: usize,
  ends: usize,
): void {
  memory.fill(begins, 0, (<usize>n) << 2);
  memory.fill(ends, 0, (<usize>n) << 2);
  startsAt = table.starts;
  beginsAt = begins;
  endsAt = ends;
  meetTable<Spanning>(table, list, n, bits, ranks);
}

class Spanning {
  @inline
  visit(position: u32, rank: u32): void {
    const pair = load<u64>(startsAt + ((<usize>rank) << 2));
    store<u32>(beginsAt + ((<usize>position) << 2), <u32>pair);
    store<u32>(endsAt + ((<usize>position) << 2), <u32>(pair >> 32));
  }
}
