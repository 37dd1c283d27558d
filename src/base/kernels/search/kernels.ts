/**
 * Keyword search in one call, over structs in one memory: `generated/layout.ts` has their fields. Allocates only from the
 * room it is given, and keeps nothing between calls but the findings of an index.
 */
import { compileKernels, kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

/** How matching strategies and rules are called. */
export const STRATEGIES = { last: 0, all: 1, frequency: 2 } as const;
export const RULES = {
  words: 0,
  typo: 1,
  proximity: 2,
  field: 3,
  position: 4,
  exactAttribute: 5,
  exactWords: 6,
  sort: 7,
} as const;
/** Instead of a cost: time was up. */
export const SKIPPED = 0xffff_ffff;
/** In the place of the number of spelled words of a node: they are too many, and none is spelled. */
export const UNSPELLED = 0xffff_ffff;

interface SearchKernels {
  /** `request`: address of a Request; traps when there is not enough room. */
  search(request: number): void;
}

/**
 * What a search asks of who started it. Documents are lists of u32 rows, one segment after the other, with the position at
 * which the rows of each segment begin, and their number at the end; both are addresses.
 */
export interface SearchHost {
  isOver(): boolean;
  /** Starts to sort documents by the rule of a level; false when there is no time for it. */
  openSort(level: number, list: number, starts: number): boolean;
  /** Writes the next documents that the rule of a level holds equal and returns their number; -1 when there are no more. */
  nextSort(level: number, list: number, starts: number): number;
  /** Writes all that have not come yet. */
  restSort(level: number, list: number, starts: number): number;
  /** The number of what there is to say about the documents that came last. */
  sortDetail(): number;
  /** Writes a byte for each document, 1 when one with the same value was shown; returns how many these are. */
  findExcluded(list: number, starts: number, flags: number): number;
  /** False when a document with the same value was shown; from now on this one was. */
  showOnce(segment: number, row: number): boolean;
}

/**
 * What a search over a part of an index tells of itself, and is told of the other parts. `details`: address of what the first rules,
 * as many as `levels`, said of a bucket.
 */
export interface SearchPart {
  begin(details: number, levels: number): void;
  reach(cost: number): void;
  enter(details: number, levels: number, count: number): boolean;
  /** Paths and their orders are lists of lists of u32, PATH_WORDS and ORDER_WORDS apart, with the length of each before it. */
  choose(cost: number, paths: number, orders: number, count: number): number;
  putAgreed(paths: number): void;
  holds(reading: number, phrase: number, here: boolean): boolean;
  look(node: number): void;
  sumFrequencies(counts: number, terms: number): void;
}

/** Instead of a number of paths that were agreed on: those that were told count. */
export const AS_HERE = 0xffff_ffff;
export const PATH_WORDS = 11;
export const ORDER_WORDS = 12;

let host: SearchHost | null = null;
let part: SearchPart | null = null;

const imports = {
  clock: { isOver: (): number => Number(host!.isOver()) },
  host: {
    openSort: (level: number, list: number, starts: number): number => Number(host!.openSort(level, list, starts)),
    nextSort: (level: number, list: number, starts: number): number => host!.nextSort(level, list, starts),
    restSort: (level: number, list: number, starts: number): number => host!.restSort(level, list, starts),
    sortDetail: (): number => host!.sortDetail(),
    findExcluded: (list: number, starts: number, flags: number): number => host!.findExcluded(list, starts, flags),
    showOnce: (segment: number, row: number): number => Number(host!.showOnce(segment, row)),
  },
  agreement: {
    begin: (details: number, levels: number): void => part!.begin(details, levels),
    reach: (cost: number): void => part!.reach(cost),
    enter: (details: number, levels: number, count: number): number => Number(part!.enter(details, levels, count)),
    choose: (cost: number, paths: number, orders: number, count: number): number =>
      part!.choose(cost, paths, orders, count),
    putAgreed: (paths: number): void => part!.putAgreed(paths),
    holds: (reading: number, phrase: number, here: number): number => Number(part!.holds(reading, phrase, here !== 0)),
    look: (node: number): void => part!.look(node),
    sumFrequencies: (counts: number, terms: number): void => part!.sumFrequencies(counts, terms),
  },
};

/** Ahead of the first use. */
export function compileSearchKernels(): void {
  compileKernels(MODULE);
}

/** `ranked`: null for a search over a whole index. */
export function searchInMemory(
  memory: WebAssembly.Memory,
  request: number,
  of: SearchHost,
  ranked: SearchPart | null,
): void {
  host = of;
  part = ranked;
  try {
    kernelsOver<SearchKernels>(MODULE, memory, imports).search(request);
  } finally {
    host = null;
    part = null;
  }
}
