/** Random small indexes, questions about them, and what is compared of the answers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { MatchingStrategy } from "../../../src/base/contract/search.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { facetDistribution } from "../../../src/engine/answer/facets.ts";
import { QueryTerms } from "../../../src/engine/answer/format/terms.ts";
import type { MatchedQuery } from "../../../src/engine/query/matched.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

import { type Aging, asItIs } from "../../storage/segment/older.ts";
import type { Row } from "../../storage/segment/support.ts";
import { takeAllForMany, viewOf } from "./support.ts";

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
export const doc = fc.record({
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
export const request = fc.record({
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
export const SETTINGS: JsonObject[] = [
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
export function spread(
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

export function shown(view: IndexView, result: RankResult, wantDetails: boolean): unknown {
  const { candidates, degraded, query: matched, total } = result;
  const hits = wantDetails ? result.hits : result.hits.map(({ docid }) => docid);
  const facets = facetDistribution(view, candidates, ["tags", "price"]);
  for (const rows of candidates) if (rows.known !== null) assert.equal(rows.known, rows.count());
  const found = { candidates: candidates.map(({ words }) => [...words]), facets, total, degraded };
  return { hits, ...found, marks: matched === null ? null : marksOf(matched()) };
}

/** What formatting makes of a query, word by word: lists of words may differ where that is the same. */
export function marksOf(query: MatchedQuery): unknown {
  const terms = new QueryTerms(query);
  const marks = TEXT_WORDS.map((word) => {
    const prefix = terms.exact.has(word) ? null : terms.prefixOf(word);
    const units = prefix === null ? null : Math.min(prefix.typedLength, prefix.word.length);
    return [word, terms.exact.get(word), units, prefix?.span, terms.phrasesFrom(word)];
  });
  return { marks, stopWords: query.stopWords, holed: terms.phrasesFrom(null) };
}
