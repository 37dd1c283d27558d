/** How documents are spread over segments must not show in any answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MatchingStrategy } from "../../../src/base/contract/search.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import type { RankResult } from "../../../src/engine/rank/result.ts";
import { detailsView } from "../../../src/engine/rank/score.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

import type { Row } from "../../storage/segment/support.ts";
import { marksOf } from "./questions.ts";
import { ask, rows, viewOf } from "./support.ts";

const WORDS =
  "sun flower sunflower flowers sunn the a fox red redfox foxes house summer summerhouse sumer 12 12a batman batmen light lights lightly";
const word = fc.constantFrom(...WORDS.split(" "));
const text = fc.array(fc.tuple(word, fc.constantFrom(" ", " ", " ", ", ", ". ")), { maxLength: 7 });
const joined = text.map((parts) => parts.map(([own, gap]) => own + gap).join(""));
const doc = fc.record({
  title: joined,
  body: joined,
  price: fc.option(fc.constantFrom<number | string>(1, 2, 3, "ten"), { nil: null }),
  tags: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 2 }),
});
const query = fc
  .array(fc.tuple(fc.constantFrom("", "", "", "", '"', "-"), word, fc.constantFrom(" ", " ", '" ', "")), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map((part) => part.join("")).join(""));
const request = fc.record({
  q: query,
  matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "all", "frequency"),
  sort: fc.constantFrom<string[] | null>(null, ["price:asc"], ["price:desc"]),
  distinct: fc.constantFrom(null, null, "tags", "price"),
  attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
  rankingScoreThreshold: fc.constantFrom(null, null, 0.6),
  exhaustive: fc.boolean(),
  limit: fc.constantFrom(3, 20),
});
const SETTINGS: JsonObject[] = [
  { searchableAttributes: ["title", "body"] },
  {
    rankingRules: ["sort", "exactness", "attribute", "typo", "price:desc", "proximity"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 6 }, disableOnAttributes: ["title"] },
    synonyms: { fox: ["red house"], "red fox": ["batman"] },
  },
  {
    stopWords: ["the", "a"],
    proximityPrecision: "byAttribute",
    rankingRules: ["words", "proximity", "wordPosition", "sort", "attributeRank", "typo"],
    typoTolerance: { disableOnNumbers: true },
  },
];

const facets: JsonObject = { filterableAttributes: ["tags", "price"], sortableAttributes: ["price"] };

/** The same documents in `parts` segments, over earlier versions of some of them. */
function spread(
  settings: JsonObject,
  all: readonly Row[],
  parts: number,
  old: readonly Row[],
  gone: number[],
): IndexView {
  const whole = {
    rankingRules: ["words", "typo", "proximity", "attribute", "sort", "exactness"],
    ...facets,
    ...settings,
  };
  const groups: Row[][] = Array.from({ length: parts }, () => []);
  all.forEach((row, i) => {
    groups[(i * 7) % parts]!.push(row);
  });
  return viewOf(whole, old.length === 0 ? groups : [[...old], ...groups], gone);
}

function shown(result: RankResult): unknown {
  const counted = result.candidates.reduce((sum, candidates) => sum + candidates.count(), 0);
  const hits = result.hits.map(({ docid, details }) => [docid, detailsView(details, () => true)]);
  return { hits, counted, total: result.total, marks: result.query === null ? null : marksOf(result.query()) };
}

test("1, 3 and 20 segments, with replaced and deleted documents, give the same answers", () => {
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 1, maxLength: 24 }),
      fc.array(doc, { maxLength: 6 }),
      fc.array(request, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...SETTINGS),
      (docs, earlier, requests, settings) => {
        const all = rows(docs);
        const old = rows(earlier);
        // Documents that only exist in an old version are deleted.
        const gone = old.map(({ docid }) => docid).filter((docid) => docid >= all.length);
        const one = spread(settings, all, 1, [], []);
        const others = [spread(settings, all, 3, old, gone), spread(settings, all, 20, old, gone)];
        for (const asked of requests) {
          const expected = shown(ask(one, asked));
          for (const other of others) assert.deepEqual(shown(ask(other, asked)), expected, JSON.stringify(asked));
        }
      },
    ),
    { numRuns: 60 },
  );
});
