// What holds for every text: tokens cover it, and both ways of reading words agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Gap, Locales, Token } from "../../../src/base/text/token.ts";
import { createTokenizer, type Tokenizer } from "../../../src/base/text/tokenizer.ts";
import { locales, texts, tokenizers } from "./arbitrary.ts";

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
