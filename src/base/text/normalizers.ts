/**
 * Turns a piece of text into the lemma that is indexed and searched. Two halves, because a token is classified between
 * them: `strictForm` keeps case and accents, `lossyForm` drops them. Which rules run depends on the script of the run
 * the piece stands in and on its language. Works code point by code point, so a prefix maps back to the original text.
 */
import { chineseVariant } from "./chinese-variants.ts";
import { toHiragana } from "./kana.ts";
import { CHINESE, JAPANESE, NO_LANGUAGE, PERSIAN, SWEDISH } from "./languages.ts";
import { isNonspacingMark } from "./marks.ts";
import { ARABIC, ARMENIAN, CJ, CYRILLIC, GEORGIAN, GREEK, HEBREW, LATIN, THAI } from "./scripts.ts";

const ARABIC_LETTERS = new Map([
  ["ـ", ""],
  ["أ", "ا"],
  ["إ", "ا"],
  ["آ", "ا"],
  ["ٱ", "ا"],
  ["ى", "ي"],
  ["ة", "ه"],
]);

const PERSIAN_LETTERS = new Map([
  ["ي", "ی"],
  ["ى", "ی"],
  ["ۀ", "ی"],
  ["ك", "ک"],
  ["،", ","],
  ["؟", "?"],
  ["\ufdfc", "RIAL"],
  ["\u200c", ""],
  ...[..."۰۱۲۳۴۵۶۷۸۹"].map((digit, value): [string, string] => [digit, String(value)]),
]);

const LATIN_LETTERS = new Map([
  ["’", "'"],
  ["‘", "'"],
  ["‛", "'"],
  ["œ", "oe"],
  ["Œ", "oe"],
  ["æ", "ae"],
  ["Æ", "ae"],
  ["đ", "d"],
  ["Đ", "d"],
  ["ð", "d"],
  ["Ð", "d"],
  ["ı", "i"],
]);

/** Compatibility decomposition, control characters dropped. Case and accents stay: this form is classified. */
export function strictForm(piece: string, language: number): string {
  const decomposed = isPlainAscii(piece) ? piece : decompose(piece);
  return language === SWEDISH ? recomposeSwedish(decomposed) : decomposed;
}

/** The lemma of a strict form. */
export function lossyForm(strict: string, script: number, language: number): string {
  switch (script) {
    case LATIN:
      return isPlainAscii(strict) ? strict.toLowerCase() : latinForm(strict);
    case CYRILLIC:
    case GEORGIAN:
    case ARMENIAN:
      return lowerCase(strict);
    case GREEK:
      return dropMarks(lowerCase(strict).replaceAll("ς", "σ"));
    case ARABIC: {
      const persian = language === PERSIAN ? mapCharacters(strict, PERSIAN_LETTERS) : strict;
      return dropMarks(mapCharacters(persian, ARABIC_LETTERS));
    }
    case HEBREW:
    case THAI:
      return dropMarks(strict);
    case CJ:
      return cjForm(strict, language);
    default:
      return strict;
  }
}

function latinForm(strict: string): string {
  let lemma = "";
  for (const character of strict) {
    const codePoint = character.codePointAt(0)!;
    if (codePoint < 0x80) lemma += character.toLowerCase();
    else if (!isNonspacingMark(codePoint)) lemma += LATIN_LETTERS.get(character) ?? lowerLatin(character);
  }
  return lemma;
}

/** Lower-casing may yield a mark of its own or a letter that has a rule. */
function lowerLatin(character: string): string {
  const lower = character.toLowerCase();
  return lower === character ? lower : dropMarks(mapCharacters(lower, LATIN_LETTERS));
}

function cjForm(strict: string, language: number): string {
  let lemma = strict;
  if (language === CHINESE || language === NO_LANGUAGE) lemma = mapEach(lemma, chineseVariant);
  if (language === JAPANESE || language === NO_LANGUAGE) lemma = toHiragana(lemma);
  return lemma;
}

/** One code point at a time: no context such as final sigma. */
function lowerCase(text: string): string {
  return mapEach(text, (character) => character.toLowerCase());
}

function dropMarks(text: string): string {
  return mapEach(text, (character) => (isNonspacingMark(character.codePointAt(0)!) ? "" : character));
}

function mapCharacters(text: string, replacements: ReadonlyMap<string, string>): string {
  return mapEach(text, (character) => replacements.get(character) ?? character);
}

function mapEach(text: string, change: (character: string) => string): string {
  let result = "";
  for (const character of text) result += change(character);
  return result;
}

/** Every code point on its own: marks are not reordered across the characters of the text. */
function decompose(piece: string): string {
  let result = "";
  for (const character of piece) {
    const codePoint = character.codePointAt(0)!;
    if (codePoint < 0x80) {
      if (!isDroppedControl(codePoint)) result += character;
    } else if (!isDroppedControl(codePoint)) {
      result += character.normalize("NFKD");
    }
  }
  return result;
}

/** Control characters that are not white space. */
function isDroppedControl(codePoint: number): boolean {
  if (codePoint < 0x20) return codePoint < 0x09 || codePoint > 0x0d;
  return codePoint >= 0x7f && codePoint <= 0x9f && codePoint !== 0x85;
}

function recomposeSwedish(text: string): string {
  return text.replaceAll(/[Aa]\u030a|[AaOo]\u0308/g, (pair) => pair.normalize("NFC"));
}

function isPlainAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit >= 0x7f) return false;
  }
  return true;
}
