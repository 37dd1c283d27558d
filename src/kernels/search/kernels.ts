/**
 * Keyword search in one call, over structs in one memory: `generated/layout.ts` has their fields. Allocates only from the
 * room it is given, and keeps nothing between calls but the findings of an index.
 */
import { compile, kernelsOver } from "../load.ts";
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
} as const;
/** Instead of a cost: time was up. */
export const SKIPPED = 0xffff_ffff;

export interface SearchKernels {
  /** `request`: address of a Request; traps when there is not enough room. */
  search(request: number): void;
}

let isOver: () => boolean = () => false;
const imports = { clock: { isOver: (): number => (isOver() ? 1 : 0) } };

/** `clock` is asked during the search whether time is up. */
export function searchInMemory(memory: WebAssembly.Memory, request: number, clock: () => boolean): void {
  isOver = clock;
  kernelsOver<SearchKernels>(MODULE, memory, imports).search(request);
}

/** Called before the first search. */
export function compileSearch(): void {
  compile(MODULE);
}
