// The rules of tokenization one by one, on texts of our own. Notation: words as they are, stop words in [], soft
// separators in (), hard ones in {}.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Locales, TokenizerOptions } from "../../../src/base/text/token.ts";
import { createTokenizer } from "../../../src/base/text/tokenizer.ts";

const BRACKETS = { word: ["", ""], stop: ["[", "]"], soft: ["(", ")"], hard: ["{", "}"] };

function show(text: string, options: TokenizerOptions = {}, locales: Locales = null): string {
  const tokens = createTokenizer(options).tokenize(text, locales);
  return tokens.map(({ lemma, kind }) => `${BRACKETS[kind][0]}${lemma}${BRACKETS[kind][1]}`).join(" ");
}

function checkAll(rows: [text: string, expected: string][]): void {
  for (const [text, expected] of rows) assert.equal(show(text), expected, JSON.stringify(text));
}

suite("separators", () => {
  test("are soft, but hard where a sentence ends", () => {
    checkAll([
      ["one two", "one ( ) two"],
      ["one, two", "one {, } two"],
      ["one,two", "one (,) two"],
      ["end. Next", "end {. } next"],
      ["v1.2", "v1 (.) 2"],
      ["stop.", "stop (.)"],
      ["hey!you?yes;", "hey {!} you {?} yes {;}"],
      ["a:b/c_d-e", "a (:) b (/) c (_) d (-) e"],
      ["¿qué?", "{¿} que {?}"],
      ["中文。", "中文 {。}"],
    ]);
  });

  test("are only what the list names", () => {
    checkAll([
      ["$5", "$5"],
      ["a=b<c>d^e|f~g", "a=b<c>d^e|f~g"],
      ["a\u00a0b", "a b"],
      ["a\tb\nc", "a (\t) b (\n) c"],
      ["a\u200bb", "a\u200bb"],
      ["camelCase iPhone15", "camelcase ( ) iphone15"],
    ]);
  });

  test("are recognised after decomposition", () => {
    checkAll([
      ["wait…what", "wait ... what"],
      ["a‼b", "a !! b"],
      ["a？b", "a {?} b"],
      ["a，b", "a (,) b"],
      ["a\u3000b", "a ( ) b"],
    ]);
  });

  test("may be added and taken away", () => {
    assert.equal(show("a|b", { separators: ["|"] }), "a (|) b");
    assert.equal(show("a<br/>b", { separators: ["<br/>"] }), "a (<br/>) b");
    assert.equal(show("AT&T", { nonSeparators: ["&"] }), "at&t");
    assert.equal(show("a. b", { nonSeparators: ["."] }), "a {. } b");
    assert.equal(show("a|b", { separators: ["|"], nonSeparators: ["|"] }), "a|b");
    assert.equal(show("a b", { separators: [""], dictionary: [""] }), "a ( ) b");
  });
});

suite("control characters", () => {
  test("vanish, and NUL cuts", () => {
    const tokens = createTokenizer().tokenize("a\x00b\x07c");
    assert.deepEqual(
      tokens.map(({ lemma, kind }) => [lemma, kind]),
      [
        ["a", "word"],
        ["", "word"],
        ["bc", "word"],
      ],
    );
  });
});

suite("dictionary", () => {
  test("words win over the separators inside them, by case and length", () => {
    const dictionary = ["J. R. R.", "J. R.", "C#"];
    assert.equal(show("J. R. R. Tolkien", { dictionary }), "j. r. r. ( ) tolkien");
    assert.equal(show("j. r. r. tolkien", { dictionary }), "j {. } r {. } r {. } tolkien");
    assert.equal(show("C#", { dictionary }), "c#");
    assert.equal(show("c#", { dictionary }), "c (#)");
  });

  test("a separator stays one although the dictionary names it", () => {
    assert.equal(show("a#b", { dictionary: ["#"] }), "a (#) b");
    assert.equal(show("a#b", { dictionary: ["#"], nonSeparators: ["#"] }), "a # b");
  });
});

suite("stop words", () => {
  test("are compared before lower-casing and accents", () => {
    assert.equal(show("the The THE", { stopWords: ["the"] }), "[the] ( ) the ( ) the");
    assert.equal(show("été ete", { stopWords: ["ete"] }), "ete ( ) [ete]");
    assert.equal(show("été ete", { stopWords: ["été"] }), "[ete] ( ) ete");
  });
});

suite("normalization", () => {
  test("of Latin drops case, accents, ligatures and curly quotes", () => {
    checkAll([
      ["Crème BRÛLÉE", "creme ( ) brulee"],
      ["Łódź Øre straße ẞ", "łodz ( ) øre ( ) straße ( ) ß"],
      ["Œuvre Æsir", "oeuvre ( ) aesir"],
      ["İstanbul ışık", "istanbul ( ) isik"],
      ["Đại ðing", "dai ( ) ding"],
      ["l’été", "l (') ete"],
      ["ﬁn ½ m²", "fin ( ) 1⁄2 ( ) m2"],
    ]);
  });

  test("of other scripts keeps what Latin loses", () => {
    checkAll([
      ["Ёлка", "е\u0308лка"],
      ["ΣΊΣΥΦΟΣ", "σισυφοσ"],
      ["שָׁלוֹם", "שלום"],
      ["น้ำ", "นา"],
      ["ՀայասՏան", "հայաստան"],
      ["Ⅳ", "IV"],
      ["हिन्दी", "हिन्दी"],
    ]);
  });

  test("belongs to the script of the run, not of the word", () => {
    checkAll([
      ["XIV Ⅳ", "xiv ( ) iv"],
      ["abc где 12", "abc ( ) где ( ) 12"],
      ["日本abc", "日本 abc"],
      ["x 50Ω", "x ( ) 50 ω"],
    ]);
  });
});

suite("places", () => {
  test("count UTF-16 units and code points of the original text", () => {
    const [, , token] = createTokenizer().tokenize("😀 ÉTÉ");
    assert.deepEqual(
      { ...token, script: 0 },
      { lemma: "ete", kind: "word", start: 3, end: 6, charStart: 2, charEnd: 5, script: 0, language: 0 },
    );
  });
});

test("tokenizers of many settings do not get into each other's way", () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 40; i++) {
      const options = { stopWords: new Set([`w${i}`]).values(), separators: [`|${i}|`], dictionary: [`a.${i}`] };
      assert.equal(show(`w${i} w${i + 1}`, options), `[w${i}] ( ) w${i + 1}`);
      assert.equal(show(`x|${i}|y`, { separators: [`|${i}|`] }), `x (|${i}|) y`);
    }
    assert.equal(show("w1 a.1"), "w1 ( ) a (.) 1");
    assert.equal(show("w1 a.1", { nonSeparators: ["."] }), "w1 ( ) a.1");
  }
});
