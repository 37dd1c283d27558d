/**
 * Finds in the tokens of a text what a query stands for. One pass from left to right: at each word the phrases that begin
 * with it, then the word itself, then the prefixes; the first that fits wins.
 */
import { originalEnd } from "../../text/origin.ts";
import type { Token } from "../../text/token.ts";
import type { Phrase, Prefix, QuerySpan, QueryTerms } from "./terms.ts";

export interface Match {
  /** Places among the words of the text, and among all its tokens. Both ends belong to the match. */
  firstWord: number;
  lastWord: number;
  firstToken: number;
  lastToken: number;
  /** How much is marked from the beginning of the first token, in UTF-16 units. */
  units: number;
  /** Null for a stop word, which is marked but does not draw the crop window to it. */
  span: QuerySpan | null;
}

/** `isStopWord` tells which words may fill the holes of a phrase. */
export function findMatches(
  text: string,
  tokens: readonly Token[],
  terms: QueryTerms,
  isStopWord: (lemma: string) => boolean,
): Match[] {
  const matches: Match[] = [];
  const { exact, stopWords, hasPhrases } = terms;
  let word = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (isSeparator(token)) continue;
    const { lemma } = token;
    if (hasPhrases) {
      const match = phraseAt(tokens, at, word, terms, isStopWord);
      if (match !== null) {
        matches.push(match);
        at = match.lastToken;
        word = match.lastWord + 1;
        continue;
      }
    }
    const span = exact.get(lemma);
    let units = 0;
    let found: QuerySpan | null = null;
    if (span !== undefined) {
      units = token.end - token.start;
      found = span;
    } else {
      const prefix = terms.prefixOf(lemma);
      if (prefix !== null) {
        units = unitsOfPrefix(text, token, prefix);
        found = prefix.span;
      }
      if (found === null && stopWords.size > 0 && stopWords.has(lemma)) units = token.end - token.start;
    }
    if (found !== null || units > 0) {
      matches.push({ firstWord: word, lastWord: word, firstToken: at, lastToken: at, units, span: found });
    }
    word++;
  }
  return matches;
}

export function isSeparator(token: Token): boolean {
  return token.kind === "soft" || token.kind === "hard";
}

function phraseAt(
  tokens: readonly Token[],
  at: number,
  word: number,
  terms: QueryTerms,
  isStopWord: (lemma: string) => boolean,
): Match | null {
  const { lemma } = tokens[at]!;
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
  tokens: readonly Token[],
  at: number,
  word: number,
  phrase: Phrase,
  isStopWord: (lemma: string) => boolean,
): Match | null {
  const { words, span } = phrase;
  let last = at;
  for (let i = 1; i < words.length; i++) {
    do last++;
    while (last < tokens.length && isSeparator(tokens[last]!));
    if (last === tokens.length) return null;
    const { lemma } = tokens[last]!;
    const wanted = words[i];
    if (wanted === null ? !isStopWord(lemma) : lemma !== wanted) return null;
  }
  const units = tokens[last]!.end - tokens[at]!.start;
  return { firstWord: word, lastWord: word + words.length - 1, firstToken: at, lastToken: last, units, span };
}

/** How much of a token makes the part of the prefix that was typed. */
function unitsOfPrefix(text: string, token: Token, { word, typedLength }: Prefix): number {
  const { start, end } = token;
  let bytes = 0;
  let left = typedLength;
  for (const character of word) {
    if (left-- === 0) break;
    bytes += Buffer.byteLength(character);
  }
  const to = start + bytes;
  if (to > end) return originalEnd(text, token, bytes) - start;
  // Printable ASCII stays one byte whatever normalization does.
  for (let at = start; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return originalEnd(text, token, bytes) - start;
  }
  return bytes;
}
