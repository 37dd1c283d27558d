/**
 * Documents from the form in which they are stored (see `storage/segment/documents/packed.ts`), over a memory that belongs
 * to one thread. Up to BEHIND_BYTES behind everything that is read are read too, and as many behind what is written are written.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

export const BEHIND_BYTES = 16;

/** Of a name: where that stands which comes before its value, and its length. */
export const HEAD_WORDS = 2;

export interface PackedKernels {
  /** Writes the document packed in `[from, end)` to `to`; returns where it ends. `heads`: HEAD_WORDS for each name. */
  unpack(from: number, end: number, to: number, heads: number): number;
}

export function packedKernels(memory: WebAssembly.Memory<ArrayBuffer>): PackedKernels {
  return kernelsOver<PackedKernels>(MODULE, memory);
}
