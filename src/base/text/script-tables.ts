/**
 * What compiled code has to know to read texts straight from UTF-8 bytes and give exactly the words that a tokenizer
 * gives: tables of what characters do, and answers where a table does not say it all. Reads no text itself.
 */
import { allowedLanguages, languageOfLatin } from "./detect.ts";
import { GERMAN, NO_LANGUAGE } from "./languages.ts";
import type { Lemma, Lemmas } from "./lemmas.ts";
import { lossyForm, strictForm } from "./normalizers.ts";
import { BEFORE_SPACE_UNIT, COMPLEX_UNIT, HARD_UNIT, type Patterns, SOFT_UNIT, WORD_UNIT } from "./patterns.ts";
import { CYRILLIC, GEORGIAN, GREEK, HEBREW, isArmenian, LATIN, OTHER, SCRIPT_OF_UNIT } from "./scripts.ts";
import type { StopWords } from "./stop-words.ts";
import type { Locales } from "./token.ts";

/** What a byte or a character does. A letter, digit or symbol of a word: */
const WORD = 0;
/** A control character or a blank that separates nothing: part of a word that needs care. */
const ODD = 1;
/** Beginning of a character outside ASCII that belongs to a word. */
const WIDE = 2;
const SOFT = 3;
const HARD = 4;
/** Hard together with a space after it, else soft. */
const BEFORE_SPACE = 5;
/** A token of its own whose kind shows only after normalization: NUL, an ellipsis. */
const SYMBOL = 6;

const SPACE = 0x20;
const DELETE = 0x7f;
const BLANK = /\p{White_Space}/u;

/** What a unit outside ASCII does, by its class in the patterns. */
const CLASS_OF_UNIT: number[] = [];
CLASS_OF_UNIT[WORD_UNIT] = WIDE;
CLASS_OF_UNIT[SOFT_UNIT] = SOFT;
CLASS_OF_UNIT[HARD_UNIT] = HARD;
CLASS_OF_UNIT[BEFORE_SPACE_UNIT] = BEFORE_SPACE;
CLASS_OF_UNIT[COMPLEX_UNIT] = SYMBOL;

/** Scripts whose words are what stands between separators, changed letter by letter. */
export const TABLED_SCRIPTS: readonly number[] = [LATIN, CYRILLIC, GREEK, HEBREW, GEORGIAN];

export class ScriptTables {
  readonly stopWords: StopWords;
  /** Whether characters alone decide: no pattern of several characters (a dictionary word) begins like this. */
  readonly asciiExact: boolean;
  readonly wideExact: boolean;
  readonly #patterns: Patterns;
  readonly #lemmas: Lemmas;

  constructor(patterns: Patterns, lemmas: Lemmas) {
    this.#patterns = patterns;
    this.#lemmas = lemmas;
    this.stopWords = patterns.stopWords;
    this.asciiExact = !patterns.classes.subarray(1, 0x80).includes(COMPLEX_UNIT);
    this.wideExact = !patterns.beginsLonger(isReadableUnit);
  }

  /** Whether the tables say the same. */
  isLike(other: ScriptTables): boolean {
    return this.#patterns === other.#patterns;
  }

  /** What each byte does: ASCII by itself, others begin something wide. */
  byteClasses(): Uint8Array {
    const classes = new Uint8Array(256).fill(WIDE, 128);
    for (let byte = 0; byte < 128; byte++) {
      const unitClass = this.#patterns.classes[byte]!;
      if (unitClass !== WORD_UNIT) classes[byte] = CLASS_OF_UNIT[unitClass]!;
      else classes[byte] = byte <= SPACE || byte === DELETE ? ODD : WORD;
    }
    return classes;
  }

  /** What each UTF-16 unit does. */
  unitClasses(): Uint8Array {
    return this.#patterns.classes.map((unitClass) => CLASS_OF_UNIT[unitClass]!);
  }

  /**
   * What a character outside ASCII becomes inside a word of a script and of no particular language. Null when that cannot
   * be said of the character alone: its parts may separate words or be trimmed.
   */
  characterText(codePoint: number, script: number): string | null {
    const strict = strictForm(String.fromCodePoint(codePoint), NO_LANGUAGE);
    for (let at = 0; at < strict.length; at++) {
      if (this.#patterns.classes[strict.charCodeAt(at)] !== WORD_UNIT) return null;
    }
    const text = lossyForm(strict, script, NO_LANGUAGE);
    return BLANK.test(strict) || BLANK.test(text) ? null : text;
  }

  /** What becomes of a piece of a run. */
  lemma(piece: string, script: number, language: number): Lemma {
    return this.#lemmas.of(piece, script, language);
  }
}

/** The language of all Latin texts of a field, if they can be read by tables: null for German, and where it must be detected. */
export function readableLanguage(locales: Locales): number | null {
  const language = languageOfLatin(allowedLanguages(locales));
  return language === GERMAN ? null : language;
}

/** The script of each UTF-16 unit; `undecided` for letters by which a whole run may be of another script. */
export function unitScripts(undecided: number): Uint8Array {
  return SCRIPT_OF_UNIT.map((script, unit) => (isArmenian(unit) ? undecided : script));
}

/** First units of the characters outside ASCII that may stand in a run that is read by tables; beyond 16 bits emoji alone. */
function isReadableUnit(unit: number): boolean {
  if (unit < 0x80) return false;
  if (unit >= 0xd800 && unit <= 0xdfff) return unit >= 0xd83c && unit <= 0xd83f;
  const script = SCRIPT_OF_UNIT[unit]!;
  return script === OTHER || TABLED_SCRIPTS.includes(script);
}
