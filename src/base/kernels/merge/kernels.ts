/**
 * The words of several segments as those of one: vocabulary, postings and the words of rows in their order. Functions over a
 * memory in which the segments lie; they take their own room behind them, which may make the memory grow.
 *
 * A merge is: `prepare`; room for what the segments have, by `allocate`; `open`; then `mergeTerms` and `takeOutputs` until
 * there is nothing left; `openForward`, then `mergeForward` and `takeForward` until all rows are written. What is called a
 * list is asked for twice: with `out` 0 for its length, then with room for it.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

/** Bytes that must be there behind everything that is read: numbers are read eight bytes at a time. */
export const BEHIND_BYTES = 16;

export interface MergeKernels {
  /** Once for each memory, of which everything from `start` on is free. The seed is that of the hash tables. */
  prepare(start: number, seedLow: number, seedHigh: number): void;
  allocate(bytes: number): number;
  /** `sources`: a `Source` of each of `count` segments. `fields` of all together, `rows` that stay. */
  open(sources: number, count: number, fields: number, rows: number): void;
  /** Writes terms until an output is full; 0 when all are written. */
  mergeTerms(): number;
  /** Address and length of what text, entries, postings and positions hold; they are empty afterwards. */
  takeOutputs(out: number): void;
  countTerms(): number;
  blockOffsets(out: number): number;
  /** How many beginnings, of one to eight letters, terms have. */
  countPrefixes(): number;
  /** Writes a filter of that, so many lines of 64 bytes. */
  prefixFilter(out: number, lines: number): void;
  /** Letters, and one that follows each of them in what terms begin with. */
  followerPairs(out: number): number;
  /** Addresses of a `CommonPrefix` of every prefix that many places of words begin with. */
  commonPrefixes(out: number): number;
  /** Members of all sets of fields, or where each set begins. */
  setsList(members: boolean, out: number): number;
  /** Words of the row of a segment that has the most. */
  longestRow(starts: number, rows: number): number;
  /** `narrow`: words take three bytes in the merged segment. `longest`: words of the row of all segments that has the most. */
  openForward(sources: number, narrow: boolean, longest: number): void;
  /**
   * Writes rows from `first` on until the output is full; returns the row to go on with. `inputs` and `rows` tell where each of
   * `count` rows comes from, 16 and 32 bits; `starts` gets the number of words before each but the first.
   */
  mergeForward(inputs: number, rows: number, first: number, count: number, starts: number): number;
  /** Address and length of what the words written so far take; there are none afterwards. */
  takeForward(out: number): void;
}

export function mergeKernels(memory: WebAssembly.Memory): MergeKernels {
  return kernelsOver<MergeKernels>(MODULE, memory, {}, "well");
}
