/**
 * Documents as `_formatted` shows them, with what a query stands for between tags: functions over a memory that belongs to
 * one thread. A query is `openQuery`, its terms, tags and nodes, then documents. Up to BEHIND_BYTES behind everything that
 * is read are read too. The memory may grow in any call: views of it are of no use afterwards.
 */
import { compileKernels, kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

export const BEHIND_BYTES = 16;
/** Longer words are not looked for. */
export const TERM_BYTES_MAX = 63;

/** How the texts of a node are shown: as they are; marked; marked, but by the host if not in ASCII; by the host. */
export const SHOWN_AS_IT_IS = 0;
export const SHOWN_MARKED = 1;
export const SHOWN_MARKED_ASCII = 2;
export const SHOWN_BY_HOST = 3;

/** In the table of characters, eight bytes each: the host decides; else length + 1, then the UTF-8 bytes. */
export const CHARACTER_ODD = 255;
export const CHARACTER_TEXT_MAX = 7;
export const CHARACTERS_BYTES = 0x2c00 * 8;

/**
 * In a place for beginnings: the count of code points + 1, then the code points, 16 bits each; or that they may be any.
 */
export const BEGINNINGS_ANY = 255;
export const BEGINNINGS_MAX = 3;

/** What the kernels ask of the thread they run in; see `assembly/host.ts`. */
export interface FormatHost {
  child(node: number, key: number, length: number): number;
  flush(length: number): void;
  text(node: number, start: number, length: number): void;
  beginnings(codePoint: number, place: number): void;
  character(codePoint: number, place: number): void;
}

export interface FormatKernels {
  /** Once for each memory, of which everything from `start` on is free. The seed is that of the hash tables. */
  prepare(start: number, seedLow: number, seedHigh: number): void;
  /** Forgets the query before; `terms` is how many there will be at most. */
  openQuery(terms: number): void;
  allocate(bytes: number): number;
  addressOfByteClasses(): number;
  addressOfUnitClasses(): number;
  /** To be called when the classes of bytes were written. */
  noteEscapes(): void;
  addressOfCharacters(): number;
  addressOfOutput(): number;
  /** A word that is marked where it stands as a whole; a stop word only where no prefix fits. */
  addWord(bytes: number, length: number, isStopWord: boolean): void;
  /** Words that begin with it are marked for so many bytes; of several the one that was added first is meant. */
  addPrefix(bytes: number, length: number, marked: number): void;
  /** `words`: address and length of each. */
  addPhrase(words: number, count: number): void;
  setTags(pre: number, preLength: number, post: number, postLength: number): void;
  /** `isAlike`: all nodes below are shown like this one, and none is asked for. */
  newNode(shown: number, isAlike: boolean): number;
  /** Formats the document that begins at `start`; returns how many bytes the output holds in the end. */
  formatDocument(start: number, root: number): number;
}

/** Ahead of the first use. */
export function compileFormatKernels(): void {
  compileKernels(MODULE);
}

export function formatKernels(memory: WebAssembly.Memory<ArrayBuffer>, host: FormatHost): FormatKernels {
  return kernelsOver<FormatKernels>(MODULE, memory, { host: { ...host } });
}
