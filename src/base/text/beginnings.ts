/** With what the lemma of a word may begin: enough to see that a text holds none of some words without cutting it. */
import { CHINESE, JAPANESE, NO_LANGUAGE, PERSIAN, SWEDISH } from "./languages.ts";
import { lossyForm, strictForm } from "./normalizers.ts";
import { ARABIC, CJ, CYRILLIC, GREEK, HEBREW, LATIN, OTHER } from "./scripts.ts";

/** One of each group of scripts, and of languages, whose letters are changed alike. */
const SCRIPTS = [OTHER, LATIN, CYRILLIC, GREEK, ARABIC, HEBREW, CJ];
const LANGUAGES = [NO_LANGUAGE, SWEDISH, CHINESE, JAPANESE, PERSIAN];

/**
 * The code points that the lemma of a word may begin with when its text begins with this one, whatever run it stands in.
 * None for a character that is dropped: the one behind it decides.
 */
export function lemmaBeginnings(codePoint: number): Set<number> {
  const character = String.fromCodePoint(codePoint);
  const beginnings = new Set<number>();
  for (const language of LANGUAGES) {
    const strict = strictForm(character, language);
    for (const script of SCRIPTS) {
      const first = lossyForm(strict, script, language).codePointAt(0);
      if (first !== undefined) beginnings.add(first);
    }
  }
  return beginnings;
}
