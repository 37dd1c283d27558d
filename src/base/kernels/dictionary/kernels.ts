/**
 * What is asked of the vocabulary of a segment, as functions over addresses of one memory. They keep nothing between
 * calls, allocate nothing and check nothing: callers see to room and bounds.
 *
 * `terms`: where a `Terms` struct tells of the terms part. Terms are known by their ordinals, `to` is
 * never more than their number. Keys are UTF-8 bytes and letters are code points, u32 each; `scratch` is
 * SCRATCH_BYTES of room. What is written is u32 numbers. The structs are in `assembly/layout.ts`.
 */
import { compileKernels, kernelsOver } from "../load.ts";
import { MODULE } from "./generated/module.ts";

export interface DictionaryKernels {
  /** Writes what the first term of each block begins with, u64 each. */
  blockKeys(terms: number, count: number, out: number): void;
  /** Writes the bytes of a term; returns their number. */
  termText(terms: number, ordinal: number, out: number): number;
  /** The ordinal of a term, which is in `[from, to)` if anywhere; -1 when it is not. */
  termFind(terms: number, from: number, to: number, key: number, length: number): number;
  /**
   * The first ordinal in `[from, to)` whose term is not less than the key, `to` when there is none; with `after` = 1 the
   * first that is greater than all terms that begin with the key. No term before `from` may be an answer.
   */
  termBound(terms: number, from: number, to: number, key: number, length: number, after: number): number;
  /**
   * The halves of a word, wherever it can be cut between two letters: writes the ordinals of both, -1 for one that is no
   * term in `[0, to)`, cut by cut. Returns the number of cuts.
   */
  termCuts(terms: number, to: number, key: number, length: number, out: number): number;
  /**
   * Terms by what follows their first letter: `ranges` are n pairs of ordinals [from, to) of terms with one first
   * letter, among them all that go on with the key's first. In each, the term that goes on with the key and ends there
   * is looked for, with `isPrefix` = 1 all that go on with it. Writes the pairs of those found, returns their number.
   */
  termsAfterFirst(
    terms: number,
    ranges: number,
    n: number,
    key: number,
    length: number,
    isPrefix: number,
    scratch: number,
    out: number,
  ): number;
  /**
   * For each two letters that terms in `[from, to)` begin with, `capacity` at most: the ordinal of the first such term
   * and its second letter. Returns how many; starts[that many] is the ordinal to go on from.
   */
  termBranches(
    terms: number,
    from: number,
    to: number,
    scratch: number,
    starts: number,
    seconds: number,
    capacity: number,
  ): number;
  /**
   * Terms in `[from, to)`, all of which begin with the word's first letter, whose distance from a `FuzzyWord` is 1 to its
   * limit (swapping neighbours counts one). Writes the ordinal to go on from, then a `Near` for each, in byte order;
   * returns how many. Stops at `capacity`, or after `steps` terms and branches. A term that may go on behind the word
   * is judged by its first beginning that is near enough and to which no shorter beginning of the word is nearer; as a whole
   * when there is none.
   */
  termsNear(
    terms: number,
    from: number,
    to: number,
    word: number,
    scratch: number,
    steps: number,
    out: number,
    capacity: number,
  ): number;
}

/** Ahead of the first use. */
export function compileDictionaryKernels(): void {
  compileKernels(MODULE);
}

export function dictionaryKernels(memory: WebAssembly.Memory): DictionaryKernels {
  return kernelsOver<DictionaryKernels>(MODULE, memory);
}
