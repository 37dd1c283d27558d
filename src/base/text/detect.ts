/**
 * Which language is a run written in? Only asked where the answer changes something: Latin runs when several locales are
 * allowed, Han and kana, and Arabic script. Compares alphabets and the frequency order of three-letter sequences.
 */
import { LATIN_ALPHABETS } from "./alphabets.ts";
import { lazily, readLines } from "./data-files.ts";
import { CHINESE, JAPANESE, languageOf, longCode, NO_LANGUAGE } from "./languages.ts";
import { ARABIC, CJ, LATIN, SCRIPT_OF_UNIT } from "./scripts.ts";
import type { Locales } from "./token.ts";
import { isStopCharacter, type Profile, readProfile, scoreTrigrams, trigramsByFrequency } from "./trigrams.ts";

/** Three-letter codes of the allowed languages; null = all. */
export type Allowed = readonly string[] | null;

/** Texts with a larger share of kana are Japanese. */
const KANA_SHARE = 0.05;

const profiles = lazily(() => {
  const lines = readLines("trigrams");
  const arabicFrom = lines.indexOf("#arabic");
  return { latin: lines.slice(1, arabicFrom).map(readProfile), arabic: lines.slice(arabicFrom + 1).map(readProfile) };
});

export function allowedLanguages(locales: Locales): Allowed {
  return locales == null ? null : locales.map(longCode);
}

/** The language of every Latin run, if that can be told without reading it; else null. */
export function languageOfLatin(allowed: Allowed): number | null {
  if (allowed === null) return NO_LANGUAGE;
  if (allowed.length === 1) return languageOf(allowed[0]!);
  return allowed.some(isLatinWithRules) ? null : NO_LANGUAGE;
}

/** The language of `text.slice(start, end)`, a run of one script. */
export function languageOfRun(text: string, start: number, end: number, script: number, allowed: Allowed): number {
  if (script !== LATIN && script !== CJ && script !== ARABIC) return NO_LANGUAGE;
  if (script === LATIN) return languageOfLatin(allowed) ?? detectLatin(text.slice(start, end), allowed!);
  if (allowed?.length === 1) return languageOf(allowed[0]!);
  if (script === CJ) return detectCj(text, start, end, allowed);
  return detectArabic(text.slice(start, end), allowed);
}

function detectCj(text: string, start: number, end: number, allowed: Allowed): number {
  if (allowed !== null && !allowed.includes("cmn") && !allowed.includes("zho")) return JAPANESE;
  let kana = 0;
  let han = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x3040 && unit <= 0x30ff) kana++;
    else if (isHan(unit)) han++;
  }
  return kana / (kana + han) > KANA_SHARE ? JAPANESE : CHINESE;
}

function isHan(unit: number): boolean {
  return unit >= 0x2e80 && SCRIPT_OF_UNIT[unit] === CJ;
}

function detectArabic(run: string, allowed: Allowed): number {
  const { arabic } = profiles();
  const candidates = allowed === null ? arabic : arabic.filter(({ code }) => allowed.includes(code));
  return best(candidates, run.toLowerCase(), null);
}

/** German and Swedish are the only ones. */
function isLatinWithRules(code: string): boolean {
  return code === "deu" || code === "swe";
}

function detectLatin(run: string, allowed: readonly string[]): number {
  const candidates = profiles().latin.filter(({ code }) => allowed.includes(code));
  return best(candidates, run.toLowerCase(), LATIN_ALPHABETS);
}

function best(candidates: Profile[], text: string, alphabets: Record<string, string> | null): number {
  if (candidates.length < 2) return candidates.length === 0 ? NO_LANGUAGE : languageOf(candidates[0]!.code);
  const letters = alphabets === null ? [] : Array.from(text).filter(isLetter);
  const trigrams = trigramsByFrequency(text);
  // The shorter the text, the more its letters say compared to their sequences.
  const weighed = alphabets === null ? 1 : letters.length;
  const alphabetWeight = Math.min(2 / 3, Math.max(1 / 3, 2 / 3 - weighed / 300));
  let found = NO_LANGUAGE;
  let highest = -1;
  for (const profile of candidates) {
    const alphabetScore = alphabets === null ? 1 : scoreAlphabet(letters, alphabets[profile.code]!);
    const score = alphabetScore * alphabetWeight + scoreTrigrams(trigrams, profile) * (1 - alphabetWeight);
    if (score > highest) {
      highest = score;
      found = languageOf(profile.code);
    }
  }
  return found;
}

function isLetter(character: string): boolean {
  return !isStopCharacter(character.codePointAt(0)!);
}

/** 1 when all letters belong to the alphabet, 0 when half of them or fewer do. */
function scoreAlphabet(letters: string[], alphabet: string): number {
  const known = letters.filter((letter) => alphabet.includes(letter)).length;
  return Math.max(0, 2 * known - letters.length) / letters.length;
}
