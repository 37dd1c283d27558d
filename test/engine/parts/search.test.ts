/** A search over an index in parts gives the answers of one over the whole. */
import { test } from "node:test";
import fc from "fast-check";
import type { MatchingStrategy } from "../../../src/base/contract/search.ts";
import { doc, request, SETTINGS, spread } from "../rank/questions.ts";
import { rows } from "../rank/support.ts";
import { assertSame, assertSameApart, COUNTS, RUNS } from "./support.ts";

for (const count of COUNTS) {
  test(`in ${count} parts: words, sorts, distinct values, thresholds, pages`, () => {
    fc.assert(
      fc.property(
        fc.array(doc, { minLength: 1, maxLength: 40 }),
        fc.array(doc, { maxLength: 6 }),
        fc.array(request, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...SETTINGS),
        fc.constantFrom(1, 3),
        (docs, earlier, requests, settings, segments) => {
          const view = spread(settings, rows(docs), segments, rows(earlier));
          for (const asked of requests) assertSame(view, asked, [count]);
        },
      ),
      { numRuns: RUNS },
    );
  });
}

for (const count of [2, 4]) {
  test(`in ${count} parts that have segments of their own`, () => {
    fc.assert(
      fc.property(
        fc.array(doc, { minLength: 1, maxLength: 40 }),
        fc.array(request, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...SETTINGS),
        (docs, requests, settings) => {
          const view = spread(settings, rows(docs), 4, []);
          for (const asked of requests) assertSameApart(view, asked, count);
        },
      ),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });
}

test("in three parts without any time: all documents that match, by their numbers", () => {
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 10, maxLength: 40 }),
      fc.array(request, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...SETTINGS),
      (docs, requests, settings) => {
        const view = spread(settings, rows(docs), 1, []);
        for (const asked of requests) {
          const { limit = 0 } = asked;
          // Where typos were looked at is not known then.
          const untimed = { ...asked, limit: limit + 1, distinct: null, wantMatches: false, deadline: 0 };
          assertSame(view, untimed, [3]);
          assertSame(view, { ...untimed, matchingStrategy: "frequency" }, [3]);
        }
      },
    ),
    { numRuns: RUNS },
  );
});

/** Each part gives up other words than the whole, and fills the page with what that finds. */
test("words that are rare in one part and frequent in another, on small pages", () => {
  const words = (most: number) =>
    fc.array(fc.constantFrom("hen", "cow", "fox", "red", "old"), { minLength: 1, maxLength: most });
  const docs = fc.array(
    words(4).map((all) => ({ title: all.join(" ") })),
    { minLength: 2, maxLength: 16 },
  );
  const asked = fc.record({
    q: words(4).map((all) => all.join(" ")),
    limit: fc.integer({ min: 1, max: 4 }),
    wantDetails: fc.boolean(),
  });
  fc.assert(
    fc.property(
      docs,
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(2, 4),
      (list, requests, count) => {
        const view = spread({ searchableAttributes: ["title"] }, rows(list), 4, []);
        for (const one of requests) assertSameApart(view, { ...one, matchingStrategy: "frequency" }, count);
      },
    ),
    { numRuns: RUNS * 2 },
  );
});

test("without words: all documents, sorted or as they came", () => {
  const asked = fc.record({
    q: fc.constantFrom(null, "", '-"sun flower"', "-fox"),
    sort: fc.constantFrom<string[] | null>(null, ["price:asc"], ["price:desc"]),
    distinct: fc.constantFrom(null, "tags", "price"),
    exhaustive: fc.boolean(),
    rankingScoreThreshold: fc.constantFrom(null, 0.5),
    limit: fc.constantFrom(0, 2, 5, 20),
    offset: fc.constantFrom(0, 3),
  });
  const rules = fc.constantFrom<string[]>(["sort", "words"], ["words", "sort", "price:desc"], ["price:asc", "sort"]);
  fc.assert(
    fc.property(fc.array(doc, { maxLength: 30 }), fc.array(asked, { maxLength: 8 }), rules, (docs, requests, own) => {
      const view = spread({ rankingRules: own }, rows(docs), 2, []);
      for (const one of requests) assertSame(view, one);
    }),
    { numRuns: RUNS },
  );
});

test("with so many words that derivations are cut off", () => {
  const syllables = ["ba", "be", "bi", "bo", "ca", "ce", "ci", "co", "da", "de"];
  const name = (number: number): string =>
    [1, 10, 100, 1000].map((unit) => syllables[Math.floor(number / unit) % 10]).join("");
  const beginning = fc.tuple(fc.nat(9_999), fc.nat(8)).map(([number, length]) => name(number).slice(0, length));
  const asked = fc.record({
    q: fc.array(beginning, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ").trim()),
    matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "last", "all", "frequency"),
    attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
  });
  const numbers = fc.array(fc.nat(9_999), { minLength: 2500, maxLength: 2500 });
  fc.assert(
    fc.property(numbers, fc.array(asked, { minLength: 6, maxLength: 12 }), (list, requests) => {
      const words = (from: number, to: number): string => list.slice(from, to).map(name).join(" ");
      const docs = Array.from({ length: 250 }, (_, i) => ({
        title: words(i * 10, i * 10 + 3),
        body: words(i * 10 + 3, i * 10 + 10),
      }));
      const view = spread({ searchableAttributes: ["title", "body"] }, rows(docs), 1, rows(docs.slice(3, 9)));
      for (const one of requests) assertSame(view, one, [3, 7]);
    }),
    { numRuns: Math.ceil(RUNS / 5), endOnFailure: true },
  );
});

test("a word that a part has only where typos are not tolerated counts when another part has it elsewhere", () => {
  const docs = rows([
    { title: "lights", body: "sun light" },
    { title: "", body: "lights" },
  ]);
  const settings = {
    rankingRules: ["attribute"],
    typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 6 }, disableOnAttributes: ["title"] },
  };
  assertSame(spread(settings, docs, 1, []), { q: "lightly sun " });
});

test("a search that leaves out frequent words ends by the frequencies in all parts", () => {
  // Where the rare word is missing, a part alone takes it for the one to be left out, and finds better matches of the others.
  const common = Array.from({ length: 60 }, (_, i) => ({ title: `lamp ${i % 2 === 0 ? "light" : "house"}` }));
  const view = spread({}, rows([...common, { title: "candle" }]), 1, []);
  for (const limit of [1, 5, 20]) {
    assertSame(view, { q: "candle lamp light", matchingStrategy: "frequency", limit });
  }
});
