// What indexing gets: words with their distances.
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeFacet, normalizeFacetSearch } from "../../../src/base/text/normalize.ts";
import { originalEnd } from "../../../src/base/text/origin.ts";
import type { TokenizerOptions } from "../../../src/base/text/token.ts";
import { createTokenizer } from "../../../src/base/text/tokenizer.ts";

/** Words at their positions; stop words and over-long words leave a hole. */
function positions(text: string, options: TokenizerOptions = {}): string {
  const found: string[] = [];
  let position = 0;
  createTokenizer(options).words(text, null, {
    word: (lemma, gap) => {
      position += gap;
      found.push(`${lemma}@${position}`);
    },
    skip: (gap) => {
      position += gap;
    },
  });
  return found.join(" ");
}

test("the next word is one further, eight after a hard separator", () => {
  assert.equal(positions("the quick. Brown fox"), "the@0 quick@1 brown@9 fox@10");
  assert.equal(positions("a. , b"), "a@0 b@8");
  assert.equal(positions("a ! - b"), "a@0 b@8");
  assert.equal(positions("日本abc"), "日本@0 abc@1");
});

test("separators before the first word do not count", () => {
  assert.equal(positions("... !! hello"), "hello@0");
  assert.equal(positions("\0! hello"), "hello@8");
  assert.equal(positions("  \n "), "");
});

test("stop words and over-long words take a position", () => {
  assert.equal(positions("the quick the fox", { stopWords: ["the"] }), "quick@1 fox@3");
  assert.equal(positions(`a ${"x".repeat(251)} b ${"y".repeat(250)}`), `a@0 b@2 ${"y".repeat(250)}@3`);
  assert.equal(positions(`a ${"é".repeat(250)} ${"ø".repeat(126)} b`), `a@0 ${"e".repeat(250)}@1 b@3`);
});

test("words without letters take none, blanks are trimmed", () => {
  assert.equal(positions("a\0b \x01 c"), "a@0 b@1 c@2");
  assert.equal(positions("a \u00a0b\u00a0 c \v d"), "a@0 b@1 c@2 d@4");
});

test("facet values compare without case and compatibility forms, facet search also without accents", () => {
  assert.equal(normalizeFacet("  École ﬁne  "), "e\u0301cole fine");
  assert.equal(normalizeFacetSearch("École ﬁne"), "ecole fine");
  assert.equal(normalizeFacetSearch("我们"), "我們");
  assert.equal(normalizeFacetSearch("Träd", ["swe"]), "träd");
});

test("the beginning of a lemma maps back to the text", () => {
  const text = "xx Œuvre e\u0301te\u0301";
  const tokens = createTokenizer().tokenize(text);
  const [work, summer] = tokens.filter(({ kind, start }) => kind === "word" && start > 0);
  assert.equal(text.slice(work!.start, originalEnd(text, work!, 1)), "Œ");
  assert.equal(text.slice(work!.start, originalEnd(text, work!, 3)), "Œu");
  assert.equal(text.slice(summer!.start, originalEnd(text, summer!, 1)), "e");
  assert.equal(originalEnd(text, summer!, 99), text.length);
});
