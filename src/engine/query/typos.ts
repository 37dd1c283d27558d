/**
 * Which words of the vocabulary a mistyped word may mean: from each segment as many of the nearest terms, in byte order,
 * as can matter, then from all of them together.
 */
import { inByteOrder, type TermRange, termBytes } from "./dictionary.ts";
import { compareText } from "./order.ts";
import type { Vocabulary, Word, WordSegment } from "./vocabulary.ts";

export const ONE_TYPO_MAX = 150;
export const TWO_TYPOS_MAX = 50;
/** Terms of a segment looked at, of which any number may be in places that tolerate no typos: it must not take forever. */
const JUDGED_MAX = 10_000;

export interface TypoWords<Own = Word> {
  one: Own[];
  two: Own[];
}

export interface NearWord<Own = Word> {
  word: Own;
  distance: number;
  /** Whether it begins with the same letter. */
  sameFirst: boolean;
}

/** Words one or two typos away, `allowed` being the most; both lists in byte order. */
export function typoWords(vocabulary: Vocabulary, text: string, allowed: number, isPrefix: boolean): TypoWords {
  return takenOf(nearWords(vocabulary, text, allowed, isPrefix), allowed);
}

/** As many of the words near another one, in byte order, as can matter. */
export function nearWords(vocabulary: Vocabulary, text: string, allowed: number, isPrefix: boolean): NearWord[] {
  if (allowed === 0 || text === "") return [];
  const pattern = Array.from(text, (character) => character.codePointAt(0)!);
  const lists = vocabulary.segments.map((segment) =>
    new NearWords(vocabulary, segment, pattern, allowed, isPrefix).collect(),
  );
  return lists.length === 1 ? lists[0]! : merged(lists);
}

/** Those of near words, given in byte order, that count. */
export function takenOf<Own>(near: readonly NearWord<Own>[], allowed: number): TypoWords<Own> {
  const found: TypoWords<Own> = { one: [], two: [] };
  for (const candidate of near) take(found, candidate, allowed);
  return found;
}

function merged(lists: readonly NearWord[][]): NearWord[] {
  const byText = new Map<string, NearWord>();
  for (const list of lists) for (const candidate of list) byText.set(candidate.word.text, candidate);
  return [...byText.values()].sort((a, b) => compareText(a.word.text, b.word.text));
}

function isFull({ one, two }: TypoWords, allowed: number): boolean {
  return one.length >= ONE_TYPO_MAX && (allowed === 1 || two.length >= TWO_TYPOS_MAX);
}

function take<Own>({ one, two }: TypoWords<Own>, { word, distance, sameFirst }: NearWord<Own>, allowed: number): void {
  const oneIsFull = one.length >= ONE_TYPO_MAX;
  const twoIsFull = two.length >= TWO_TYPOS_MAX;
  // A wrong first letter counts as a second typo; once there is no room for those it is judged like any other.
  if (allowed === 2 && !twoIsFull && (distance === 2 || !sameFirst)) two.push(word);
  else if (distance === 1 && !oneIsFull) one.push(word);
}

/** Whether words like this can still be taken. */
function hasRoom({ one, two }: TypoWords, distance: number, sameFirst: boolean): boolean {
  if (two.length < TWO_TYPOS_MAX && (distance === 2 || !sameFirst)) return true;
  return distance === 1 && one.length < ONE_TYPO_MAX;
}

class NearWords {
  readonly #vocabulary: Vocabulary;
  readonly #segment: WordSegment;
  readonly #pattern: readonly number[];
  readonly #allowed: number;
  readonly #isPrefix: boolean;
  readonly #candidates: NearWord[] = [];
  readonly #counted: TypoWords = { one: [], two: [] };
  #judged = 0;

  constructor(
    vocabulary: Vocabulary,
    segment: WordSegment,
    pattern: readonly number[],
    allowed: number,
    isPrefix: boolean,
  ) {
    this.#vocabulary = vocabulary;
    this.#segment = segment;
    this.#pattern = pattern;
    this.#allowed = allowed;
    this.#isPrefix = isPrefix;
  }

  /** Candidates of this segment in byte order, as many as can matter. */
  collect(): NearWord[] {
    const allowed = this.#allowed;
    const candidates = this.#candidates;
    const isPrefix = this.#isPrefix;
    const pattern = this.#pattern;
    const { dictionary } = this.#segment;
    const sameFirst = dictionary.beginning(termBytes(pattern.slice(0, 1)));
    const others = allowed === 1 ? [] : this.#otherFirst(sameFirst);
    const isBefore = ({ from }: TermRange): boolean => from < sameFirst.from;
    if (!others.filter(isBefore).every((range) => this.#add(range, 1, false))) return candidates;
    const goesOn = dictionary.near(pattern, allowed, isPrefix, sameFirst, (terms) =>
      this.#add(terms, terms.distance, true),
    );
    if (goesOn) others.filter((range) => !isBefore(range)).every((range) => this.#add(range, 1, false));
    return candidates;
  }

  /** False when enough were found, or looked at. */
  #add({ from, to }: TermRange, distance: number, sameFirst: boolean): boolean {
    for (let ordinal = from; ordinal < to && hasRoom(this.#counted, distance, sameFirst); ordinal++) {
      if (++this.#judged > JUDGED_MAX) return false;
      const word = this.#vocabulary.wordOf(this.#segment, ordinal);
      if (!word.tolerant) continue;
      const candidate = { word, distance, sameFirst };
      this.#candidates.push(candidate);
      take(this.#counted, candidate, this.#allowed);
    }
    return !isFull(this.#counted, this.#allowed);
  }

  /**
   * Terms one edit away whose first letter differs: that edit can only be at the beginning, which leaves four spellings
   * (another letter for the first, one more letter before it, the first dropped, the first two swapped).
   */
  #otherFirst(sameFirst: TermRange): TermRange[] {
    const isPrefix = this.#isPrefix;
    const pattern = this.#pattern;
    const { dictionary } = this.#segment;
    const [first, second] = pattern;
    if (second === undefined && isPrefix) {
      return [
        { from: 0, to: sameFirst.from },
        { from: sameFirst.to, to: dictionary.count },
      ];
    }
    const rest = pattern.slice(1);
    const ranges = [
      ...dictionary.afterAnyLetter(termBytes(rest), sameFirst, isPrefix),
      ...dictionary.afterAnyLetter(termBytes(pattern), sameFirst, isPrefix),
    ];
    if (second !== undefined && second !== first) {
      ranges.push(this.#spelled(rest), this.#spelled([second, first!, ...pattern.slice(2)]));
    }
    return inByteOrder(ranges);
  }

  /** The term spelled like this, or those that begin so. */
  #spelled(letters: readonly number[]): TermRange {
    const { dictionary } = this.#segment;
    const bytes = termBytes(letters);
    if (this.#isPrefix) return dictionary.beginning(bytes);
    const ordinal = dictionary.find(bytes);
    return { from: ordinal, to: ordinal === -1 ? -1 : ordinal + 1 };
  }
}
