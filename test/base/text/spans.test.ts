/** Tokens as numbers are the tokens themselves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TokenSpans } from "../../../src/base/text/spans.ts";
import { createTokenizer } from "../../../src/base/text/tokenizer.ts";

const tokenizers = [
  createTokenizer(),
  createTokenizer({
    stopWords: ["the", "é"],
    dictionary: ["a.b", "c++"],
    separators: ["&&", "x"],
    nonSeparators: [".", " "],
  }),
];
const spans = new TokenSpans();
const KINDS = ["word", "soft", "hard"];

const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom(
    "The",
    "the",
    "Don’t",
    "L'été",
    ". ",
    ", ",
    "...",
    "…",
    "\u0000",
    "\u007f",
    "C++",
    "a.b",
    "&&",
    "日本",
    "สวัสดี",
  ),
  fc.constantFrom("Donaudampfschiff", "Привет", "2,5", "x".repeat(260), "\n", " ", "ﬁn", "e\u0301"),
);

test("spans are the tokens", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom(...tokenizers),
      fc.constantFrom(null, ["deu"], ["fra", "deu"], ["jpn"]),
      (pieces, tokenizer, locales) => {
        const text = pieces.join("");
        const tokens = tokenizer.tokenize(text, locales);
        const isAscii = Buffer.byteLength(text) === text.length;
        tokenizer.spans(text, locales, spans, isAscii);
        assert.equal(spans.count, tokens.length);
        tokens.forEach(({ kind, lemma, start, end, script, language }, at) => {
          assert.deepEqual([spans.starts[at], spans.ends[at]], [start, end]);
          assert.equal(KINDS[spans.kinds[at]!], kind === "stop" ? "word" : kind);
          if (kind === "soft" || kind === "hard") return;
          assert.equal(spans.lemma(at), lemma);
          assert.deepEqual(spans.firstUnit(at), lemma.charCodeAt(0));
          if (spans.isPlain(at)) assert.equal(lemma, text.slice(start, end).toLowerCase());
          else if (!isAscii) assert.deepEqual(spans.origin(at), { start, end, script, language });
        });
      },
    ),
    { numRuns: 1000 },
  );
});
