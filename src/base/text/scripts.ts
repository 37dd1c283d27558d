/**
 * Which writing system a character belongs to, and where a text changes from one to another. Blocks of code points, not
 * the Unicode script property: digits, ASCII punctuation and symbols have no script (OTHER) and join their neighbours.
 */
import { parseRanges } from "./ranges.ts";

export const OTHER = 0;
export const LATIN = 1;
export const CYRILLIC = 2;
export const ARABIC = 3;
export const HEBREW = 4;
export const GEORGIAN = 5;
export const HANGUL = 6;
/** Han, Hiragana and Katakana together. */
export const CJ = 7;
export const GREEK = 8;
export const THAI = 9;
export const KHMER = 10;
/** Opens no run of its own, but a run made mostly of it is Armenian. */
export const ARMENIAN = 11;
/** First of the scripts that only need to be told apart. */
const DEVANAGARI = 12;

/** In order of precedence: the first range that holds a code point decides. */
const BLOCKS: [script: number, ranges: string][] = [
  [LATIN, "61-7a 41-5a 80-2af 1d00-1dbf 1e00-1eff 2100-214f 2c60-2c7f a720-a7ff ab30-ab6f"],
  [CYRILLIC, "400-484 487-52f 2de0-2dff a640-a69d a69f"],
  [ARABIC, "600-6ff 750-7ff 8a0-8ff fb50-fdff fe70-feff"],
  [DEVANAGARI, "900-97f a8e0-a8ff 1cd0-1cff"],
  [HEBREW, "590-5ff"],
  [DEVANAGARI + 1, "1200-139f 2d80-2ddf ab00-ab2f"],
  [GEORGIAN, "10a0-10ff"],
  [DEVANAGARI + 2, "980-9ff"],
  [HANGUL, "ac00-d7af 1100-11ff 3130-318f 3200-32ff a960-a97f d7b0-d7ff ff00-ffef"],
  [CJ, "3040-30ff 2e80-2e99 2e9b-2ef3 2f00-2fd5 3005 3007 3021-3029 3038-303b 3400-4db5 4e00-9fcc f900-fa6d fa70-fad9"],
  [GREEK, "370-3ff"],
  [DEVANAGARI + 3, "c80-cff"],
  [DEVANAGARI + 4, "b80-bff"],
  [THAI, "e00-e7f"],
  [DEVANAGARI + 5, "a80-aff"],
  [DEVANAGARI + 6, "a00-a7f"],
  [DEVANAGARI + 7, "c00-c7f"],
  [DEVANAGARI + 8, "d00-d7f"],
  [DEVANAGARI + 9, "b00-b7f"],
  [DEVANAGARI + 10, "1000-109f"],
  [DEVANAGARI + 11, "d80-dff"],
  [KHMER, "1780-17ff 19e0-19ff"],
];

/** Script of every UTF-16 unit; surrogates are OTHER (see `astralScript`). */
export const SCRIPT_OF_UNIT: Uint8Array = buildScriptTable();

function buildScriptTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [script, ranges] of BLOCKS.toReversed()) {
    for (const [first, last] of parseRanges(ranges)) table.fill(script, first, last + 1);
  }
  return table;
}

/** Script of a code point above U+FFFF: only two Arabic blocks live there. */
function astralScript(codePoint: number): number {
  const arabic = (codePoint >= 0x10e60 && codePoint <= 0x10e7f) || (codePoint >= 0x1ee00 && codePoint <= 0x1eeff);
  return arabic ? ARABIC : OTHER;
}

export function isArmenian(unit: number): boolean {
  return (unit >= 0x530 && unit <= 0x58f) || (unit >= 0xfb13 && unit <= 0xfb17);
}

/** Receives each run of one script: `text.slice(start, end)`. */
type RunVisitor = (start: number, end: number, script: number) => void;

/**
 * Cuts a text in runs of one script. Characters without script join the run before them, those at the beginning the
 * first run; a text with no script at all is one run of OTHER.
 */
export function forEachRun(text: string, visit: RunVisitor): void {
  let script = OTHER;
  let start = 0;
  let armenian = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let own = SCRIPT_OF_UNIT[unit]!;
    if (own === OTHER) {
      if (unit < 0x530) continue;
      if (isArmenian(unit)) armenian = true;
      else if (unit >= 0xd800 && unit <= 0xdbff) own = astralScript(text.codePointAt(at)!);
      if (own === OTHER) continue;
    }
    if (own === script) continue;
    if (script !== OTHER) {
      visit(start, at, armenian ? weighArmenian(text, start, at, script) : script);
      start = at;
      armenian = false;
    }
    script = own;
  }
  if (start < text.length) {
    visit(start, text.length, armenian ? weighArmenian(text, start, text.length, script) : script);
  }
}

/** ARMENIAN when its letters outnumber those of the run's own script. */
function weighArmenian(text: string, start: number, end: number, script: number): number {
  let balance = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (isArmenian(unit)) balance++;
    else if (script !== OTHER && SCRIPT_OF_UNIT[unit] === script) balance--;
  }
  return balance > 0 ? ARMENIAN : script;
}

/** The script most characters of a text belong to; OTHER if none has a script. Han, Hiragana and Katakana compete. */
export function mainScript(text: string): number {
  const counts = new Map<number | string, number>();
  let main = OTHER;
  let most = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const script = codePoint > 0xffff ? astralScript(codePoint) : scriptOfUnit(codePoint);
    if (script === OTHER) continue;
    const rival = script === CJ ? cjRival(codePoint) : script;
    const count = (counts.get(rival) ?? 0) + 1;
    counts.set(rival, count);
    if (count > most) {
      most = count;
      main = script;
    }
  }
  return main;
}

function scriptOfUnit(unit: number): number {
  return isArmenian(unit) ? ARMENIAN : SCRIPT_OF_UNIT[unit]!;
}

/** Tells the three scripts of CJ apart. */
function cjRival(codePoint: number): string {
  if (codePoint < 0x3040 || codePoint > 0x30ff) return "han";
  return codePoint < 0x30a0 ? "hiragana" : "katakana";
}
