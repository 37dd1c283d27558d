/**
 * Which part of a text to keep when it is cropped to a number of words: around the matches that say most about the query,
 * grown outwards so that it rather ends where a sentence does.
 *
 *   … void void [split the world] void void …      the best interval of matches,
 *          <---                   --->             then token by token to both sides until no words are left
 */
import { HARD_SPAN, type TokenSpans, WORD_SPAN } from "../../../base/text/spans.ts";
import type { Match } from "./matches.ts";
import type { QuerySpan } from "./terms.ts";

/** UTF-16 offsets of the part to keep. */
export interface Window {
  start: number;
  end: number;
}

/** In the place of a kind: beyond the first or last token. */
const NONE = -1;
/** Matches farther apart than this are equally far. */
const GAP_MAX = 7;

export function cropWindow(text: string, tokens: TokenSpans, matches: readonly Match[], words: number): Window {
  const drawing = matches.filter((match) => match.span !== null);
  if (drawing.length === 0) return grow(text, tokens, 0, 0, 1, words);
  const { first, last } = bestInterval(drawing, words);
  const length = last.lastWord - first.firstWord + 1;
  if (words >= length) return grow(text, tokens, first.firstToken, last.lastToken + 1, 1, words - length);
  // One phrase longer than the window: words are taken off its end.
  return grow(text, tokens, 0, Math.min(last.lastToken + 1, tokens.count - 1), -1, length - words);
}

/**
 * Takes tokens until `words` words are taken: to the left below `left`, to the right from `right` on in steps of `step`.
 */
function grow(text: string, tokens: TokenSpans, left: number, right: number, step: 1 | -1, words: number): Window {
  const { count, ends, kinds, starts } = tokens;
  let before = left - 1;
  let after = right;
  let rest = words;
  while (rest > 0) {
    const previous = before >= 0 ? kinds[before]! : NONE;
    const next = after >= 0 && after < count ? kinds[after]! : NONE;
    if (next === NONE) {
      if (previous === NONE) break;
      before--;
      if (previous === WORD_SPAN) rest--;
    } else if (previous === NONE) {
      after += step;
      if (next === WORD_SPAN) rest--;
    } else if (previous !== WORD_SPAN && next !== WORD_SPAN) {
      if (previous === next) {
        before--;
        if (rest > 1) after += step;
      } else if (previous === HARD_SPAN) after += step;
      else before--;
    } else if (next !== WORD_SPAN) {
      before--;
      rest--;
    } else if (previous !== WORD_SPAN) {
      after += step;
      rest--;
    } else {
      before--;
      rest--;
      if (rest > 0) {
        after += step;
        rest--;
      }
    }
  }
  const start = before >= 0 ? ends[before]! : 0;
  const end = after >= 0 && after < count ? starts[after]! : text.length;
  return { start, end };
}

interface Interval {
  first: Match;
  last: Match;
}

/** Of all runs of matches that fit into the words, the one worth most, the earliest of equals; else the first match. */
function bestInterval(matches: readonly Match[], words: number): Interval {
  const run = new Run(matches);
  let best: (Interval & { worth: Worth }) | null = null;
  const consider = (from: number, to: number): void => {
    const worth = run.moveTo(from, to);
    if (best === null || isBetter(worth, best.worth)) best = { worth, first: matches[from]!, last: matches[to]! };
  };
  const last = matches.length - 1;
  let from = 0;
  for (let at = 0; at <= last; at++) {
    const end = matches[at]!.lastWord;
    if (end - matches[from]!.firstWord < words) continue;
    if (at > 0) consider(from, at - 1);
    do from++;
    while (from <= last && matches[from]!.firstWord <= end && end - matches[from]!.firstWord >= words);
    if (from > last) from = last;
  }
  if (from !== last || matches[last]!.lastWord - matches[last]!.firstWord + 1 < words) consider(from, last);
  return best ?? { first: matches[0]!, last: matches[0]! };
}

interface Worth {
  /** Places of the query that the interval answers. */
  places: number;
  closeness: number;
  order: number;
}

function isBetter(a: Worth, b: Worth): boolean {
  if (a.places !== b.places) return a.places > b.places;
  if (a.closeness !== b.closeness) return a.closeness > b.closeness;
  return a.order > b.order;
}

/**
 * What a run of matches is worth, kept up as it moves on: its ends only ever go forward, and each match comes and goes once.
 * Counted anew for each run, a long text with a long window would take minutes.
 */
class Run {
  readonly #matches: readonly Match[];
  #from = 0;
  #to = -1;
  #closeness = 0;
  #order = 0;
  /** How many of the run answer each place of the query. */
  readonly #answers = new Map<number, number>();

  constructor(matches: readonly Match[]) {
    this.#matches = matches;
  }

  /** Both ends belong to it; empty where they cross. */
  moveTo(from: number, to: number): Worth {
    while (this.#to < to) {
      this.#to++;
      this.#count(this.#to, 1);
      if (this.#to > this.#from) this.#countGap(this.#to - 1, 1);
    }
    while (this.#from < from) {
      this.#count(this.#from, -1);
      if (this.#from < this.#to) this.#countGap(this.#from, -1);
      this.#from++;
    }
    return { places: this.#answers.size, closeness: this.#closeness, order: this.#order };
  }

  #count(at: number, by: 1 | -1): void {
    const { firstWord, lastWord, span } = this.#matches[at]!;
    const { first, last } = span as QuerySpan;
    for (let place = first; place <= last; place++) {
      const answers = (this.#answers.get(place) ?? 0) + by;
      if (answers === 0) this.#answers.delete(place);
      else this.#answers.set(place, answers);
    }
    this.#order += by * (lastWord - firstWord);
    this.#closeness -= by * (lastWord - firstWord);
  }

  /** Between a match and the next. */
  #countGap(at: number, by: 1 | -1): void {
    const match = this.#matches[at]!;
    const next = this.#matches[at + 1]!;
    if ((next.span as QuerySpan).first > (match.span as QuerySpan).first) this.#order += by;
    this.#closeness -= by * Math.min(GAP_MAX, next.firstWord - match.lastWord);
  }
}
