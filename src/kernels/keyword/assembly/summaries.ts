/**
 * What a table says about each of its rows in a word: in which fields, and the first position in any of them. For lists
 * that ask no more than that, a fraction of what reading the places costs.
 */
import { firstNotBelow, rowAt } from "./bits";
import { bucketOf } from "./places";

const NO_COST: u32 = 65_535;
/** Lists of which none is more than so many times longer are merged, others searched. */
const LIKE: u32 = 4;

/** masks[i]: u8, bit f for field f, of which there are at most eight; firsts[i]: u16. */
export function tableSummaries(starts: usize, places: usize, m: u32, masks: usize, firsts: usize): void {
  let from = rowAt(starts, 0);
  for (let i: u32 = 0; i < m; i++) {
    const to = rowAt(starts, i + 1);
    let mask: u32 = 0;
    let first: u32 = NO_COST;
    for (let at = from; at < to; at++) {
      const place = rowAt(places, at);
      mask |= 1 << (place >> 16);
      first = min(first, place & 0xffff);
    }
    store<u8>(masks + i, <u8>mask);
    store<u16>(firsts + ((<usize>i) << 1), <u16>first);
    from = to;
  }
}

/** plane[p] = min(plane[p], values[masks[i]]); `values`: u16 by mask, NO_COST for those that do not count. */
export function tableMaskValues(
  rows: usize,
  masks: usize,
  m: u32,
  list: usize,
  n: u32,
  values: usize,
  plane: usize,
): void {
  let i: u32 = 0;
  const leaps = m / LIKE > n;
  for (let p: u32 = 0; p < n; p++) {
    const wanted = rowAt(list, p);
    if (leaps) i = firstNotBelow(rows, i, m, wanted);
    else while (i < m && rowAt(rows, i) < wanted) i++;
    if (i === m) return;
    if (rowAt(rows, i) !== wanted) continue;
    lower(plane, p, load<u16>(values + ((<usize>load<u8>(masks + i)) << 1)));
  }
}

/** plane[p] = min(plane[p], values[bucket of the first position]); `values`: u8 by bucket, ascending. */
export function tableFirstValues(
  rows: usize,
  firsts: usize,
  m: u32,
  list: usize,
  n: u32,
  values: usize,
  plane: usize,
): void {
  let i: u32 = 0;
  const leaps = m / LIKE > n;
  for (let p: u32 = 0; p < n; p++) {
    const wanted = rowAt(list, p);
    if (leaps) i = firstNotBelow(rows, i, m, wanted);
    else while (i < m && rowAt(rows, i) < wanted) i++;
    if (i === m) return;
    if (rowAt(rows, i) !== wanted) continue;
    const first = <u32>load<u16>(firsts + ((<usize>i) << 1));
    lower(plane, p, load<u8>(values + bucketOf(first)));
  }
}

function lower(plane: usize, p: u32, value: u32): void {
  const at = plane + ((<usize>p) << 1);
  if (value < load<u16>(at)) store<u16>(at, <u16>value);
}
