/**
 * How the texts of an index are cut into words to be marked: as its settings say, except that stop words are words like
 * all others. Kept as long as the settings are in use.
 */

import { createTokenizer, type Tokenizer } from "../../../base/text/tokenizer.ts";
import type { Settings } from "../../../storage/settings/settings.ts";

export interface FormatTokenizer {
  tokenizer: Tokenizer;
  /** Whether a word of a text, in any letter case, is a stop word of the index. */
  isStopWord(lemma: string): boolean;
}

const kept = new WeakMap<Settings, FormatTokenizer>();

export function formatTokenizer(settings: Settings): FormatTokenizer {
  const known = kept.get(settings);
  if (known !== undefined) return known;
  const tokenizer = createTokenizer({
    separators: settings.separatorTokens,
    nonSeparators: settings.nonSeparatorTokens,
    dictionary: settings.dictionary,
  });
  const stopWords = new Set(settings.stopWords.flatMap((word) => tokenizer.tokenize(word).map((token) => token.lemma)));
  const made = { tokenizer, isStopWord: (lemma: string) => stopWords.has(lemma) };
  kept.set(settings, made);
  return made;
}
