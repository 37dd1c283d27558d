/** What is done with documents before they are indexed, over bytes: see `kernels.ts`. */
import { freeFrom } from "../../shared/assembly/region";
import { useSeed } from "../../shared/assembly/table";
import { openLaying } from "./lay";
import { openNames } from "./names";
import { openScan } from "./scan";

/** Forgets all before; everything from `start` on is free. */
export function open(start: usize, seedLow: u32, seedHigh: u32): void {
  freeFrom(start);
  useSeed(seedLow, seedHigh);
  openNames();
  openScan();
  openLaying();
}

export { allocate } from "../../shared/assembly/region";
export { checkDocuments, nextOfBody, openBody } from "./check";
export { layDocuments } from "./lay";
export { areAscending, scanIds } from "./scan";
