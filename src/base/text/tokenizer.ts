/**
 * What are the words of this text? A text is cut in runs of one script, each run at separators and dictionary words,
 * and what is left by the segmenter of its language; every piece is then normalized to a lemma.
 * `tokenize` serves queries, `spans` formatting, `words` indexing, of which compiled code does what it can by the
 * tables of `script-tables.ts`. Knows nothing of documents or storage.
 */
import { characterCount } from "./characters.ts";
import { type Allowed, allowedLanguages, languageOfLatin, languageOfRun } from "./detect.ts";
import { Distance, type DistanceState } from "./distance.ts";
import { asciiWordRead, readAsciiWord } from "./interned.ts";
import { GERMAN } from "./languages.ts";
import { Lemmas } from "./lemmas.ts";
import {
  BEFORE_SPACE_UNIT,
  COMPLEX_UNIT,
  HARD_UNIT,
  type Patterns,
  patternsOf,
  takesSpace,
  WORD_UNIT,
} from "./patterns.ts";
import { ScriptTables } from "./script-tables.ts";
import { forEachRun, LATIN } from "./scripts.ts";
import type { Segmenter } from "./segmenter.ts";
import { isMaybeNumber, segmenterFor } from "./segmenters.ts";
import { addRun, type TokenSpans } from "./spans.ts";
import type { Locales, Token, TokenizerOptions, WordSink } from "./token.ts";

type PieceVisitor = (start: number, end: number) => void;

/**
 * Builds a tokenizer; keep it, it remembers words.
 *
 *     createTokenizer({ stopWords: ["the"] }).tokenize("the Cat. ");
 *     // the (stop), " " (soft), cat (word), ". " (hard)
 */
export function createTokenizer(options: TokenizerOptions = {}): Tokenizer {
  return new Tokenizer(options);
}

export class Tokenizer {
  readonly #patterns: Patterns;
  readonly #lemmas: Lemmas;
  /** For those that read texts themselves. */
  readonly tables: ScriptTables;
  readonly #cuts: number[] = [];
  /** In the value whose words are being read. */
  readonly #distance = new Distance();

  constructor(options: TokenizerOptions) {
    this.#patterns = patternsOf(options);
    this.#lemmas = new Lemmas(this.#patterns);
    this.tables = new ScriptTables(this.#patterns, this.#lemmas);
  }

  /** All tokens of a text, in order. */
  tokenize(text: string, locales?: Locales): Token[] {
    const tokens: Token[] = [];
    const allowed = allowedLanguages(locales);
    const { classes, stopWords } = this.#patterns;
    let charStart = 0;
    forEachRun(text, (runStart, runEnd, script) => {
      const language = languageOfRun(text, runStart, runEnd, script, allowed);
      this.#cutRun(text, runStart, runEnd, segmenterFor(script, language), (start, end) => {
        const asciiEnd = readAsciiWord(text, start, end, classes);
        const known =
          asciiEnd === end && !stopWords.mayHave(text.charCodeAt(start), end - start) ? asciiWordRead() : null;
        if (known !== null) {
          const charEnd = charStart + end - start;
          tokens.push({ lemma: known, kind: "word", start, end, charStart, charEnd, script, language });
          charStart = charEnd;
        } else {
          const { lemma, kind } = this.#lemmas.at(text, start, end, script, language);
          const charEnd = charStart + characterCount(text, start, end);
          tokens.push({ lemma, kind, start, end, charStart, charEnd, script, language });
          charStart = charEnd;
        }
      });
    });
    return tokens;
  }

  /** The same tokens as numbers, in the place of those of another text. `isAscii`: known to hold nothing else. */
  spans(text: string, locales: Locales, out: TokenSpans, isAscii = false): void {
    out.reset(text);
    const allowed = allowedLanguages(locales);
    const lemmas = this.#lemmas;
    const patterns = this.#patterns;
    if (isAscii) {
      // One run: normalization does the same to ASCII with letters as to ASCII without.
      const language = languageOfLatin(allowed);
      if (language !== null && language !== GERMAN) {
        addRun(text, 0, text.length, LATIN, language, patterns, lemmas, out);
        return;
      }
    }
    forEachRun(text, (runStart, runEnd, script) => {
      const language = languageOfRun(text, runStart, runEnd, script, allowed);
      const segmenter = segmenterFor(script, language);
      if (segmenter === null) addRun(text, runStart, runEnd, script, language, patterns, lemmas, out);
      else {
        this.#cutRun(text, runStart, runEnd, segmenter, (start, end) => {
          out.add(lemmas.at(text, start, end, script, language), start, end, script, language);
        });
      }
    });
  }

  /** Sends the words of one value to the sink, with their distances. */
  words(text: string, locales: Locales, sink: WordSink): void {
    this.#distance.reset();
    const allowed = allowedLanguages(locales);
    forEachRun(text, (start, end, script) => this.#wordsOfRun(text, start, end, script, allowed, sink));
  }

  /** The same for one run of a value whose other runs are read elsewhere; returns the distance of the first word behind it. */
  run(text: string, script: number, locales: Locales, sink: WordSink, before: DistanceState): DistanceState {
    this.#distance.resume(before);
    this.#wordsOfRun(text, 0, text.length, script, allowedLanguages(locales), sink);
    return this.#distance;
  }

  #wordsOfRun(text: string, start: number, end: number, script: number, allowed: Allowed, sink: WordSink): void {
    const language = languageOfRun(text, start, end, script, allowed);
    const segmenter = segmenterFor(script, language);
    if (segmenter === null) this.#readRun(text, start, end, script, language, sink);
    else {
      this.#cutRun(text, start, end, segmenter, (from, to) => this.#readPiece(text, from, to, script, language, sink));
    }
  }

  /** Cuts a run at its patterns, and what lies between them with the segmenter. */
  #cutRun(text: string, start: number, end: number, segmenter: Segmenter | null, visit: PieceVisitor): void {
    let from = start;
    let at = start;
    while (at < end) {
      const patternEnd = this.#patternEnd(text, at, end);
      if (patternEnd < 0) {
        at++;
        continue;
      }
      if (from < at) this.#cutPiece(text, from, at, segmenter, visit);
      visit(at, patternEnd);
      at = patternEnd;
      from = at;
    }
    if (from < end) this.#cutPiece(text, from, end, segmenter, visit);
  }

  #cutPiece(text: string, start: number, end: number, segmenter: Segmenter | null, visit: PieceVisitor): void {
    if (segmenter === null || isMaybeNumber(text, start, end)) {
      visit(start, end);
      return;
    }
    this.#cuts.length = 0;
    segmenter(text, start, end, this.#cuts);
    let from = start;
    for (const cut of this.#cuts) {
      visit(from, cut);
      from = cut;
    }
  }

  /** End of the separator or dictionary word that begins at `at`, or -1. */
  #patternEnd(text: string, at: number, end: number): number {
    switch (this.#patterns.classes[text.charCodeAt(at)]) {
      case WORD_UNIT:
        return -1;
      case COMPLEX_UNIT:
        return this.#patterns.match(text, at, end);
      case BEFORE_SPACE_UNIT:
        return takesSpace(text, at, end) ? at + 2 : at + 1;
      default:
        return at + 1;
    }
  }

  /** The words of a run that needs no segmenter. */
  #readRun(text: string, start: number, end: number, script: number, language: number, sink: WordSink): void {
    const { classes, stopWords } = this.#patterns;
    const distance = this.#distance;
    let at = start;
    while (at < end) {
      const from = at;
      const kind = classes[text.charCodeAt(at)]!;
      if (kind !== WORD_UNIT) {
        const patternEnd = this.#patternEnd(text, at, end);
        if (patternEnd > 0) {
          at = patternEnd;
          if (kind === COMPLEX_UNIT) this.#readPiece(text, from, at, script, language, sink);
          else distance.separator(kind === HARD_UNIT || at > from + 1);
          continue;
        }
      }
      const asciiEnd = readAsciiWord(text, at, end, classes);
      at = this.#wordEnd(text, asciiEnd, end);
      if (at > asciiEnd || stopWords.mayHave(text.charCodeAt(from), at - from)) {
        this.#readPiece(text, from, at, script, language, sink);
        continue;
      }
      const word = asciiWordRead();
      if (word === null) sink.skip(distance.gap);
      else sink.word(word, distance.gap);
      distance.word();
    }
  }

  /** End of the word that `at` stands in: the next pattern. */
  #wordEnd(text: string, at: number, end: number): number {
    const { classes } = this.#patterns;
    let to = at;
    while (to < end) {
      const kind = classes[text.charCodeAt(to)]!;
      if (kind !== WORD_UNIT && (kind !== COMPLEX_UNIT || this.#patterns.match(text, to, end) > 0)) break;
      to++;
    }
    return to;
  }

  #readPiece(text: string, start: number, end: number, script: number, language: number, sink: WordSink): void {
    const { kind, lemma, indexed } = this.#lemmas.at(text, start, end, script, language);
    const distance = this.#distance;
    if (kind === "soft" || kind === "hard") distance.separator(kind === "hard");
    else if (lemma.length === 0) distance.emptyWord();
    else {
      if (indexed === null) sink.skip(distance.gap);
      else sink.word(indexed, distance.gap);
      distance.word();
    }
  }
}
