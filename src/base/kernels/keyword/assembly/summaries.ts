/**
 * What is known of the rows of terms in a word: in which fields, and the first position in any of them. For lists that
 * ask no more than that, a fraction of what reading the places costs.
 */
import { rowAt } from "./bits";
import { costs, NO_COST, usePlane, useSteps } from "./costs";
import { bucketOf, record } from "./places";
import { rankAt, visitRanked, wordOf } from "./ranks";
import { open, REF_BYTES, useSets } from "./term";
import { visitAll } from "./visit";

let bitsAt: usize = 0;
let ranksAt: usize = 0;
let masksAt: usize = 0;
let firstsAt: usize = 0;
let valuesAt: usize = 0;

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

/** The same of many terms whose places are in no table; `bits` has the rows of all, `m` of them. */
export function wordSummaries(
  refs: usize,
  count: u32,
  setOffsets: usize,
  setFields: usize,
  bits: usize,
  ranks: usize,
  m: u32,
  masks: usize,
  firsts: usize,
): void {
  useSets(setOffsets, setFields);
  bitsAt = bits;
  ranksAt = ranks;
  masksAt = masks;
  firstsAt = firsts;
  memory.fill(masks, 0, m);
  memory.fill(firsts, 0xff, (<usize>m) << 1);
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    visitAll<Summing>();
  }
}

class Summing {
  @inline
  visit(row: u32, index: u32): void {
    const rank = rankAt(wordOf(bitsAt, row), ranksAt, row);
    const mask = <u32>load<u8>(masksAt + rank);
    const first = <u32>load<u16>(firstsAt + ((<usize>rank) << 1));
    const both = record.read<Summary>(index, (mask << 16) | first, 0);
    store<u8>(masksAt + rank, <u8>(both >> 16));
    store<u16>(firstsAt + ((<usize>rank) << 1), <u16>both);
  }
}

/** The mask above, the first position below. */
class Summary {
  @inline
  take(both: usize, field: usize, position: u32, _end: usize): usize {
    return (both & 0xffff_0000) | (0x1_0000 << (<u32>load<u16>(field))) | min<u32>(both & 0xffff, position);
  }
}

/** plane[p] = min(plane[p], values[masks[i]]); `values`: u16 by mask, NO_COST for those that do not count. */
export function maskValues(
  bits: usize,
  ranks: usize,
  masks: usize,
  list: usize,
  n: u32,
  values: usize,
  plane: usize,
): void {
  masksAt = masks;
  valuesAt = values;
  usePlane(plane);
  visitRanked<ValueOfMask>(bits, ranks, list, n);
}

class ValueOfMask {
  @inline
  visit(position: u32, rank: u32): void {
    costs.lower(position, load<u16>(valuesAt + ((<usize>load<u8>(masksAt + rank)) << 1)));
  }
}

/** plane[p] = min(plane[p], values[bucket of the first position]); `values`: u8 by bucket, ascending. */
export function firstValues(
  bits: usize,
  ranks: usize,
  firsts: usize,
  list: usize,
  n: u32,
  values: usize,
  plane: usize,
): void {
  firstsAt = firsts;
  useSteps(values, plane);
  visitRanked<StepOfFirst>(bits, ranks, list, n);
}

class StepOfFirst {
  @inline
  visit(position: u32, rank: u32): void {
    costs.lower(position, costs.stepOf(load<u16>(firstsAt + ((<usize>rank) << 1))));
  }
}

/** Masks of up to four fields. */
const FEW_MASKS: u32 = 16;

/** `maskValues` for the list of all rows: ranks are positions. `count`: of the different masks. */
export function maskValuesOfAll(masks: usize, n: u32, values: usize, count: u32, plane: usize): void {
  let p: u32 = 0;
  if (count === FEW_MASKS) {
    const first = v128.load(values);
    const second = v128.load(values, 16);
    const low = v128.shuffle<u8>(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const high = v128.shuffle<u8>(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    for (; p + 16 <= n; p += 16) {
      const mask = v128.load(masks + p);
      const below = i8x16.swizzle(low, mask);
      const above = i8x16.swizzle(high, mask);
      const at = plane + ((<usize>p) << 1);
      const left = v128.shuffle<u8>(below, above, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const right = v128.shuffle<u8>(below, above, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      v128.store(at, i16x8.min_u(v128.load(at), left));
      v128.store(at, i16x8.min_u(v128.load(at, 16), right), 16);
    }
  }
  usePlane(plane);
  for (; p < n; p++) costs.lower(p, load<u16>(values + ((<usize>load<u8>(masks + p)) << 1)));
}

/** `firstValues` for the list of all rows. */
export function firstValuesOfAll(firsts: usize, n: u32, values: usize, plane: usize): void {
  useSteps(values, plane);
  for (let p: u32 = 0; p < n; p++) costs.lower(p, costs.stepOf(load<u16>(firsts + ((<usize>p) << 1))));
}

let wantedBucket: u32 = 0;
let firstPosition: u32 = 0;
let foundEnd: usize = 0;

/** Writes which of a list have their first position in a bucket, counted from `from` on; returns the end of what is written. */
export function withFirstIn(
  bits: usize,
  ranks: usize,
  firsts: usize,
  list: usize,
  n: u32,
  bucket: u32,
  from: u32,
  out: usize,
): usize {
  firstsAt = firsts;
  wantedBucket = bucket;
  firstPosition = from;
  foundEnd = out;
  visitRanked<InBucket>(bits, ranks, list, n);
  return foundEnd;
}

class InBucket {
  @inline
  visit(position: u32, rank: u32): void {
    store<u32>(foundEnd, firstPosition + position);
    const first = <u32>load<u16>(firstsAt + ((<usize>rank) << 1));
    foundEnd += (<usize>(bucketOf(first) === wantedBucket)) << 2;
  }
}
