/** How compiled code hands over what it made: lists of numbers, and the places of bytes. Knows no part and no kernel. */
import { Taken } from "../../base/kernels/extract/generated/layout.ts";

/** A memory, and the compiled code that works there. */
export interface Maker {
  readonly kernels: { allocate(bytes: number): number };
  copyOfWords(start: number, length: number): Uint32Array;
}

/** Bytes in the memory of the maker. */
interface Place {
  start: number;
  length: number;
}

/** A list that is asked for twice: for its length, then to be written. */
export function listOf(maker: Maker, ask: (out: number) => number): Uint32Array {
  const length = ask(0);
  if (length === 0) return new Uint32Array(0);
  const at = maker.kernels.allocate(4 * length);
  ask(at);
  return maker.copyOfWords(at, length);
}

/** Where so many outputs lie, until the compiled code goes on. */
export function placesOf(maker: Maker, outputs: number, take: (out: number) => void): Place[] {
  const at = maker.kernels.allocate(4 * Taken.WORDS * outputs);
  take(at);
  const words = maker.copyOfWords(at, Taken.WORDS * outputs);
  return Array.from({ length: outputs }, (_, i) => ({
    start: words[Taken.WORDS * i + Taken.start]!,
    length: words[Taken.WORDS * i + Taken.length]!,
  }));
}
