/** What a query stands for, as compiled formatting is told of it: the bytes of all words, and what to do with each. */
import { ByteSink } from "../../../base/json/bytes.ts";
import { TERM_BYTES_MAX } from "../../../base/kernels/format/kernels.ts";
import type { MatchedQuery } from "../../query/matched.ts";
import type { FormatDesk } from "./desk.ts";
import { type Phrase, type TermSink, visitTerms } from "./terms.ts";

const WORD = 0;
const STOP_WORD = 1;
const PREFIX = 2;

/** Address and length of a word of a phrase. */
const PAIR_BYTES = 8;

/** Words with their bytes at `[starts[i], starts[i + 1])`. */
export class TermList implements TermSink {
  /** Whether it holds something that compiled code does not look for. */
  isBeyond = false;
  readonly #spelled = new ByteSink(256);
  readonly #starts: number[] = [0];
  /** Parallel to the words that are no part of a phrase. */
  readonly #kinds: number[] = [];
  readonly #marked: number[] = [];
  /** Numbers of words of each phrase, whose words come behind all others. */
  readonly #phrases: number[] = [];

  constructor(query: MatchedQuery) {
    for (const word of query.stopWords) this.#add(word, STOP_WORD);
    visitTerms(query, this);
  }

  get isEmpty(): boolean {
    return this.#kinds.length === 0 && this.#phrases.length === 0;
  }

  word(word: string): void {
    this.#add(word, WORD);
  }

  prefix(word: string, typedLength: number): void {
    const bytes = this.#add(word, PREFIX);
    const marked = bytes === word.length ? Math.min(typedLength, bytes) : bytesOf(word, typedLength);
    this.#marked[this.#marked.length - 1] = marked;
    if (marked === 0) this.isBeyond = true;
  }

  phrase(words: Phrase["words"]): void {
    for (const word of words) {
      if (word === null) this.isBeyond = true;
      else this.#spell(word);
    }
    this.#phrases.push(words.length);
  }

  /** Of the terms in the table. */
  get count(): number {
    return this.#kinds.length + this.#phrases.length;
  }

  /** Lays all of it on the desk, which is open. */
  layOn(desk: FormatDesk): void {
    const { kernels } = desk;
    const kinds = this.#kinds;
    const marked = this.#marked;
    const phrases = this.#phrases;
    const spelled = this.#spelled;
    const starts = this.#starts;
    const pairs = starts.length - 1 - kinds.length;
    const listed = kernels.allocate(pairs * PAIR_BYTES + spelled.length);
    const at = listed + pairs * PAIR_BYTES;
    desk.bytes.set(spelled.view(), at);
    for (let i = 0; i < pairs; i++) {
      const start = starts[kinds.length + i]!;
      desk.words[listed / 4 + 2 * i] = at + start;
      desk.words[listed / 4 + 2 * i + 1] = starts[kinds.length + i + 1]! - start;
    }
    for (let i = 0; i < kinds.length; i++) {
      const start = at + starts[i]!;
      const length = starts[i + 1]! - starts[i]!;
      if (kinds[i] === PREFIX) kernels.addPrefix(start, length, marked[i]!);
      else kernels.addWord(start, length, kinds[i] === STOP_WORD);
    }
    let words = listed;
    for (const count of phrases) {
      kernels.addPhrase(words, count);
      words += count * PAIR_BYTES;
    }
  }

  /** Returns the length in bytes. */
  #add(word: string, kind: number): number {
    this.#kinds.push(kind);
    this.#marked.push(0);
    return this.#spell(word);
  }

  #spell(word: string): number {
    const spelled = this.#spelled;
    const from = spelled.length;
    spelled.utf8(word);
    const length = spelled.length - from;
    if (length === 0 || length > TERM_BYTES_MAX) this.isBeyond = true;
    this.#starts.push(spelled.length);
    return length;
  }
}

/** Of the first characters of a word, in UTF-8. */
function bytesOf(word: string, characters: number): number {
  let bytes = 0;
  let left = characters;
  for (const character of word) {
    if (left-- === 0) break;
    bytes += Buffer.byteLength(character);
  }
  return bytes;
}
