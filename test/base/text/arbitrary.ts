/** Texts, settings of tokenizers and locales of every kind, for property tests. */
import fc from "fast-check";
import type { TokenizerOptions } from "../../../src/base/text/token.ts";

const fragments = fc.constantFrom(
  ...["the", "The", "quick", "BROWN", "fox", "A", "a", "x1", "42", "3.5", "it's", "C++", "C#", "abc", "<br/>", "J. R."],
  ...[" ", "  ", ".", ". ", ",", ", ", "!", "?", ";", "-", "_", "\n", "\t", "'", '"', "|", "$", "&"],
  ...["\0", "\x01", "\x0b", "\x0c", "\x7f", "\x1f", "\u0085", "\u00a0", "\u2028", "\ufeff"],
  ...["é", "e\u0301", "Łódź", "ÆŒ", "ß", "İ", "ı", "’", "“", "…", "‼", "—", "€", "™", "Ⅳ", "½", "°", "ǅ", "ệ"],
  ...[
    "Київ",
    "ΣΊΣ",
    "Հայ",
    "שָלוֹם",
    "ქართ",
    "हिन्दी",
    "中文",
    "我们",
    "ภาษาไทย",
    "ភាសាខ្មែរ",
    "الكتاب",
    "۱۲",
    "，",
    "。",
    "😀",
    "𐄀",
  ],
  "a".repeat(250),
  "b".repeat(251),
  "é".repeat(125),
  "é".repeat(300),
);
export const texts = fc.oneof(
  fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const someOf = (...words: string[]) => fc.subarray(words);
const settings: fc.Arbitrary<TokenizerOptions> = fc.record({
  stopWords: someOf("the", "a", "é", ",", "", "x1", "…", "42"),
  separators: someOf("|", "<br/>", "ck", "", "€", "é"),
  nonSeparators: someOf("#", "+", "-", ". ", " ", "\0", "—"),
  dictionary: someOf("J. R.", "C#", "#", "fox", "Ł", "—", ""),
});
/** Most indexes leave tokenization alone: give that case its share. */
export const tokenizers: fc.Arbitrary<TokenizerOptions> = fc.oneof(
  fc.constant<TokenizerOptions>({}),
  fc.record({ stopWords: someOf("the", "a", "x1", "42", "é") }),
  settings,
);
export const locales = fc.constantFrom(null, ["swe"], ["deu"], ["de", "en"], ["eng"], ["cmn"], ["ara", "pes"], []);
