/** The words of several segments as those of one. The calls of one merge, in order: see `kernels.ts`. */
import { openSets } from "../../extract/assembly/sets";
import { freeFrom } from "../../shared/assembly/region";
import { useSeed } from "../../shared/assembly/table";
import { openTerms } from "./terms";

/** Once for each memory, of which everything from `start` on is free. */
export function prepare(start: usize, seedLow: u32, seedHigh: u32): void {
  freeFrom(start);
  useSeed(seedLow, seedHigh);
}

/** `fields` of all segments together, and `rows` that stay. */
export function open(sources: usize, count: u32, fields: u32, rows: u32): void {
  openSets(fields);
  openTerms(sources, count, rows);
}

export { commonPrefixes } from "../../extract/assembly/common-prefixes";
export { countPrefixes, followerPairs, prefixFilter } from "../../extract/assembly/prefixes";
export { setsList } from "../../extract/assembly/sets";
export { blockOffsets, countTerms, takeOutputs } from "../../extract/assembly/term-writer";
export { allocate } from "../../shared/assembly/region";
export { longestRow, mergeForward, openForward, takeForward } from "./forward";
export { mergeTerms } from "./terms";
