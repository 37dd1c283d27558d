// What holds for every text: tokens cover it, and the three ways of reading words agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Gap, Locales, Token, TokenizerOptions } from "../../src/text/token.ts";
import { createTokenizer, type Tokenizer } from "../../src/text/tokenizer.ts";

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
const texts = fc.oneof(
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
const tokenizers = fc.oneof(
  fc.constant<TokenizerOptions>({}),
  fc.record({ stopWords: someOf("the", "a", "x1", "42", "é") }),
  settings,
);
const locales = fc.constantFrom(null, ["swe"], ["deu"], ["de", "en"], ["eng"], ["cmn"], ["ara", "pes"], []);

type Read = [word: string | null, gap: Gap];

test("tokens cover the text in order, without gap or overlap", () => {
  fc.assert(
    fc.property(texts, tokenizers, locales, (text, options, allowed) => {
      const tokens = createTokenizer(options).tokenize(text, allowed);
      let end = 0;
      let charEnd = 0;
      for (const token of tokens) {
        assert.equal(token.start, end);
        assert.equal(token.charStart, charEnd);
        assert.ok(token.end > token.start);
        end = token.end;
        charEnd = token.charEnd;
      }
      assert.equal(end, text.length);
      assert.equal(charEnd, [...text].length);
    }),
    { numRuns: 300 },
  );
});

test("words are the tokens that indexing keeps, at the distances their separators give", () => {
  fc.assert(
    fc.property(texts, tokenizers, locales, (text, options, allowed) => {
      const tokenizer = createTokenizer(options);
      assert.deepEqual(readWords(tokenizer, text, allowed), expectedWords(tokenizer.tokenize(text, allowed)));
    }),
    { numRuns: 600 },
  );
});

test("words from bytes are the same words, whenever the bytes are taken", () => {
  let taken = 0;
  fc.assert(
    fc.property(texts, tokenizers, locales, fc.nat(3), (written, options, allowed, before) => {
      const text = written.toWellFormed();
      const tokenizer = createTokenizer(options);
      const fromBytes = readBytes(tokenizer, text, allowed, before);
      if (fromBytes === null) return;
      taken++;
      assert.deepEqual(fromBytes, readWords(tokenizer, text, allowed));
    }),
    { numRuns: 600 },
  );
  assert.ok(taken > 100, `only ${taken} texts were read from bytes`);
});

test("a tokenizer gives the same answer the second time, and after a million other words", () => {
  const tokenizer = createTokenizer();
  const text = "Le café… naïve ÉCOLE and the rest";
  const first = readWords(tokenizer, text, null);
  assert.deepEqual(readWords(tokenizer, text, null), first);
  for (let n = 0; n < 120_000; n++) tokenizer.tokenize(`é${n}`);
  assert.deepEqual(readWords(tokenizer, text, null), first);
});

function readWords(tokenizer: Tokenizer, text: string, allowed: Locales): Read[] {
  const read: Read[] = [];
  tokenizer.words(text, allowed, {
    word: (lemma, gap) => read.push([lemma, gap]),
    skip: (gap) => read.push([null, gap]),
  });
  return read;
}

function readBytes(tokenizer: Tokenizer, text: string, allowed: Locales, before: number): Read[] | null {
  const read: Read[] = [];
  const bytes = Buffer.from(`${"x".repeat(before)}${text}yy`);
  const done = tokenizer.asciiWords(
    bytes,
    before,
    bytes.length - 2,
    {
      word: (word, from, to, gap) => read.push([Buffer.from(word.subarray(from, to)).toString(), gap]),
      skip: (gap) => read.push([null, gap]),
    },
    allowed,
  );
  if (!done) assert.deepEqual(read, []);
  return done ? read : null;
}

/** The rules of positions, spelled out over tokens. */
function expectedWords(tokens: Token[]): Read[] {
  const first = tokens.findIndex(({ kind }) => kind === "word" || kind === "stop");
  const read: Read[] = [];
  let before: "nothing" | "word" | "soft" | "hard" = "nothing";
  for (const { kind, lemma } of first < 0 ? [] : tokens.slice(first)) {
    if (kind === "hard") before = "hard";
    else if (kind === "soft") before = before === "hard" ? "hard" : "soft";
    else if (lemma !== "") {
      const gap = before === "nothing" ? 0 : before === "hard" ? 8 : 1;
      const word = lemma.replace(/^\p{White_Space}+/u, "").replace(/\p{White_Space}+$/u, "");
      const indexed = kind === "word" && word !== "" && Buffer.byteLength(word) <= 250;
      read.push([indexed ? word : null, gap]);
      before = "word";
    }
  }
  return read;
}
