/**
 * The words and phrases a query stands for, arranged so that each word of a text is looked up once. Built once per
 * request from what the search found out; knows nothing of documents.
 */
import { characterCount } from "../../../base/text/characters.ts";
import type { MatchedQuery, MatchedTerm } from "../../query/matched.ts";

/** Which places of the query a match answers. */
export interface QuerySpan {
  first: number;
  last: number;
}

export interface Prefix {
  word: string;
  /** Characters of the query word: no more than these are marked. */
  typedLength: number;
  /** Of several prefixes of one word the lowest is meant. */
  order: number;
  span: QuerySpan;
}

export interface Phrase {
  /** Null stands for a stop word. */
  words: readonly (string | null)[];
  span: QuerySpan;
}

const NO_PHRASES: readonly Phrase[] = [];

export class QueryTerms implements TermSink {
  readonly exact = new Map<string, QuerySpan>();
  /** Stop words of the query: marked where nothing else matches. */
  readonly stopWords: ReadonlySet<string>;
  readonly isEmpty: boolean;
  readonly #prefixes = new Map<string, Prefix>();
  /** Whether something begins with an ASCII unit: most words of a text need no look-up. */
  readonly #begins = new Uint8Array(128);
  readonly #lengths: readonly number[];
  readonly #phrases = new Map<string | null, Phrase[]>();

  constructor(query: MatchedQuery | null) {
    if (query !== null) visitTerms(query, this);
    this.#lengths = [...new Set(Array.from(this.#prefixes.keys(), (word) => word.length))].sort((a, b) => a - b);
    this.stopWords = new Set(query?.stopWords);
    for (const word of this.stopWords) this.#noteBeginning(word);
    this.isEmpty =
      this.exact.size === 0 && this.#prefixes.size === 0 && this.#phrases.size === 0 && this.stopWords.size === 0;
  }

  /** Phrases that begin with this word, or with a stop word when null is asked for. */
  phrasesFrom(word: string | null): readonly Phrase[] {
    return this.#phrases.get(word) ?? NO_PHRASES;
  }

  get hasPhrases(): boolean {
    return this.#phrases.size > 0;
  }

  /** False when no word that begins with this unit can match. */
  mayBegin(unit: number): boolean {
    return !(unit < 128) || this.#begins[unit] !== 0;
  }

  /** The prefix that a word begins with. */
  prefixOf(word: string): Prefix | null {
    let found: Prefix | null = null;
    for (const length of this.#lengths) {
      if (length > word.length) break;
      const prefix = this.#prefixes.get(length === word.length ? word : word.slice(0, length));
      if (prefix !== undefined && (found === null || prefix.order < found.order)) found = prefix;
    }
    return found;
  }

  word(word: string, span: QuerySpan): void {
    if (this.exact.has(word)) return;
    this.exact.set(word, span);
    this.#noteBeginning(word);
  }

  prefix(word: string, typedLength: number, span: QuerySpan): void {
    if (this.#prefixes.has(word)) return;
    this.#prefixes.set(word, { word, typedLength, order: this.#prefixes.size, span });
    this.#noteBeginning(word);
  }

  phrase(words: Phrase["words"], span: QuerySpan): void {
    const phrase = { words, span };
    const head = words[0]!;
    // A hole may be filled by any stop word.
    if (head === null) this.#begins.fill(1);
    else this.#noteBeginning(head);
    const known = this.#phrases.get(head);
    if (known === undefined) this.#phrases.set(head, [phrase]);
    else known.push(phrase);
  }

  #noteBeginning(word: string): void {
    const unit = word.charCodeAt(0);
    if (unit < 128) this.#begins[unit] = 1;
  }
}

/** Takes what a query stands for, piece by piece; of equal words and prefixes the first counts. */
export interface TermSink {
  word(word: string, span: QuerySpan): void;
  prefix(word: string, typedLength: number, span: QuerySpan): void;
  phrase(words: Phrase["words"], span: QuerySpan): void;
}

/** Words and prefixes as they are tried, then phrases; stop words of the query are not among them. */
export function visitTerms({ terms }: MatchedQuery, sink: TermSink): void {
  for (const term of terms) {
    const span = spanOf(term);
    if (term.isPrefix) visitPrefixes(term, span, sink);
    else for (const word of term.words) sink.word(word, span);
  }
  for (const term of terms.toSorted(byPhraseOrder)) {
    for (const words of term.phrases) if (words.length > 0) sink.phrase(words, spanOf(term));
  }
}

function visitPrefixes({ typed, words }: MatchedTerm, span: QuerySpan, sink: TermSink): void {
  const typedLength = characterCount(typed);
  // Whatever begins with a completion begins with the typed word too, and no more than that is marked.
  const hasTyped = typed !== "" && words.includes(typed);
  for (const word of words) {
    if (word === "" || (hasTyped && word.length > typed.length && word.startsWith(typed))) continue;
    sink.prefix(word, typedLength, span);
  }
}

function spanOf(term: MatchedTerm): QuerySpan {
  return { first: term.firstPosition, last: term.lastPosition };
}

/** Phrases of single terms are tried before those of terms joined from several words, from left to right. */
function byPhraseOrder(a: MatchedTerm, b: MatchedTerm): number {
  return Number(isJoined(a)) - Number(isJoined(b)) || a.firstPosition - b.firstPosition;
}

function isJoined(term: MatchedTerm): boolean {
  return term.typed !== "" && term.lastPosition > term.firstPosition;
}
