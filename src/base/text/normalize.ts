/** Normal forms of whole values, outside tokenization: nothing is split. */
import { allowedLanguages, languageOfRun } from "./detect.ts";
import { NO_LANGUAGE } from "./languages.ts";
import { trimBlanks } from "./lemmas.ts";
import { lossyForm, strictForm } from "./normalizers.ts";
import { mainScript } from "./scripts.ts";
import type { Locales } from "./token.ts";

/** The form under which facet values and filter strings are compared: trimmed, decomposed, lower case. */
export function normalizeFacet(text: string): string {
  return trimBlanks(text).normalize("NFKD").toLowerCase();
}

/** The form under which facet search compares its query with the values of a facet: as a single word would be indexed. */
export function normalizeFacetSearch(text: string, locales?: Locales): string {
  const script = mainScript(text);
  const allowed = allowedLanguages(locales);
  const language = allowed === null ? NO_LANGUAGE : languageOfRun(text, 0, text.length, script, allowed);
  return lossyForm(strictForm(text, language), script, language);
}
