// The fast lane of indexing: words straight from UTF-8 bytes. ASCII words never become strings; accented Latin words,
// typographic marks and emoji go through the table of known lemmas. It must give exactly the words the general path
// gives, and declines (returns false) whatever it cannot do exactly.
import { Distance } from "./distance.ts";
import type { Lemmas } from "./lemmas.ts";
import { BEFORE_SPACE_UNIT, COMPLEX_UNIT, HARD_UNIT, type Patterns, SOFT_UNIT, WORD_UNIT } from "./patterns.ts";
import { LATIN, OTHER, SCRIPT_OF_UNIT } from "./scripts.ts";
import type { StopWords } from "./stop-words.ts";
import { type AsciiWordSink, WORD_BYTES_MAX } from "./token.ts";
import { characterBytes, codePointAt, decodeWord } from "./utf8.ts";

/** What a byte does. A letter, digit or symbol of a word: */
const WORD = 0;
/** A control character or a blank that separates nothing: part of a word that needs care. */
const ODD = 1;
/** Beginning of a character outside ASCII. */
const WIDE = 2;
const SOFT = 3;
const HARD = 4;
/** Hard together with a space after it, else soft. */
const BEFORE_SPACE = 5;
/** A token of its own whose kind shows only after normalization: NUL, an ellipsis. */
const SYMBOL = 6;

const SPACE = 0x20;
const SCRATCH_BYTES = 256;

/** Lower case of every ASCII character. */
export const LOWER: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit,
);

export class AsciiWords {
  private readonly lemmas: Lemmas;
  private readonly stopWords: StopWords;
  private readonly byteClasses: Uint8Array;
  private readonly unitClasses: Uint8Array;
  /** Whether characters alone decide: no pattern of several characters (a dictionary word) begins like this. */
  private readonly asciiExact: boolean;
  private readonly wideExact: boolean;
  private readonly scratch = new Uint8Array(SCRATCH_BYTES);
  private readonly distance = new Distance();

  constructor(patterns: Patterns, lemmas: Lemmas) {
    this.lemmas = lemmas;
    this.stopWords = patterns.stopWords;
    this.unitClasses = patterns.classes;
    this.byteClasses = byteClasses(patterns.classes);
    this.asciiExact = !patterns.classes.subarray(1, 0x80).includes(COMPLEX_UNIT);
    this.wideExact = !patterns.beginsLonger(isWideUnit);
  }

  /** Sends the words of `bytes[start..end)` to the sink; false, with nothing sent, if it cannot do so exactly. */
  read(bytes: Uint8Array, start: number, end: number, language: number, sink: AsciiWordSink): boolean {
    if (!this.asciiExact || !this.canRead(bytes, start, end)) return false;
    const { byteClasses, scratch, stopWords, distance } = this;
    const lower = LOWER;
    let script = -1;
    distance.reset();
    let at = start;
    while (at < end) {
      let kind = byteClasses[bytes[at]!]!;
      if (kind === WIDE) kind = this.classAt(bytes, at);
      const from = at;
      if (kind > WIDE) {
        at += characterBytes(bytes[at]!);
        if (kind !== SYMBOL) {
          const takesSpace = kind === BEFORE_SPACE && at < end && bytes[at] === SPACE;
          if (takesSpace) at++;
          distance.separator(kind === HARD || takesSpace);
          continue;
        }
      } else {
        let length = 0;
        while (at < end) {
          const byte = bytes[at]!;
          if (byteClasses[byte] !== WORD) break;
          if (length < SCRATCH_BYTES) scratch[length] = lower[byte]!;
          length++;
          at++;
        }
        const asciiEnd = at;
        if (at < end && byteClasses[bytes[at]!]! <= WIDE) at = this.wordEnd(bytes, at, end);
        if (at === asciiEnd) {
          const stop = stopWords.mayHave(bytes[from]!, length) && stopWords.hasBytes(bytes, from, at);
          if (stop || length > WORD_BYTES_MAX) sink.skip(distance.gap);
          else sink.word(scratch, 0, length, distance.gap);
          distance.word();
          continue;
        }
      }
      if (script < 0) script = scriptOf(bytes, start, end);
      this.readPiece(decodeWord(bytes, from, at), script, language, sink);
    }
    return true;
  }

  private readPiece(piece: string, script: number, language: number, sink: AsciiWordSink): void {
    const lemma = this.lemmas.of(piece, script, language);
    const { distance } = this;
    if (lemma.kind === "soft" || lemma.kind === "hard") distance.separator(lemma.kind === "hard");
    else if (lemma.lemma.length === 0) distance.emptyWord();
    else {
      if (lemma.indexed === null) sink.skip(distance.gap);
      else {
        lemma.utf8 ??= Buffer.from(lemma.indexed);
        sink.word(lemma.utf8, 0, lemma.utf8.length, distance.gap);
      }
      distance.word();
    }
  }

  /** Whether every character is ASCII, or one of those that `isReadableWide` knows and the settings leave alone. */
  private canRead(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte < 0x80) at++;
      else if (!this.wideExact || !isReadableWide(byte, bytes[at + 1]!)) return false;
      else at += characterBytes(byte);
    }
    return true;
  }

  /** The class of the character at `at`; WIDE only if it belongs to a word. */
  private classAt(bytes: Uint8Array, at: number): number {
    const kind = this.byteClasses[bytes[at]!]!;
    if (kind !== WIDE) return kind;
    const codePoint = codePointAt(bytes, at);
    return codePoint > 0xffff ? WIDE : CLASS_OF_UNIT[this.unitClasses[codePoint]!]!;
  }

  /** End of the word that `at` stands in. */
  private wordEnd(bytes: Uint8Array, at: number, end: number): number {
    let to = at;
    while (to < end && this.classAt(bytes, to) <= WIDE) to += characterBytes(bytes[to]!);
    return to;
  }
}

/** What a unit outside ASCII does, by its class in the patterns. */
const CLASS_OF_UNIT: number[] = [];
CLASS_OF_UNIT[WORD_UNIT] = WIDE;
CLASS_OF_UNIT[SOFT_UNIT] = SOFT;
CLASS_OF_UNIT[HARD_UNIT] = HARD;
CLASS_OF_UNIT[BEFORE_SPACE_UNIT] = BEFORE_SPACE;
CLASS_OF_UNIT[COMPLEX_UNIT] = SYMBOL;

function byteClasses(unitClasses: Uint8Array): Uint8Array {
  const classes = new Uint8Array(256).fill(WIDE, 128);
  for (let byte = 0; byte < 128; byte++) {
    const unitClass = unitClasses[byte]!;
    if (unitClass !== WORD_UNIT) classes[byte] = CLASS_OF_UNIT[unitClass]!;
    else if (byte <= SPACE || byte === 0x7f) classes[byte] = ODD;
  }
  return classes;
}

/**
 * Characters that leave a text one run of Latin script: Latin letters, combining marks, general punctuation, symbols
 * (U+0080-036F, U+1E00-1EFF, U+2000-2BFF) and emoji (U+1F000-1FFFF).
 */
function isReadableWide(lead: number, second: number): boolean {
  if (lead < 0xcd) return true;
  if (lead === 0xcd) return second < 0xb0;
  if (lead === 0xe1) return second >= 0xb8 && second <= 0xbb;
  if (lead === 0xe2) return second < 0xb0;
  return lead === 0xf0 && second === 0x9f;
}

/** The first units of the characters above. */
function isWideUnit(unit: number): boolean {
  return (unit >= 0x80 && unit <= 0x36f) || (unit >= 0x1e00 && unit <= 0x2bff) || (unit >= 0xd83c && unit <= 0xd83f);
}

/** OTHER if no character has a script, else LATIN: there is no third among the readable ones. */
function scriptOf(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at += characterBytes(bytes[at]!)) {
    const codePoint = codePointAt(bytes, at);
    if (codePoint <= 0xffff && SCRIPT_OF_UNIT[codePoint] === LATIN) return LATIN;
  }
  return OTHER;
}
