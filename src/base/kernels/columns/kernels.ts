/**
 * What filters, facets and sorts do with the codes of a column in bulk, as functions over addresses of one memory. They
 * keep nothing between calls, allocate nothing and check nothing: callers see to room, order and bounds.
 *
 * A column (see `storage/segment/columns/format.ts`) is given by the address of its codes, their `width` in bytes, and the addresses
 * of `starts` (several codes a row) and `list` (codes for some rows only, `slots` of them), 0 for what it has not.
 * Rows of a set are bits; their bytes reach to a multiple of 8. Pair: a u64, key in the upper half.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

/** Numbers of 32 bits that sorting and selecting take as scratch. */
export const BUCKETS = 2048;
/** Key of rows without a value. */
export const WITHOUT = 0xffffffff;

/** The codes of a column of so many rows, for the rows that are in a set. */
type CodesInSet = [
  codes: number,
  width: number,
  rows: number,
  starts: number,
  list: number,
  slots: number,
  bits: number,
];

export interface ColumnsKernels {
  /** Writes bits, with 16 clear bytes after them, as all that follow: those of codes that lie in one of `count` ranges: u32 first code, u32 distance to the last. */
  select(codes: number, width: number, length: number, ranges: number, count: number, bits: number): void;
  /** Clears those of the bits whose codes lie in no range; with four clear bytes after them. */
  selectAmong(codes: number, width: number, length: number, ranges: number, count: number, bits: number): void;
  /** `set`: bits by code. */
  selectMembers(codes: number, width: number, length: number, set: number, bits: number): void;
  /** From bits of codes to bits of the slots they belong to. */
  slotsOfCodes(codeBits: number, length: number, starts: number, slots: number, bits: number): void;
  rowsOfSlots(slotBits: number, slots: number, list: number, rows: number, bits: number): void;
  countRows(rows: number, bits: number): number;
  /** Counts, and notes the lowest row that has each code; both by code. */
  countCodes(...given: [...CodesInSet, codesMax: number, counts: number, firstRows: number]): void;
  /** Moves codes that were met, with what was counted, to the front; returns how many they are. */
  metCodes(codesMax: number, counts: number, firstRows: number, met: number): number;
  /**
   * Writes the first `limit` texts among codes that were met, with their counts, as members of a JSON object; `texts` is the
   * address of a Texts. Returns how many bytes these are, below zero when they do not fit in `room` or need escapes.
   */
  writeTexts(
    texts: number,
    codes: number,
    counts: number,
    firstRows: number,
    length: number,
    limit: number,
    out: number,
    room: number,
  ): number;
  countValues(rows: number, starts: number, bits: number): number;
  /** (code, row) of all values of rows in the set, rows ascending. */
  collectPairs(...given: [...CodesInSet, pairs: number]): number;
  /** Stable, by key; returns where the result is: `pairs` or `scratch`. */
  sortPairs(pairs: number, length: number, keyMax: number, scratch: number, offsets: number): number;
  pairRuns(pairs: number, length: number, keys: number, counts: number, firstRows: number): number;
  /** Keys of the rows of a list: ordinals in the order of the sort, `WITHOUT` for rows without a value. */
  sortKeys(
    codes: number,
    width: number,
    starts: number,
    list: number,
    slots: number,
    numbers: number,
    strings: number,
    spellingStarts: number,
    descending: number,
    rows: number,
    length: number,
    keys: number,
  ): void;
  /** A bound below which lie at least `wanted` of the keys from `low` on, or all that are below `end`. */
  keyBound(keys: number, length: number, low: number, end: number, wanted: number, buckets: number): number;
  /** (key, position) of the keys from `low` to below `high`; writes no more than `capacity`, returns how many there are. */
  pickKeys(keys: number, length: number, low: number, high: number, pairs: number, capacity: number): number;
}

export function columnsKernels(memory: WebAssembly.Memory): ColumnsKernels {
  return kernelsOver<ColumnsKernels>(MODULE, memory);
}
