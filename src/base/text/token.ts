/** The vocabulary of this folder: what goes into a tokenizer and what comes out of it. Types only. */

/** What an index may change about tokenization. Empty strings are ignored. */
export interface TokenizerOptions {
  /** Compared exactly, before lower-casing: "the" does not stop "The". */
  stopWords?: Iterable<string>;
  /** Added to the default separators. */
  separators?: Iterable<string>;
  /** Taken away from the result of the above. */
  nonSeparators?: Iterable<string>;
  /** Texts that stay one token even where they hold separators; case-sensitive. */
  dictionary?: Iterable<string>;
}

/** Locale codes ("de", "deu") that language detection may choose from; null or absent = no restriction. */
export type Locales = readonly string[] | null | undefined;

export type TokenKind = "word" | "stop" | "soft" | "hard";

/** One token. The tokens of a text cover it without gap or overlap. */
export interface Token {
  lemma: string;
  kind: TokenKind;
  /** Place in the text, in UTF-16 units. */
  start: number;
  end: number;
  /** Place in the text, in code points. */
  charStart: number;
  charEnd: number;
  /** What the token was normalized as (see scripts.ts, languages.ts). */
  script: number;
  language: number;
}

/**
 * How far a word stands from the word before it in the same value: 1, or 8 when a hard separator is between them; 0 for
 * the first word.
 */
export type Gap = 0 | 1 | 8;

/** Receives the words of one value in order; every call moves the position by `gap`. */
export interface WordSink {
  /** A word to index: 1 to 250 bytes, white space trimmed. */
  word(lemma: string, gap: Gap): void;
  /** A stop word or an over-long word: takes a position, is not indexed. */
  skip(gap: Gap): void;
}

/** Longer words take a position but are not indexed. */
export const WORD_BYTES_MAX = 250;
