/**
 * From the text of a query to its terms: words, phrases and what is excluded, each with its position. Looks at tokens
 * only; which words exist and what they may stand for is found out later.
 */
import { limits } from "../../base/limits.ts";
import type { Token } from "../../base/text/token.ts";
import type { QueryRules } from "./rules.ts";
import type { Phrase } from "./synonyms.ts";

const TOKENS_MAX = 1000;
const TERMS_MAX = 10;
const POSITION_MASK = 0xffff;
/** A hard separator counts as this many words, one more for the word itself. */
const HARD_GAP = 7;

export interface ParsedTerm {
  /** Normalized; empty for a phrase. */
  word: string;
  phrase: Phrase | null;
  prefix: boolean;
  first: number;
  last: number;
}

export interface ParsedQuery {
  terms: ParsedTerm[];
  negativeWords: string[];
  negativePhrases: Phrase[];
  stopWords: string[];
}

interface OpenPhrase {
  words: (string | null)[];
  first: number;
  last: number;
}

export function parseQuery(whole: string, rules: QueryRules, locales: readonly string[] | null): ParsedQuery {
  const walk = new TokenWalk(rules.prefixSearch);
  const text = whole.length > limits.queryUnits ? whole.slice(0, limits.queryUnits) : whole;
  const tokens = text.trim() === "" ? [] : rules.tokenizer.tokenize(text, locales).slice(0, TOKENS_MAX);
  return walk.read(tokens);
}

class TokenWalk {
  readonly #parsed: ParsedQuery = { terms: [], negativeWords: [], negativePhrases: [], stopWords: [] };
  readonly #prefixSearch: boolean;
  #position = POSITION_MASK;
  #phrase: OpenPhrase | null = null;
  #phraseIsNegative = false;
  #nextIsNegative = false;
  #afterBlank = true;

  constructor(prefixSearch: boolean) {
    this.#prefixSearch = prefixSearch;
  }

  read(tokens: readonly Token[]): ParsedQuery {
    for (let i = 0; i < tokens.length; i++) {
      const { kind, lemma } = tokens[i]!;
      if (lemma === "") continue;
      if (this.#parsed.terms.length >= TERMS_MAX) {
        this.#phrase = null;
        break;
      }
      if (kind === "word" || kind === "stop") this.#word(lemma, kind === "stop", i === tokens.length - 1);
      else this.#separator(lemma, kind === "hard");
      this.#afterBlank = /\s$/u.test(lemma);
    }
    if (this.#phrase !== null) this.#closePhrase(this.#phrase);
    return this.#parsed;
  }

  #word(lemma: string, isStop: boolean, isLast: boolean): void {
    this.#position = (this.#position + 1) & POSITION_MASK;
    const parsed = this.#parsed;
    const phrase = this.#phrase;
    const position = this.#position;
    if (isStop && !parsed.stopWords.includes(lemma)) parsed.stopWords.push(lemma);
    if (phrase !== null) {
      if (phrase.words.every((word) => word === null)) phrase.first = position;
      phrase.last = position;
      phrase.words.push(isStop ? null : lemma);
    } else if (this.#nextIsNegative) {
      parsed.negativeWords.push(lemma);
      this.#nextIsNegative = false;
    } else if (isLast || !isStop) {
      const prefix = isLast && this.#prefixSearch;
      parsed.terms.push({ word: lemma, phrase: null, prefix, first: position, last: position });
    }
  }

  #separator(lemma: string, isHard: boolean): void {
    if (isHard) {
      this.#position = (this.#position + HARD_GAP) & POSITION_MASK;
      if (this.#phrase !== null) {
        this.#closePhrase(this.#phrase);
        this.#phrase = newPhrase();
      }
    }
    let quotes = lemma.split('"').length - 1;
    if (quotes > 0) {
      if (this.#phrase !== null) {
        quotes--;
        if (this.#closePhrase(this.#phrase)) this.#phraseIsNegative = false;
        this.#phrase = null;
      }
      if (quotes % 2 === 1) {
        this.#phraseIsNegative = this.#nextIsNegative;
        this.#phrase = newPhrase();
      }
    }
    this.#nextIsNegative = this.#phrase === null && lemma === "-" && this.#afterBlank;
  }

  /** False for a phrase of stop words only, which is no phrase. */
  #closePhrase({ words, first, last }: OpenPhrase): boolean {
    if (words.every((word) => word === null)) return false;
    if (this.#phraseIsNegative) this.#parsed.negativePhrases.push(words);
    else this.#parsed.terms.push({ word: "", phrase: words, prefix: false, first, last });
    return true;
  }
}

function newPhrase(): OpenPhrase {
  return { words: [], first: POSITION_MASK, last: POSITION_MASK };
}
