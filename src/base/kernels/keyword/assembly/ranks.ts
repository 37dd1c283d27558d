/** Sets of rows with ranks: whether a row is in a set, and how many of its rows come before. */
import { rowAt } from "./bits";

/** The 64 bits of a set that a row is in. */
export function wordOf(bits: usize, row: u32): u64 {
  return load<u64>(bits + ((<usize>row >> 6) << 3));
}

/** 1 or 0; `word`: the 64 bits the row is in. */
export function isIn(word: u64, row: u32): u32 {
  return <u32>(word >> (<u64>row & 63)) & 1;
}

/** Rank of a row, by the number of rows below every 64th one; `word`: the 64 bits the row is in. */
export function rankAt(word: u64, ranks: usize, row: u32): u32 {
  const below = word & (((<u64>1) << (<u64>row & 63)) - 1);
  return load<u32>(ranks + ((<usize>row >> 6) << 2)) + <u32>popcnt(below);
}

/** Visits what set and list both have, with the position in the list and the rank in the set. */
export function visitRanked<Visitor>(bits: usize, ranks: usize, list: usize, n: u32): void {
  const visitor = changetype<Visitor>(<usize>0);
  for (let p: u32 = 0; p < n; p++) {
    const row = rowAt(list, p);
    const word = wordOf(bits, row);
    if (isIn(word, row) === 1) visitor.visit(p, rankAt(word, ranks, row));
  }
}
