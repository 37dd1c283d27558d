/**
 * The terms of a segment by ordinal, looked up and walked by kernels: what words are near another one, without reading
 * them all. Knows bytes and letters, not which words count.
 *
 * Edit distances in a band, rows shared by common beginnings: Ukkonen 1985, "Algorithms for Approximate String Matching"; it
 * finds what a Levenshtein automaton would (Schulz, Mihov 2002).
 */
import { Buffer } from "node:buffer";
import {
  FuzzyWord,
  Halves,
  KEY_MARGIN_BYTES,
  LETTERS_MAX,
  Near,
  NO_LETTER,
  Range,
  SCRATCH_BYTES,
  Terms,
} from "../../base/kernels/dictionary/generated/layout.ts";
import { type DictionaryKernels, dictionaryKernels } from "../../base/kernels/dictionary/kernels.ts";
import { codePointAt } from "../../base/text/utf8.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";
import { textOf } from "../../storage/segment/shared-bytes.ts";
import { TERMS_PER_BLOCK } from "../../storage/segment/terms/format.ts";

/** Of what kernels do in one go. */
const BRANCHES_AT_ONCE = 4096;
const NEAR_AT_ONCE = 32;
const STEPS_AT_ONCE = 1 << 16;
const KEY_BYTES = 256;

/** Terms `[from, to)`. */
export interface TermRange {
  from: number;
  to: number;
}

interface NearTerms extends TermRange {
  distance: number;
}

/** The two letters that terms begin with: where terms with other ones begin, and the second letter of these. */
interface Branches {
  starts: Uint32Array;
  seconds: Uint32Array;
}

const branchesOf = new WeakMap<SegmentReader, Branches>();

export class Dictionary {
  readonly count: number;
  readonly #reader: SegmentReader;
  readonly #workspace: Workspace;
  readonly #kernels: DictionaryKernels;
  readonly #text: number;
  readonly #blocks: number;

  constructor(reader: SegmentReader) {
    this.#reader = reader;
    this.#workspace = reader.home.workspace;
    this.#kernels = dictionaryKernels(this.#workspace.memory);
    this.count = reader.terms.count;
    this.#text = reader.addressOf(reader.terms.text);
    this.#blocks = reader.addressOf(reader.terms.blocks);
  }

  term(ordinal: number): string {
    const workspace = this.#workspace;
    const terms = this.#openTerms();
    const at = workspace.allocate(KEY_BYTES);
    const length = this.#kernels.termText(terms, ordinal, at);
    workspace.release(terms);
    return textOf(workspace.u8, at, at + length);
  }

  /** Ordinal of a term, -1 when no document has it. */
  find(term: Uint8Array): number {
    const workspace = this.#workspace;
    const terms = this.#openTerms();
    const ordinal = this.#kernels.termFind(terms, 0, this.count, this.#keyOf(term), term.length);
    workspace.release(terms);
    return ordinal;
  }

  /** The ordinals of both halves of a word, -1 for one that is no term, for every place between two of its letters. */
  cuts(word: Uint8Array): Int32Array {
    const { count } = this;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const terms = this.#openTerms();
    const key = this.#keyOf(word);
    const out = workspace.allocate(word.length * Halves.WORDS * 4);
    const cuts = kernels.termCuts(terms, count, key, word.length, out);
    const ordinals = Int32Array.from(workspace.u32.subarray(out >>> 2, (out >>> 2) + cuts * Halves.WORDS));
    workspace.release(terms);
    return ordinals;
  }

  /** The terms that begin with `prefix`. */
  beginning(prefix: Uint8Array): TermRange {
    const { count } = this;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const terms = this.#openTerms();
    const key = this.#keyOf(prefix);
    const from = kernels.termBound(terms, 0, count, key, prefix.length, 0);
    const to = kernels.termBound(terms, from, count, key, prefix.length, 1);
    workspace.release(terms);
    return { from, to };
  }

  /**
   * Terms that a letter begins, but for those in `without`, and that go on with `rest` and end there; with `isPrefix`,
   * all that go on so.
   */
  afterAnyLetter(rest: Uint8Array, without: TermRange, isPrefix: boolean): TermRange[] {
    const { starts, seconds } = this.branches;
    const second = rest.length === 0 ? NO_LETTER : codePointAt(rest, 0);
    const ranges: number[] = [];
    for (let i = seconds.indexOf(second); i !== -1; i = seconds.indexOf(second, i + 1)) {
      const from = starts[i]!;
      if (from < without.from || from >= without.to) ranges.push(from, starts[i + 1]!);
    }
    const n = ranges.length / 2;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const at = workspace.allocate(ranges.length * 4);
    workspace.u32.set(ranges, at >>> 2);
    const key = workspace.allocate(KEY_MARGIN_BYTES + rest.length) + KEY_MARGIN_BYTES;
    workspace.u8.set(rest, key);
    const scratch = workspace.allocate(SCRATCH_BYTES);
    const mode = isPrefix ? 1 : 0;
    const found = this.#kernels.termsAfterFirst(this.#openTerms(), at, n, key, rest.length, mode, scratch, at);
    const { u32 } = workspace;
    const terms = Array.from({ length: found }, (_, i) => {
      const range = (at >>> 2) + i * Range.WORDS;
      return { from: u32[range + Range.first]!, to: u32[range + Range.end]! };
    });
    workspace.release(mark);
    return terms;
  }

  /**
   * Terms of `within` whose distance from a word is 1 to `limit`, in byte order; all of them must begin with the word's
   * first letter. `take` is called until it says no; false when it did.
   */
  near(
    letters: readonly number[],
    limit: number,
    isPrefix: boolean,
    within: TermRange,
    take: (terms: NearTerms) => boolean,
  ): boolean {
    if (letters.length > LETTERS_MAX) return true;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const word = this.#openWord(letters, limit, isPrefix);
    const scratch = workspace.allocate(SCRATCH_BYTES);
    const out = workspace.allocate((1 + NEAR_AT_ONCE * Near.WORDS) * 4);
    const { u32 } = workspace;
    const terms = this.#openTerms();
    const found: NearTerms[] = [];
    let wants = true;
    for (let from = within.from; wants && from < within.to; ) {
      const count = kernels.termsNear(terms, from, within.to, word, scratch, STEPS_AT_ONCE, out, NEAR_AT_ONCE);
      let at = out >>> 2;
      from = u32[at++]!;
      found.length = 0;
      for (let i = 0; i < count; i++, at += Near.WORDS) {
        found.push({ from: u32[at + Near.first]!, to: u32[at + Near.end]!, distance: u32[at + Near.distance]! });
      }
      wants = found.every(take);
    }
    workspace.release(mark);
    return wants;
  }

  /** Bytes of the keys of all blocks. */
  get keysBytes(): number {
    return Math.ceil(this.count / TERMS_PER_BLOCK) * 8;
  }

  /** Writes what the first term of each block begins with. */
  writeKeys(to: number): void {
    const terms = this.#openTerms();
    this.#kernels.blockKeys(terms, this.count, to);
    this.#workspace.release(terms);
  }

  /** Found out once a segment. */
  get branches(): Branches {
    let branches = branchesOf.get(this.#reader);
    if (branches === undefined) {
      branches = this.#findBranches();
      branchesOf.set(this.#reader, branches);
    }
    return branches;
  }

  #findBranches(): Branches {
    const { count } = this;
    const kernels = this.#kernels;
    const workspace = this.#workspace;
    const { mark } = workspace;
    const scratch = workspace.allocate(SCRATCH_BYTES);
    const starts = workspace.allocate((BRANCHES_AT_ONCE + 1) * 4);
    const seconds = workspace.allocate(BRANCHES_AT_ONCE * 4);
    const terms = this.#openTerms();
    const found: Branches[] = [];
    for (let from = 0; from < count; ) {
      const n = kernels.termBranches(terms, from, count, scratch, starts, seconds, BRANCHES_AT_ONCE);
      found.push({ starts: this.#numbers(starts, n), seconds: this.#numbers(seconds, n) });
      from = workspace.u32[(starts >>> 2) + n]!;
    }
    workspace.release(mark);
    found.push({ starts: Uint32Array.of(count), seconds: new Uint32Array(0) });
    return { starts: joined(found.map((some) => some.starts)), seconds: joined(found.map((some) => some.seconds)) };
  }

  /** Writes where the terms are; to be released. */
  #openTerms(): number {
    const workspace = this.#workspace;
    const at = workspace.allocate(Terms.WORDS * 4);
    const struct = workspace.u32.subarray(at >>> 2, (at >>> 2) + Terms.WORDS);
    struct[Terms.text] = this.#text;
    struct[Terms.blocks] = this.#blocks;
    struct[Terms.keys] = 0;
    return at;
  }

  /** Writes a word that terms are compared with. */
  #openWord(letters: readonly number[], limit: number, isPrefix: boolean): number {
    const workspace = this.#workspace;
    const text = workspace.allocate(letters.length * 4);
    workspace.u32.set(letters, text >>> 2);
    const at = workspace.allocate(FuzzyWord.WORDS * 4);
    const struct = workspace.u32.subarray(at >>> 2, (at >>> 2) + FuzzyWord.WORDS);
    struct[FuzzyWord.letters] = text;
    struct[FuzzyWord.letterCount] = letters.length;
    struct[FuzzyWord.limit] = limit;
    struct[FuzzyWord.isPrefix] = isPrefix ? 1 : 0;
    return at;
  }

  #numbers(at: number, count: number): Uint32Array {
    return this.#workspace.u32.slice(at >>> 2, (at >>> 2) + count);
  }

  #keyOf(bytes: Uint8Array): number {
    const workspace = this.#workspace;
    const at = workspace.allocate(bytes.length);
    workspace.u8.set(bytes, at);
    return at;
  }
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const whole = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Terms that are in some of these ranges, one after the other in byte order. */
export function inByteOrder(ranges: readonly TermRange[]): TermRange[] {
  const ordered = [...ranges].sort((a, b) => a.from - b.from);
  const apart: TermRange[] = [];
  for (const { from, to } of ordered) {
    const last = apart.at(-1);
    if (last === undefined || from >= last.to) apart.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return apart;
}

/** As bytes of the vocabulary. */
export function termBytes(letters: readonly number[]): Uint8Array {
  return Buffer.from(String.fromCodePoint(...letters));
}
