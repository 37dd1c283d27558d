/** A search in one call of compiled code gives the answers of one that goes rule by rule. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MatchingStrategy } from "../../../src/base/contract/search.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { facetDistribution } from "../../../src/engine/answer/facets.ts";
import { QueryTerms } from "../../../src/engine/answer/format/terms.ts";
import type { MatchedQuery } from "../../../src/engine/query/matched.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";

import { type Aging, asItIs, withoutForward, withWideForward } from "../../storage/segment/older.ts";
import type { Row } from "../../storage/segment/support.ts";
import { ask, askInSteps, rows, takeAllForMany, viewOf } from "./support.ts";

const WORDS =
  "sun flower flowe sunflower flowers sunn the a fox red redfox foxes house summer summerhouse sumer 12 12a batman batmen light lights lightly éclair eclairs ecl";
/** Words of documents, what they begin with, and longer ones. */
const TEXT_WORDS = [
  ...new Set(
    WORDS.split(" ").flatMap((whole) => [
      `${whole}x`,
      `${whole}s`,
      ...Array.from(whole, (_, i) => whole.slice(0, i + 1)),
    ]),
  ),
];
const word = fc.constantFrom(...WORDS.split(" "));
const sentence = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(word, fc.constantFrom(" ", " ", " ", ", ", ". ")), { maxLength: most })
    .map((parts) => parts.map(([own, gap]) => own + gap).join(""));
const doc = fc.record({
  title: sentence(5),
  body: sentence(30),
  price: fc.option(fc.constantFrom<number | string>(1, 2, 3, "ten"), { nil: null }),
  tags: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 2 }),
});
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom("", "", "", "", '"', "-"),
      fc.oneof(
        word,
        word.map((whole) => whole.slice(0, 2)),
        word.map((whole) => `${whole.slice(0, 1)}e${whole.slice(1)}`),
      ),
      fc.constantFrom(" ", " ", " ", '" ', "", ". "),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.map((part) => part.join("")).join(""));
const request = fc.record({
  q: query,
  matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "all", "frequency"),
  sort: fc.constantFrom<string[] | null>(null, null, ["price:asc"], ["price:desc"]),
  distinct: fc.constantFrom(null, null, "tags", "price"),
  attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"], ["title"]),
  rankingScoreThreshold: fc.constantFrom(null, null, 0.6, 0.9),
  exhaustive: fc.boolean(),
  limit: fc.constantFrom(0, 3, 20),
  wantDetails: fc.constantFrom(true, true, false),
  candidates: fc.constantFrom("own" as const, "borrowed" as const),
});
const DEFAULT_RULES = ["words", "typo", "proximity", "attribute", "sort", "exactness"];
const SETTINGS: JsonObject[] = [
  { searchableAttributes: ["title", "body"] },
  { rankingRules: ["words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"] },
  {
    rankingRules: ["sort", "exactness", "attribute", "typo", "price:desc", "proximity"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 6 }, disableOnAttributes: ["title"] },
    synonyms: { fox: ["red house"], "red fox": ["batman"], sun: ["flower", "light house"] },
  },
  {
    searchableAttributes: ["title", "body"],
    rankingRules: ["words", "attributeRank", "sort", "typo", "attribute", "proximity", "exactness"],
  },
  {
    stopWords: ["the", "a"],
    proximityPrecision: "byAttribute",
    rankingRules: ["words", "proximity", "wordPosition", "sort", "attributeRank", "typo"],
    typoTolerance: { disableOnNumbers: true },
  },
  {
    searchableAttributes: ["body", "title"],
    rankingRules: ["typo", "exactness", "sort", "proximity"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 2, twoTypos: 3 }, disableOnNumbers: true },
    prefixSearch: "disabled",
  },
];

/** The documents in `parts` segments, over earlier versions of some of them. */
function spread(
  settings: JsonObject,
  all: readonly Row[],
  parts: number,
  old: readonly Row[],
  age: Aging = asItIs,
): IndexView {
  const groups: Row[][] = Array.from({ length: parts }, () => []);
  all.forEach((row, i) => {
    groups[(i * 7) % parts]!.push(row);
  });
  const gone = old.map(({ docid }) => docid).filter((docid) => docid >= all.length);
  const whole = {
    rankingRules: DEFAULT_RULES,
    filterableAttributes: ["tags", "price"],
    sortableAttributes: ["price"],
    ...settings,
  };
  const view = viewOf(whole, old.length === 0 ? groups : [[...old], ...groups], gone, age);
  // What is done for many documents only must be right for few as well: half of the time these are taken for many.
  if (all.length % 2 === 1) takeAllForMany(view);
  return view;
}

function shown(view: IndexView, result: RankResult, wantDetails: boolean): unknown {
  const { candidates, degraded, query: matched, total } = result;
  const hits = wantDetails ? result.hits : result.hits.map(({ docid }) => docid);
  const facets = facetDistribution(view, candidates, ["tags", "price"]);
  const found = { candidates: candidates.map(({ words }) => [...words]), facets, total, degraded };
  return { hits, ...found, marks: matched === null ? null : marksOf(matched()) };
}

/** What formatting makes of a query, word by word: lists of words may differ where that is the same. */
function marksOf(query: MatchedQuery): unknown {
  const terms = new QueryTerms(query);
  const marks = TEXT_WORDS.map((word) => {
    const prefix = terms.exact.has(word) ? null : terms.prefixOf(word);
    const units = prefix === null ? null : Math.min(prefix.typedLength, prefix.word.length);
    return [word, terms.exact.get(word), units, prefix?.span, terms.phrasesFrom(word)];
  });
  return { marks, stopWords: query.stopWords, holed: terms.phrasesFrom(null) };
}

test("many documents of several segments, in some fields only, cost what each of them costs", () => {
  const docs = rows(
    Array.from({ length: 900 }, (_, i) => ({ title: "", body: `sun${i % 10}`, price: null, tags: [] })),
  );
  const view = spread({ searchableAttributes: ["title", "body"] }, docs, 3, []);
  const asked = { q: "su", attributesToSearchOn: ["body"], wantDetails: true, limit: 20 };
  assert.deepEqual(shown(view, ask(view, asked), true), shown(view, askInSteps(view, asked), true));
});

test("both ways give the same answers, over 1, 3 and 20 segments, with replaced and deleted documents", () => {
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 1, maxLength: 40 }),
      fc.array(doc, { maxLength: 6 }),
      fc.array(request, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...SETTINGS),
      fc.constantFrom(1, 3, 20),
      (docs, earlier, requests, settings, parts) => {
        const view = spread(settings, rows(docs), parts, rows(earlier));
        for (const asked of requests) {
          const expected = shown(view, askInSteps(view, asked), asked.wantDetails);
          assert.deepEqual(shown(view, ask(view, asked), asked.wantDetails), expected, JSON.stringify(asked));
        }
      },
    ),
    { numRuns: 150 },
  );
});

/** Many words that begin alike, so that prefixes are common and completions have to be cut off. */
test("the same with a large vocabulary", () => {
  const syllables = ["ba", "be", "bi", "bo", "ca", "ce", "ci", "co", "da", "de"];
  const name = (number: number): string => {
    let left = number;
    let text = "";
    for (let i = 0; i < 4; i++) {
      text += syllables[left % syllables.length];
      left = Math.floor(left / syllables.length);
    }
    return text;
  };
  const numbers = fc.array(fc.nat(9_999), { minLength: 2500, maxLength: 3000 });
  const beginning = fc.tuple(fc.nat(9_999), fc.nat(8)).map(([number, length]) => name(number).slice(0, length));
  const asked = fc.array(
    fc.record({
      q: fc.array(beginning, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ").trim()),
      matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "last", "all", "frequency"),
      attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
      candidates: fc.constantFrom("own" as const, "borrowed" as const),
    }),
    { minLength: 10, maxLength: 20 },
  );
  // Some as older versions wrote them, and some with every third document left by a filter.
  const ages = fc.constantFrom(asItIs, asItIs, withWideForward, withoutForward);
  fc.assert(
    fc.property(numbers, asked, fc.constantFrom(1, 3), ages, fc.boolean(), (list, queries, parts, age, isFiltered) => {
      const docs = Array.from({ length: 249 + (queries.length % 2) }, (_, i) => ({
        title: list
          .slice(i * 10, i * 10 + 3)
          .map(name)
          .join(" "),
        body: list
          .slice(i * 10 + 3, i * 10 + 10)
          .map(name)
          .join(" "),
      }));
      const settings = { searchableAttributes: ["title", "body"] };
      const view = spread(settings, rows(docs), parts, rows(docs.slice(3, 9)), age);
      const allowed = view.segments.map(({ live, rows: count }) => {
        const kept = Array.from({ length: count }, (_, row) => row).filter((row) => row % 3 === 0 && live.has(row));
        return isFiltered ? Bitmap.of(count, kept) : live;
      });
      for (let round = 0; round < 3; round++) {
        for (const one of queries) {
          const expected = shown(view, askInSteps(view, one, allowed), true);
          assert.deepEqual(shown(view, ask(view, one, undefined, allowed), true), expected, JSON.stringify(one));
        }
      }
    }),
    { numRuns: 24, endOnFailure: true },
  );
});

/** Words that most of many documents have: what is known of them beforehand is used instead of reading their places. */
test("the same with frequent words", () => {
  const frequent = fc.constantFrom(
    "the",
    "then",
    "them",
    "there",
    "thin",
    "of",
    "off",
    "house",
    "houses",
    "a",
    "an",
    "t",
  );
  const text = (most: number): fc.Arbitrary<string> =>
    fc.array(frequent, { minLength: 1, maxLength: most }).map((words) => words.join(" "));
  const many = fc.array(fc.record({ title: text(4), body: text(12), price: fc.nat(3) }), {
    minLength: 300,
    maxLength: 600,
    size: "max",
  });
  const asked = fc.array(
    fc.record({
      q: fc.constantFrom(
        "the",
        "th",
        "t",
        "of",
        "house",
        "hous",
        "the house",
        "then the",
        "a",
        "an house",
        "teh",
        "houes",
        "the of a",
        '"of the"',
      ),
      matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "last", "all", "frequency"),
      attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
      rankingScoreThreshold: fc.constantFrom(null, null, 0.8),
      distinct: fc.constantFrom(null, null, null, "price"),
      limit: fc.constantFrom(3, 20, 20, 500),
      candidates: fc.constantFrom("own" as const, "borrowed" as const),
    }),
    { minLength: 8, maxLength: 16 },
  );
  fc.assert(
    fc.property(many, asked, fc.constantFrom(...SETTINGS), fc.constantFrom(1, 3), (docs, queries, settings, parts) => {
      const view = spread(settings, rows(docs), parts, rows(docs.slice(5, 11)));
      for (let round = 0; round < 3; round++) {
        for (const one of queries) {
          const expected = shown(view, askInSteps(view, one), true);
          assert.deepEqual(shown(view, ask(view, one), true), expected, JSON.stringify(one));
        }
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
