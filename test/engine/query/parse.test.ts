/** What the text of a query is taken for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { parseQuery } from "../../../src/engine/query/parse.ts";
import { QueryRules } from "../../../src/engine/query/rules.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";

function parse(text: string, settings: JsonObject = {}) {
  const { terms, ...rest } = parseQuery(text, new QueryRules(applySettingsUpdate(defaultSettings(), settings)), null);
  const shown = terms.map(
    ({ word, phrase, prefix, first }) => `${phrase?.join("_") ?? word}${prefix ? "*" : ""}@${first}`,
  );
  return { terms: shown, ...rest };
}

test("only a word at the very end may be unfinished", () => {
  assert.deepEqual(parse("Big Cat").terms, ["big@0", "cat*@1"]);
  assert.deepEqual(parse("big cat ").terms, ["big@0", "cat@1"]);
  assert.deepEqual(parse("big cat", { prefixSearch: "disabled" }).terms, ["big@0", "cat@1"]);
});

test("quotes make phrases, hard separators cut them", () => {
  assert.deepEqual(parse('a "b c" d').terms, ["a@0", "b_c@1", "d*@3"]);
  assert.deepEqual(parse('"b. c').terms, ["b@0", "c@8"]);
  assert.deepEqual(parse('"the b" x ', { stopWords: ["the"] }).terms, ["_b@1", "x@2"]);
  assert.deepEqual(parse('"the"', { stopWords: ["the"] }).terms, []);
});

test("a minus before a word or phrase excludes it, elsewhere it does not", () => {
  const parsed = parse('cat -dog -"red fox" ');
  assert.deepEqual(parsed.terms, ["cat@0"]);
  assert.deepEqual(parsed.negativeWords, ["dog"]);
  assert.deepEqual(parsed.negativePhrases, [["red", "fox"]]);
  assert.deepEqual(parse("cat-dog ").terms, ["cat@0", "dog@1"]);
  assert.deepEqual(parse("- dog ").terms, ["dog@0"]);
});

test("stop words are dropped unless the query ends with one, and keep their position", () => {
  const parsed = parse("the cat of the ", { stopWords: ["the", "of"] });
  assert.deepEqual(parsed.terms, ["cat@1"]);
  assert.deepEqual(parsed.stopWords, ["the", "of"]);
  assert.deepEqual(parse("cat the", { stopWords: ["the"] }).terms, ["cat@0", "the*@1"]);
});

test("ten terms are read, phrases counting one", () => {
  const words = "one two three four five six seven eight nine ten eleven twelve";
  assert.equal(parse(words).terms.length, 10);
  assert.equal(parse(words).terms.at(-1), "ten@9");
  assert.equal(parse(`"a b c" ${words}`).terms.length, 10);
});

test("blank queries have no terms", () => {
  for (const text of ["", "   ", '""', " - "]) assert.deepEqual(parse(text).terms, []);
});
