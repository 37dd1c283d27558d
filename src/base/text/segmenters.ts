/** Chooses how the words of a run are told apart where separators do not do it. */
import { segmentArabic } from "./arabic.ts";
import { segmentChinese } from "./chinese.ts";
import { segmentGerman, segmentKhmer, segmentThai } from "./greedy.ts";
import { ARABIC_LANGUAGE, CHINESE, GERMAN, JAPANESE, PERSIAN } from "./languages.ts";
import { segmentJapanese, segmentKorean } from "./morphemes.ts";
import { ARABIC, CJ, HANGUL, KHMER, LATIN, THAI } from "./scripts.ts";
import type { Segmenter } from "./segmenter.ts";

/** Null = what stands between separators is one word. A script with one segmenter uses it whatever the language. */
export function segmenterFor(script: number, language: number): Segmenter | null {
  switch (script) {
    case LATIN:
      return language === GERMAN ? segmentGerman : null;
    case CJ:
      if (language === CHINESE) return segmentChinese;
      return language === JAPANESE ? segmentJapanese : null;
    case ARABIC:
      return language === ARABIC_LANGUAGE || language === PERSIAN ? segmentArabic : null;
    case HANGUL:
      return segmentKorean;
    case THAI:
      return segmentThai;
    case KHMER:
      return segmentKhmer;
    default:
      return null;
  }
}

const NUMBER = /^[\p{N}!-/:-@[-`{-~]*$/u;

/** Pieces of digits and ASCII punctuation alone are never segmented. */
export function isMaybeNumber(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) return NUMBER.test(text.slice(start, end));
    const letter = unit | 0x20;
    if (unit <= 0x20 || unit === 0x7f || (letter >= 0x61 && letter <= 0x7a)) return false;
  }
  return true;
}
