/**
 * Finds in the tokens of a text what a query stands for. One pass from left to right: at each word the phrases that begin
 * with it, then the word itself, then the prefixes; the first that fits wins.
 */
import { originalEnd } from "../../../base/text/origin.ts";
import { type TokenSpans, WORD_SPAN } from "../../../base/text/spans.ts";
import type { Phrase, Prefix, QuerySpan, QueryTerms } from "./terms.ts";

export interface Match {
  /** Places among the words of the text, and among all its tokens. Both ends belong to the match. */
  firstWord: number;
  lastWord: number;
  firstToken: number;
  lastToken: number;
  /** In UTF-16 units: from the beginning of its first token to the end of its last. */
  start: number;
  end: number;
  /** How much of that is marked. */
  units: number;
  /** Null for a stop word, which is marked but does not draw the crop window to it. */
  span: QuerySpan | null;
}

/** `isStopWord` tells which words may fill the holes of a phrase. */
export function findMatches(
  text: string,
  tokens: TokenSpans,
  terms: QueryTerms,
  isStopWord: (lemma: string) => boolean,
): Match[] {
  const matches: Match[] = [];
  const { exact, stopWords, hasPhrases } = terms;
  const { count, kinds } = tokens;
  const word = WORD_SPAN;
  let words = 0;
  for (let at = 0; at < count; at++) {
    if (kinds[at] !== word) continue;
    // Most words of a text begin like nothing that is looked for.
    if (!terms.mayBegin(tokens.firstUnit(at))) {
      words++;
      continue;
    }
    const lemma = tokens.lemma(at);
    if (hasPhrases) {
      const match = phraseAt(tokens, lemma, at, words, terms, isStopWord);
      if (match !== null) {
        matches.push(match);
        at = match.lastToken;
        words = match.lastWord + 1;
        continue;
      }
    }
    const start = tokens.starts[at]!;
    const end = tokens.ends[at]!;
    let units = 0;
    let span = exact.get(lemma) ?? null;
    if (span !== null) units = end - start;
    else {
      const prefix = terms.prefixOf(lemma);
      if (prefix !== null) {
        units = unitsOfPrefix(text, tokens, at, prefix);
        span = prefix.span;
      } else if (stopWords.size > 0 && stopWords.has(lemma)) units = end - start;
    }
    if (span !== null || units > 0) {
      matches.push({ firstWord: words, lastWord: words, firstToken: at, lastToken: at, start, end, units, span });
    }
    words++;
  }
  return matches;
}

function phraseAt(
  tokens: TokenSpans,
  lemma: string,
  at: number,
  word: number,
  terms: QueryTerms,
  isStopWord: (lemma: string) => boolean,
): Match | null {
  const holed = terms.phrasesFrom(null);
  if (holed.length > 0 && isStopWord(lemma)) {
    for (const phrase of holed) {
      const match = phraseMatch(tokens, at, word, phrase, isStopWord);
      if (match !== null) return match;
    }
  }
  for (const phrase of terms.phrasesFrom(lemma)) {
    const match = phraseMatch(tokens, at, word, phrase, isStopWord);
    if (match !== null) return match;
  }
  return null;
}

/** Whether the words of the phrase, whose first is at `at`, follow each other with nothing but separators between them. */
function phraseMatch(
  tokens: TokenSpans,
  at: number,
  word: number,
  phrase: Phrase,
  isStopWord: (lemma: string) => boolean,
): Match | null {
  const { words, span } = phrase;
  const { count, kinds } = tokens;
  let last = at;
  for (let i = 1; i < words.length; i++) {
    do last++;
    while (last < count && kinds[last] !== WORD_SPAN);
    if (last === count) return null;
    const lemma = tokens.lemma(last);
    const wanted = words[i];
    if (wanted === null ? !isStopWord(lemma) : lemma !== wanted) return null;
  }
  const start = tokens.starts[at]!;
  const end = tokens.ends[last]!;
  const lastWord = word + words.length - 1;
  return { firstWord: word, lastWord, firstToken: at, lastToken: last, start, end, units: end - start, span };
}

/** How much of a token makes the part of the prefix that was typed. */
function unitsOfPrefix(text: string, tokens: TokenSpans, at: number, { word, typedLength }: Prefix): number {
  const start = tokens.starts[at]!;
  const end = tokens.ends[at]!;
  // The token begins with the word, unit for unit.
  if (tokens.isPlain(at)) return Math.min(typedLength, word.length);
  let bytes = 0;
  let left = typedLength;
  for (const character of word) {
    if (left-- === 0) break;
    bytes += Buffer.byteLength(character);
  }
  const to = start + bytes;
  if (to > end) return originalEnd(text, tokens.origin(at), bytes) - start;
  // Printable ASCII stays one byte whatever normalization does.
  for (let i = start; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return originalEnd(text, tokens.origin(at), bytes) - start;
  }
  return bytes;
}
