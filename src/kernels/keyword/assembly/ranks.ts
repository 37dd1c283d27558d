/** Sets of rows with ranks: whether a row is in a set, and how many of its rows come before. */

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
