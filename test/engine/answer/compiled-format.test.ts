import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseSearch } from "../../../src/base/contract/search.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { FormattedAttributes } from "../../../src/engine/answer/format/attributes.ts";
import { CompiledFormatter } from "../../../src/engine/answer/format/compiled.ts";
import { DocumentFormatter } from "../../../src/engine/answer/format/document.ts";
import { QueryTerms } from "../../../src/engine/answer/format/terms.ts";
import { marksOf } from "../../../src/engine/answer/format/text.ts";
import type { MatchedQuery, MatchedTerm } from "../../../src/engine/query/matched.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

/** Pairs of one query: by the compiled code and by its measure. */
class Both {
  readonly compiled: CompiledFormatter | null;
  readonly plain: DocumentFormatter;
  readonly attributes: FormattedAttributes;
  /** Texts that compiled code left to the other. */
  left = 0;

  constructor(query: MatchedQuery, asked: JsonObject, update: JsonObject = {}) {
    const settings = applySettingsUpdate(defaultSettings(), update);
    const search = parseSearch({ attributesToHighlight: ["*"], ...asked });
    const marks = marksOf(search);
    this.attributes = new FormattedAttributes({ settings, fieldOrder: ["a", "b", "c"] }, search, null, null);
    this.plain = new DocumentFormatter(settings, new QueryTerms(query), marks);
    this.compiled = CompiledFormatter.of(settings, this.attributes, query, marks, () => {
      this.left++;
      return this.plain;
    });
  }

  check(document: unknown): string {
    const bytes = Buffer.from(JSON.stringify(document));
    const expected = new ByteSink();
    this.plain.format(bytes, this.attributes.root, null, expected);
    const text = Buffer.from(expected.view()).toString();
    if (this.compiled !== null) {
      const out = new ByteSink();
      this.compiled.format(bytes, out);
      assert.equal(Buffer.from(out.view()).toString(), text);
    }
    return text;
  }
}

function term(typed: string, more: Partial<MatchedTerm> = {}): MatchedTerm {
  return { firstPosition: 0, lastPosition: 0, isPrefix: false, typed, words: [typed], phrases: [], ...more };
}

const word = fc.oneof(
  fc.constantFrom("a", "ab", "abc", "abcd", "b", "ba", "bab", "cafe", "naive", "strasse", "9", "90", "x9"),
  fc.constantFrom(
    "café",
    "Ábc",
    "naïve",
    "ﬁne",
    "ﬁ",
    "Straße",
    "абв",
    "ab\u0301c",
    "e\u0301",
    "日本",
    "…",
    "a…",
    "Æ",
    "œb",
    "😀",
    "a😀",
  ),
  fc.constantFrom(
    "αβ",
    "Ὰβ",
    "Ａb",
    "①",
    "カキ",
    "٩",
    "թա",
    "日本2a",
    "2a",
    "ไทย",
    "ที่9",
    "한국",
    "йода",
    "𝐀b",
    "ab日",
    "абab",
  ),
  fc.constantFrom("A", "AB", "Abc", "BAB", "C'a", "a_b", "c++", "#b", "\u0000", "\u001f", "a\u007fb", "a\u00a0b"),
);
const gap = fc.constantFrom(
  " ",
  ", ",
  ". ",
  "-",
  ".",
  '"',
  "\\",
  "\n",
  "\t",
  "/",
  " — ",
  "’",
  "'",
  "  ",
  "\u2028",
  "\b",
);
const text = fc
  .array(fc.tuple(word, gap), { maxLength: 12 })
  .map((pieces) => pieces.map(([own, after]) => own + after).join(""));
const normalized = fc.constantFrom(
  "a",
  "ab",
  "abc",
  "b",
  "ba",
  "bab",
  "cafe",
  "caf",
  "na",
  "naive",
  "9",
  "fi",
  "ae",
  "абв",
  "аб",
  "日本",
  "oeb",
  "...",
  "αβ",
  "1",
  "2",
  "2a",
  "かき",
  "ไท",
  "йода",
);
const terms = fc.array(
  fc.record({
    isPrefix: fc.boolean(),
    typed: normalized,
    words: fc.array(normalized, { maxLength: 4 }),
    phrases: fc.array(fc.array(normalized, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  }),
  { maxLength: 3 },
);
const query = fc.record({
  terms: terms.map((list) => list.map((each, i) => term(each.typed, { ...each, firstPosition: i, lastPosition: i }))),
  stopWords: fc.array(normalized, { maxLength: 2 }),
});
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    text,
    fc.constantFrom(9, 90, -9.5, 1e21, true, false, null, ""),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", 'c"', "é"), tie("any"), { maxKeys: 3 }),
  ),
})).any;
const document = fc.dictionary(fc.constantFrom("a", "b", "c", "a.b"), value, { maxKeys: 4 });
const asked = fc.constantFrom<JsonObject>(
  {},
  { attributesToHighlight: ["a"] },
  { attributesToHighlight: ["a.b", "c"], attributesToCrop: ["b"], cropLength: 2 },
  { highlightPreTag: '<b class="x">', highlightPostTag: "" },
  { locales: ["deu"] },
  { locales: ["fra"] },
);
const update = fc.constantFrom<JsonObject>(
  {},
  { dictionary: ["a b"] },
  { nonSeparatorTokens: ['"', "\n"] },
  { separatorTokens: ["x", "é"] },
  { localizedAttributes: [{ attributePatterns: ["b"], locales: ["deu"] }] },
  { stopWords: ["ab"] },
);

describe("compiled formatting", () => {
  it("gives the same bytes as the plain way, whatever is asked of whatever document", () => {
    fc.assert(
      fc.property(query, asked, update, fc.array(document, { maxLength: 3 }), (own, search, settings, documents) => {
        const both = new Both(own, search, settings);
        for (const each of documents) both.check(each);
      }),
      { numRuns: 1500 },
    );
  });

  it("passes over words that nobody looks for, wherever they end and whatever they end with", () => {
    const own = new Both({ terms: [term("abc"), term("ab", { isPrefix: true })], stopWords: [] }, {});
    for (let letters = 1; letters <= 40; letters++) {
      for (const rest of ["", "abc", "ábc", "abé", "ábc's", "naïve", "日本", "😀", "\\", "\tabc"]) {
        const passed = "z".repeat(letters) + rest;
        own.check({ a: passed, b: `${passed} abc`, c: `x ${passed}, ${passed} ABX` });
      }
    }
  });

  it("takes turns with other queries", () => {
    const first = new Both({ terms: [term("abc")], stopWords: [] }, {});
    const second = new Both(
      { terms: [term("b", { isPrefix: true })], stopWords: [] },
      { attributesToHighlight: ["a"] },
    );
    for (let i = 0; i < 3; i++) {
      assert.equal(first.check({ a: "ABC bab", b: 7 }), '{"a":"<em>ABC</em> bab","b":"7"}');
      assert.equal(second.check({ a: "ABC bab", b: "bab" }), '{"a":"ABC <em>b</em>ab","b":"bab"}');
    }
  });

  it("reads Latin text, quotes and line breaks by itself", () => {
    const both = new Both({ terms: [term("cafe"), term("nai", { isPrefix: true })], stopWords: [] }, {});
    const shown = both.check({ a: 'Le café, "naiv" — très\nnaïve?', b: ["Über", 5] });
    assert.equal(shown, '{"a":"Le <em>café</em>, \\"<em>nai</em>v\\" — très\\n<em>naï</em>ve?","b":["Über","5"]}');
    assert.equal(both.left, 1, "only where a prefix ends in a letter outside ASCII");
    both.check({ a: "Kein Treffer: Æsir, cœur, déjà vu." });
    assert.equal(both.left, 1);
  });

  it("reads no text of other scripts in which nothing can be meant", () => {
    const both = new Both({ terms: [term("cafe"), term("nai", { isPrefix: true })], stopWords: [] }, {});
    both.check({ a: "предложение\nEmpfehlung, Rat", b: "παραμένω", c: "最下部 (12)" });
    both.check({ a: "предложение\nnach Cannes", b: "He waited… and then…" });
    assert.equal(both.left, 0);
    assert.equal(both.check({ a: "предложение\nCafé" }), '{"a":"предложение\\n<em>Café</em>"}');
    assert.equal(both.left, 1);
  });

  it("shows more than fits its output, and more marks than it notes", () => {
    const both = new Both({ terms: [term("ab")], stopWords: [] }, {});
    both.check({ a: "x".repeat(200_000), b: "ab ".repeat(4000) });
    assert.equal(both.left, 0);
    both.check({ a: "ab ".repeat(5000) });
    assert.equal(both.left, 1);
  });

  it("leaves to the plain way what it cannot look for", () => {
    const beyond = [term("x".repeat(64)), term("", { words: [], phrases: [["a", null, "b"]] })];
    for (const each of beyond) assert.equal(new Both({ terms: [each], stopWords: [] }, {}).compiled, null);
  });
});
