/**
 * What keyword search does with rows, words and costs in bulk, as functions over addresses of one memory. They keep
 * nothing between calls, allocate nothing and check nothing: callers see to room, order and bounds.
 *
 * Row set: bits, bit r & 7 of byte r >> 3; `bytes` a multiple of 16. List: u32 rows, ascending; a place in it is a
 * position. Plane: a u16 cost for every position of a list, NO_COST where nothing matched. Refs: a `Ref` of
 * `generated/layout.ts` for each term. Place: field << 16 | position in the field; places of several things are (starts, places),
 * those of thing i being places[starts[i]] to places[starts[i + 1] - 1]. `rows` is the number of rows of the segment.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

/** In planes and weights: no match. */
export const NO_COST = 65_535;
/** Instead of a number of places: there is not enough room. */
export const NO_ROOM = 0xffff_ffff;
/** Length of the `steps` that kernels look up by bucket of a position. */
export const STEP_BUCKETS = 30;

export type KeywordKernels = BitKernels & WordKernels & TableKernels & PlaneKernels & SummaryKernels;

/** Row sets. `out` may be `a` or `b`. */
export interface BitKernels {
  bitsAnd(out: number, a: number, b: number, bytes: number): void;
  bitsOr(out: number, a: number, b: number, bytes: number): void;
  bitsAndNot(out: number, a: number, b: number, bytes: number): void;
  /** Adds what a and b both have to `out`. */
  bitsOrAnd(out: number, a: number, b: number, bytes: number): void;
  bitsCount(a: number, bytes: number): number;
  bitsCountAnd(a: number, b: number, bytes: number): number;
  /** 1 when any bit is set, otherwise 0. */
  bitsAny(a: number, bytes: number): number;
  bitsAnyAnd(a: number, b: number, bytes: number): number;
  /** Writes the rows of a set as a list; returns how many they are. */
  bitsList(a: number, bytes: number, list: number): number;
  /** ranks[i] = number of rows in the set below row i * 64 (u32 each); returns the number of all. */
  bitsRanks(a: number, bytes: number, ranks: number): number;
  /** Sets the bits of a list; others stay. */
  listBits(list: number, n: number, bits: number): void;
  fill(at: number, bytes: number, byte: number): void;
}

/** Terms of a segment. */
type Terms = [refs: number, count: number, rows: number];
/** Field sets of a segment: where each begins, and the fields of all. */
type Sets = [setOffsets: number, setFields: number];
/**
 * A list to meet terms with. `bits`, `ranks`: the list as a set, with its `bitsRanks`; then rows of terms need not be
 * searched for in the list, which is several times faster for terms with fewer rows than the list; 0 and 0 without.
 * `among`: only rows in that set; 0 for all.
 */
type MetList = [list: number, n: number, bits: number, ranks: number, among: number];
/** Starts and places. */
type Places = [starts: number, places: number];
/** A set of rows with its `bitsRanks`. */
type RankedSet = [bits: number, ranks: number];
type List = [list: number, n: number];
/** Places of two words: those of position p are places[begins[p]] to places[ends[p] - 1]. */
type TwoWords = [aBegins: number, aEnds: number, aPlaces: number, bBegins: number, bEnds: number, bPlaces: number];

/** Terms: their rows, and what they are in the rows of a list. */
export interface WordKernels {
  /** Adds the rows of all terms to a set. */
  unionRows(...given: [...Terms, bits: number]): void;
  /** Copies the refs of terms that have a row in a set; returns how many. */
  refsAmong(...given: [...Terms, bits: number, out: number]): number;
  /**
   * Refs of `count` terms whose entries stand one after the other, after `skipped` others; the first of all is at `entry`,
   * its postings and positions begin at `postings` and `positions`. Returns the rows of all of them.
   */
  refsOfEntries(
    entry: number,
    skipped: number,
    count: number,
    postings: number,
    positions: number,
    setOffsets: number,
    refs: number,
  ): number;
  /** As `unionRows`, but only rows where the term has a field set marked 1; `marks`: u8 by field set. */
  unionRowsInSets(...given: [...Terms, marks: number, bits: number]): void;
  /** plane[p] = min(plane[p], weight * factor); `weights`: u16 by field set, NO_COST for sets that do not count. */
  wordWeights(...given: [...Terms, ...MetList, weights: number, factor: number, plane: number]): void;
  /** plane[p] = min(plane[p], step of the bucket of any position); `steps`: u8 by bucket. */
  wordSteps(...given: [...Terms, ...Sets, ...MetList, steps: number, plane: number]): void;
  /**
   * Places of all terms by position, ascending, with repetitions; returns their number. `starts`: n + 1 numbers. When
   * there are more than `capacity`, `places` is of no use.
   */
  wordPlaces(...given: [...Terms, ...Sets, ...MetList, ...Places, capacity: number]): number;
}

/**
 * All places of terms by row, made once and read against several lists. `bits`: the rows, `ranks`: their `bitsRanks`; what
 * is told of a row, places or a summary, is found by its rank.
 */
export interface TableKernels {
  /**
   * Places of all terms by rank of their row among the rows of all of them; returns their number. Several terms take three
   * words of `capacity` a place, and some for every row; NO_ROOM when it has less.
   */
  gatherTable(...given: [...Terms, ...Sets, ...Places, capacity: number]): number;
  /** As `wordWeights`, with weights by field. */
  tableWeights(...given: [...RankedSet, ...Places, ...List, weights: number, factor: number, plane: number]): void;
  tableSteps(...given: [...RankedSet, ...Places, ...List, steps: number, plane: number]): void;
  /** Where the places of each row of the list begin and end in the table; the same where it has none. */
  tableSpans(...given: [...RankedSet, starts: number, ...List, begins: number, ends: number]): void;
}

/** What is known of the rows of terms in a word, for segments with at most eight fields. */
export interface SummaryKernels {
  /** masks[i]: u8, a bit for every field of the row of rank i; firsts[i]: u16, the first position in any field. */
  tableSummaries(...given: [...Places, m: number, masks: number, firsts: number]): void;
  /** The same of terms whose places are in no table; `m`: the number of rows in `bits`. */
  wordSummaries(
    refs: number,
    count: number,
    setOffsets: number,
    setFields: number,
    bits: number,
    ranks: number,
    m: number,
    masks: number,
    firsts: number,
  ): void;
  /** plane[p] = min(plane[p], values[mask]); `values`: u16 by mask. */
  maskValues(...given: [...RankedSet, masks: number, ...List, values: number, plane: number]): void;
  /** plane[p] = min(plane[p], values[bucket of the first position]); `values`: u8 by bucket. */
  firstValues(...given: [...RankedSet, firsts: number, ...List, values: number, plane: number]): void;
}

/** Costs of the rows of a list, and places of two words in them. */
export interface PlaneKernels {
  planeFill(plane: number, n: number, value: number): void;
  /** plane[p] = cost where the row is in the set. */
  planeSetWhere(bits: number, list: number, n: number, cost: number, plane: number): void;
  /** As `planeSetWhere`, but only where the plane has NO_COST; returns in how many rows. */
  planeSetWhereUnset(bits: number, list: number, n: number, cost: number, plane: number): number;
  /** total[p] += plane[p], at most NO_COST. */
  planeAdd(total: number, plane: number, n: number): void;
  /** Where total is less than best: best = total, chosen = path. `chosen`: u16. */
  planeTake(best: number, total: number, chosen: number, path: number, n: number): void;
  /** Adds to counts[cost] for each cost; counts[max] also has all higher ones. `counts`: u32, max + 1 of them. */
  planeCounts(best: number, n: number, max: number, counts: number): void;
  /** Positions (u32) that have a cost, ascending; returns how many. */
  planePick(best: number, n: number, cost: number, positions: number): number;
  /** Positions that have a cost from `cost` to below `below`. */
  planePickFrom(best: number, n: number, cost: number, below: number, positions: number): number;
  /** out[i] = list[positions[i]], for k positions. */
  listPick(list: number, positions: number, k: number, out: number): void;
  /** used[chosen[p]] = 1 for k positions p; `used`: u8 by path. */
  planeUsed(chosen: number, positions: number, k: number, used: number): void;
  /** signatures[i] = signatures[i] * 4 + plane[positions[i]] - base, as u32. */
  signatureAdd(signatures: number, plane: number, positions: number, k: number, base: number): void;
  /** Different u32 values in order of first appearance, the first `capacity` of them; returns how many. */
  distinct(values: number, k: number, out: number, capacity: number): number;
  /**
   * Up to 32 bytes behind the places of a position are read, and not used. With d = the smallest step from a place of a
   * forward to one of b in the same field, plus `more`: where d < 4, plane[p] = min(plane[p], base + d - 1).
   */
  near(...given: [...TwoWords, n: number, more: number, base: number, plane: number]): void;
  /** plane[p] = min(plane[p], base) where a and b share a field that is marked; `marks`: u8 by field, 0 for all. */
  nearInField(...given: [...TwoWords, n: number, marks: number, base: number, plane: number]): void;
}

export function keywordKernels(memory: WebAssembly.Memory): KeywordKernels {
  return kernelsOver<KeywordKernels>(MODULE, memory);
}
