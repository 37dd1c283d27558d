/** What settings and queries may hold without keeping a reader, or the writer, from everything else. Counted in work, not time. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseSearch } from "../../src/base/contract/search.ts";
import { readIdentity } from "../../src/base/document/id.ts";
import { FieldSelection } from "../../src/base/document/pick.ts";
import { limits } from "../../src/base/limits.ts";
import { createTokenizer } from "../../src/base/text/tokenizer.ts";
import { FormattedAttributes } from "../../src/engine/answer/format/attributes.ts";
import { FilterSyntaxError } from "../../src/engine/filter/filter.ts";
import { parseFilter } from "../../src/engine/filter/parse.ts";
import { Deadline } from "../../src/engine/query/deadline.ts";
import { parseQuery } from "../../src/engine/query/parse.ts";
import { QueryRules } from "../../src/engine/query/rules.ts";
import { filterRuleFor, isSortable } from "../../src/storage/settings/patterns.ts";
import { defaultSettings } from "../../src/storage/settings/update.ts";
import { workedMs } from "../lib/worked.ts";

const ENDLESS = new Deadline(Number.POSITIVE_INFINITY);
const numbered = (count: number, text: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => text(i));

test("many synonyms of one word are read once, when the word is asked for", () => {
  const synonyms = {
    hello: [...numbered(16_000, (i) => `w${i} v${i}`), "w1 v1", "Hello"],
    "good day": ["hello", "hi"],
  };
  const rules = new QueryRules({ ...defaultSettings(), synonyms });
  const ms = workedMs(() => {
    assert.equal(rules.synonymsOfWord("hello", ENDLESS).length, 50);
  });
  assert.ok(ms < 4000, `${ms} ms`);
  assert.ok(workedMs(() => rules.synonymsOfWord("hello", ENDLESS)) < 100);
  assert.deepEqual(rules.synonymsOfWords(["good", "day"], ENDLESS), [["hello"], ["hi"]]);
  assert.deepEqual(rules.synonymsOfWord("nobody", ENDLESS), []);
});

test("a search whose time is up goes on with the synonyms it has, and the next one reads on", () => {
  const count = 1000;
  const synonyms = { hello: numbered(count, (i) => `w${String(count - i).padStart(4, "0")} v`) };
  const rules = new QueryRules({ ...defaultSettings(), synonyms });
  let looks = 0;
  const short = (): Deadline => new Deadline(3, () => ++looks % 4);
  const read = [1, 2, 3].map(() => rules.synonymsOfWords(["hello"], short()).length);
  assert.ok(read[0]! > 0 && read[0]! < read[1]! && read[1]! < read[2]! && read[2]! < count, `${read}`);
  const first = rules.synonymsOfWord("hello", ENDLESS)[0];
  assert.deepEqual(first, ["w0001", "v"]);
  assert.equal(rules.synonymsOfWords(["hello"], new Deadline(0)).length, count, "what was read stays read");
});

test("as many synonyms of words in a row are no more work", () => {
  const synonyms = { "good day": numbered(16_000, (i) => `w${i} v${i}`), goodday: ["w7 v7", "hi"] };
  const rules = new QueryRules({ ...defaultSettings(), synonyms });
  const ms = workedMs(() => {
    const found = rules.synonymsOfJoined("goodday", ["good", "day"], ENDLESS);
    assert.equal(found.length, 16_001);
    assert.deepEqual(found.slice(0, 3), [["hi"], ["w7", "v7"], ["w0", "v0"]]);
  });
  assert.ok(ms < 4000, `${ms} ms`);
});

test("a query of megabytes is read as far as its words count", () => {
  const rules = new QueryRules(defaultSettings());
  for (const text of ["hello world ".repeat(700_000), "h".repeat(8_000_000), "東京都に行く".repeat(1_000_000)]) {
    const ms = workedMs(() => parseQuery(text, rules, null));
    assert.ok(ms < 1500, `${text.slice(0, 12)}: ${ms} ms`);
  }
  const { terms } = parseQuery("one two three", rules, null);
  assert.deepEqual(
    terms.map(({ word }) => word),
    ["one", "two", "three"],
  );
});

test("forty thousand stop words with one first letter are no more work than any others", () => {
  const ms = workedMs(() => {
    const tokens = createTokenizer({ stopWords: numbered(40_000, (i) => `a${i}`) }).tokenize("a7 b a40001");
    assert.deepEqual(
      tokens.filter(({ kind }) => kind !== "soft").map(({ kind }) => kind),
      ["stop", "word", "word"],
    );
  });
  assert.ok(ms < 3000, `${ms} ms`);
});

test("a filter has a bound before it is read", () => {
  const values = (count: number): string => `id IN [${Array(count).fill("1").join(",")}]`;
  assert.notEqual(parseFilter(values(1000)), null);
  for (const filter of [
    values(limits.filterValues + 2),
    `a = "${"x".repeat(limits.filterUnits)}"`,
    [Array(limits.filterValues + 1).fill("a = 1")],
  ]) {
    const ms = workedMs(() => assert.throws(() => parseFilter(filter), FilterSyntaxError));
    assert.ok(ms < 300, `${ms} ms`);
  }
});

test("names of thousands of parts are looked up part by part", () => {
  const settings = { ...defaultSettings(), filterableAttributes: ["g"], sortableAttributes: ["g.x"] };
  const name = `h${".x".repeat(100_000)}`;
  const ms = workedMs(() => {
    for (let i = 0; i < 20; i++) {
      assert.equal(filterRuleFor(settings, `${name}${i}`), null);
      assert.equal(isSortable(settings, `g${name.slice(1)}${i}`), true);
    }
  });
  assert.ok(ms < 2000, `${ms} ms`);
});

test("as many names as a search may bring, each as long as it may be, are a bounded selection", () => {
  const { namesPerSearch, nameUnits } = limits;
  const names = numbered(namesPerSearch, (i) => `${i}.`.padEnd(nameUnits - 1, "a.").concat("z"));
  assert.equal(parseSearch({ attributesToRetrieve: names }).attributesToRetrieve?.length, namesPerSearch);
  assert.throws(() => parseSearch({ attributesToRetrieve: [`${names[0]}z`] }), {
    code: "invalid_search_attributes_to_retrieve",
  });
  const before = process.memoryUsage().rss;
  let selection: FieldSelection | null = null;
  const ms = workedMs(() => {
    selection = FieldSelection.of(names);
  });
  assert.ok(ms < 4000, `${ms} ms`);
  const bytes = process.memoryUsage().rss - before;
  assert.ok(bytes < 500e6, `${bytes} bytes`);
  assert.notEqual(selection, null);
});

test("a primary key of thousands of parts is one look at each member", () => {
  const key = `a${".a".repeat(8000)}`;
  const bytes = Buffer.from(JSON.stringify({ [key]: 7, a: { a: { b: 1 } }, "a.a": 1 }));
  const ms = workedMs(() => {
    for (let i = 0; i < 20; i++) assert.deepEqual(readIdentity(bytes, 0, bytes.length, key), { id: "7" });
  });
  assert.ok(ms < 2000, `${ms} ms`);
});

test("patterns of a search are few: each is held against every field", () => {
  const patterns = numbered(limits.patternsPerSearch + 1, (i) => `*${i}`);
  assert.throws(() => parseSearch({ facets: patterns }), { code: "invalid_search_facets" });
  assert.throws(() => parseSearch({ attributesToSearchOn: patterns }), {
    code: "invalid_search_attributes_to_search_on",
  });
  assert.equal(parseSearch({ facets: ["*", "a*b", ...patterns.slice(1)] }).facets?.length, patterns.length + 1);
});

test("names of a search are looked up among the fields, not held against each", () => {
  const count = 60_000;
  const fieldOrder = numbered(count, (i) => `field${i}`);
  const names = numbered(limits.namesPerSearch, (i) => `field${30 * i}.below`);
  const query = { ...parseSearch({ attributesToHighlight: names, attributesToCrop: names }), locales: ["eng"] };
  const ms = workedMs(() => {
    const attributes = new FormattedAttributes({ settings: defaultSettings(), fieldOrder }, query, null, null);
    const wanted = fieldOrder.filter((field) => attributes.isHighlighted(field) && attributes.cropWords(field) > 0);
    assert.equal(wanted.length, names.length);
  });
  assert.ok(ms < 2000, `${ms} ms`);
});
