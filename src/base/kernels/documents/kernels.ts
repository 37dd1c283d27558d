/**
 * What is done with documents before they are indexed: their syntax is checked, their ids are read, they are laid in the
 * form in which they are stored. Functions over a memory that belongs to one thread; up to BEHIND_BYTES behind everything
 * that is read are read too. The memory may grow in any call: views of it are of no use afterwards.
 */
import { kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

export const BEHIND_BYTES = 16;

/** How a run of documents ended, zero where more may follow; see `checkDocuments`. */
export const CHECK_CLOSED = 1;
export const CHECK_REFUSED = 2;
export const CHECK_STATE_BITS = 2;

/** Of a name: it holds the id; or the host has to look at the document itself. */
export const NAME_IS_ID = 0x8000_0000;
export const NAME_UNREADABLE = 0xffff_ffff;

interface DocumentsHost {
  /** Whether a number is within the range of a double. */
  isFiniteNumber(start: number, length: number): number;
  /** What a name means, below 2^31, in the spelling of JSON; asked once for each spelling. */
  nameOf(start: number, length: number): number;
}

export interface DocumentsKernels {
  /** Forgets all before; everything from `start` on is free. The seed is that of the hash tables. */
  open(start: number, seedLow: number, seedHigh: number): void;
  allocate(bytes: number): number;
  /** Begins a body: an array whose opening was read, or documents without separators. `stack`: a byte for each level. */
  openBody(isArray: boolean, stack: number, depthMax: number): void;
  /**
   * Writes start and end of the whole documents in `[start, end)`, `shift` added, `capacity` at most. Returns their number above a state:
   * MORE at the end of the bytes (or of the capacity), CLOSED behind the array, REFUSED at a mistake.
   */
  checkDocuments(start: number, end: number, shift: number, ranges: number, capacity: number): number;
  /** Where the next call has to begin. */
  nextOfBody(): number;
  /**
   * Writes ids one behind the other, and where each ends, counted on from `before`; 0 when one is not plainly an id. Pairs
   * count from `base`.
   */
  scanIds(base: number, ranges: number, count: number, out: number, ends: number, before: number): number;
  /** Whether all ids scanned since `open` are numbers below 2^32, each above the one before. */
  areAscending(): number;
  /** Writes stored forms and where each ends, counted from `out`; stops at a document the host has to look at. */
  layDocuments(base: number, ranges: number, count: number, out: number, ends: number): number;
}

export function documentsKernels(memory: WebAssembly.Memory<ArrayBuffer>, host: DocumentsHost): DocumentsKernels {
  return kernelsOver<DocumentsKernels>(MODULE, memory, { host: { ...host } }, "well");
}
