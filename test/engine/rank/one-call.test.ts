/** A search in one call of compiled code gives the answers of one that goes rule by rule. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mulberry32 } from "../../../perf/lib/random.ts";
import type { MatchingStrategy } from "../../../src/base/contract/search.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";

import { asItIs, withCommonPrefixes, withoutForward, withWideForward } from "../../storage/segment/older.ts";
import { doc, request, SETTINGS, shown, spread } from "./questions.ts";
import { ask, askInSteps, roomsWithoutRemains, rows } from "./support.ts";

test("many documents of several segments, in some fields only, cost what each of them costs", () => {
  const docs = rows(
    Array.from({ length: 900 }, (_, i) => ({ title: "", body: `sun${i % 10}`, price: null, tags: [] })),
  );
  const view = spread({ searchableAttributes: ["title", "body"] }, docs, 3, []);
  const asked = { q: "su", attributesToSearchOn: ["body"], wantDetails: true, limit: 20 };
  assert.deepEqual(shown(view, ask(view, asked), true), shown(view, askInSteps(view, asked), true));
});

test("words that were written in two are found again, wherever they are looked for, and without those deleted since", () => {
  const title = (i: number): string =>
    i % 50 === 7 ? "sun shine" : i % 50 === 8 ? "sunshine" : "sun and rain and shine";
  const docs = rows(
    Array.from({ length: 2600 }, (_, i) => ({
      title: i % 3 === 0 ? "" : title(i),
      body: title(i),
      price: null,
      tags: [],
    })),
  );
  const settings = { searchableAttributes: ["title", "body"] };
  for (const [parts, replaced] of [
    [1, []],
    [3, docs.slice(0, 300)],
  ] as const) {
    const view = spread(settings, docs, parts, replaced);
    // Fields first, so that what was found in some of them could be taken for what is in all of them; then again from memory.
    for (const attributesToSearchOn of [["title"], null, null, ["title"], ["body"], null]) {
      const asked = { q: "sunshine", attributesToSearchOn, wantDetails: true, limit: 400 };
      assert.deepEqual(shown(view, ask(view, asked), true), shown(view, askInSteps(view, asked), true));
    }
  }
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

test("small indexes are searched in memory where others left something", () => {
  const [docs, requests] = [fc.sample(doc, { numRuns: 40, seed: 1 }), fc.sample(request, { numRuns: 60, seed: 1 })];
  for (const settings of SETTINGS) {
    const view = spread(settings, rows(docs), 20, []);
    for (const asked of requests) shown(view, ask(view, asked), asked.wantDetails);
    for (const room of roomsWithoutRemains(view)) assert.ok(Buffer.alloc(room.length).equals(room));
  }
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
  const ages = fc.constantFrom(asItIs, asItIs, withCommonPrefixes, withCommonPrefixes, withWideForward, withoutForward);
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
      const expected = queries.map((one) => shown(view, askInSteps(view, one, allowed), true));
      for (let round = 0; round < 3; round++) {
        for (const [i, one] of queries.entries()) {
          const found = shown(view, ask(view, one, undefined, allowed), true);
          assert.deepEqual(found, expected[i], JSON.stringify(one));
        }
      }
    }),
    { numRuns: 24, endOnFailure: true },
  );
});

test("the same once more was found out about words than there is room for", () => {
  const random = mulberry32(11);
  const below = (count: number): number => Math.floor(random() * count);
  const letters = "aeiorst";
  const made = (length: number): string => Array.from({ length }, () => letters[below(letters.length)]).join("");
  const words = Array.from({ length: 150 }, () => made(4 + below(6)));
  const docs = Array.from({ length: 150 }, (_, i) => ({
    title: `${words[i]} ${words[below(150)]}`,
    body: `${words[below(150)]}${words[below(150)]} ${words[below(150)]}`,
  }));
  /** Near a word, or two of them joined, so that there is much to be found out. */
  const asked = Array.from({ length: 1000 }, () => {
    const word = `${words[below(150)]}${below(3) === 0 ? words[below(150)] : ""}`;
    const at = below(word.length);
    return word.slice(0, at) + made(below(2)) + word.slice(at + 1);
  });
  for (const parts of [1, 3]) {
    const view = spread({ searchableAttributes: ["title", "body"] }, rows(docs), parts, []);
    // The first ones all the time, the others less and less.
    for (let i = 0; i < 2500; i++) {
      const one = { q: asked[below(1 + below(asked.length))]!, limit: 5, wantDetails: true };
      assert.deepEqual(shown(view, ask(view, one), true), shown(view, askInSteps(view, one), true), one.q);
    }
  }
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
      const expected = queries.map((one) => shown(view, askInSteps(view, one), true));
      for (let round = 0; round < 3; round++) {
        for (const [i, one] of queries.entries())
          assert.deepEqual(shown(view, ask(view, one), true), expected[i], JSON.stringify(one));
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

/** The page is then full of the few that begin with the question, and no other is looked at. */
test("the same where few of many documents begin with frequent words", () => {
  const word = fc.constantFrom("to", "b", "bo", "bone", "box", "it", "see", "see", "go", "go", "go");
  const words = (least: number, most: number): fc.Arbitrary<string> =>
    fc.array(word, { minLength: least, maxLength: most }).map((all) => all.join(" "));
  const beginning = fc.constantFrom(
    "to b",
    "to see to b",
    "to go to bone",
    "to it to bo",
    "to go b",
    "to",
    "b to",
    "bo",
  );
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.tuple(beginning, words(0, 6)).map((both) => both.join(" ")) },
    { weight: 9, arbitrary: words(1, 10).map((rest) => `go ${rest} to`) },
  );
  const title = fc.oneof(
    { weight: 1, arbitrary: words(1, 3) },
    { weight: 12, arbitrary: fc.constantFrom("go", "see it", "x") },
  );
  const many = fc.array(fc.record({ title, body, price: fc.nat(3) }), { minLength: 300, maxLength: 500, size: "max" });
  const asked = fc.array(
    fc.record({
      q: fc.constantFrom("to b", "to bo", "to bon", "go to b", "to go b", "b to", "to", "to b see", "it b"),
      matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "all"),
      attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
      limit: fc.constantFrom(1, 3, 5, 9, 12, 16, 20),
    }),
    { minLength: 6, maxLength: 12 },
  );
  const settings = fc.constantFrom<JsonObject>(
    { searchableAttributes: ["title", "body"] },
    { searchableAttributes: ["body", "title"] },
    { searchableAttributes: ["title", "body"], rankingRules: ["words", "proximity", "wordPosition", "attributeRank"] },
    {},
  );
  fc.assert(
    fc.property(many, asked, settings, fc.constantFrom(1, 3), (docs, queries, own, parts) => {
      const view = spread(own, rows(docs), parts, rows(docs.slice(5, 11)));
      const expected = queries.map((one) => shown(view, askInSteps(view, one), true));
      for (let round = 0; round < 2; round++) {
        for (const [i, one] of queries.entries())
          assert.deepEqual(shown(view, ask(view, one), true), expected[i], JSON.stringify(one));
      }
    }),
    { numRuns: 16, endOnFailure: true },
  );
});

/** The page is full of those with the lowest numbers, and of the few that come before them; no other is looked at. */
test("the same where most of many documents begin with the question", () => {
  const word = fc.oneof(
    { weight: 100, arbitrary: fc.constantFrom("to", "be", "bet", "best", "see", "go", "it") },
    { weight: 1, arbitrary: fc.constantFrom("bes", "i") },
  );
  const words = (most: number): fc.Arbitrary<string> =>
    fc.array(word, { minLength: 1, maxLength: most }).map((all) => all.join(" "));
  const beginning = fc.constantFrom("to be", "to be", "to best", "to be it", "be to");
  const body = fc.oneof(
    { weight: 30, arbitrary: fc.tuple(beginning, words(3)).map((both) => both.join(" ")) },
    { weight: 2, arbitrary: beginning },
    { weight: 3, arbitrary: words(4) },
  );
  const title = fc.oneof(
    { weight: 1, arbitrary: fc.oneof(beginning, words(3)) },
    { weight: 20, arbitrary: fc.constantFrom("go", "see it", "x") },
  );
  const many = fc.array(fc.record({ title, body, price: fc.nat(3) }), { minLength: 300, maxLength: 500, size: "max" });
  const asked = fc.array(
    fc.record({
      q: fc.constantFrom("to be", "to b", "to bes", "to be i", "to", "be to", "to best"),
      matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "all"),
      attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
      limit: fc.constantFrom(1, 2, 3, 5, 9),
    }),
    { minLength: 6, maxLength: 12 },
  );
  const settings = fc.constantFrom<JsonObject>(
    { searchableAttributes: ["title", "body"] },
    { searchableAttributes: ["body", "title"] },
    { searchableAttributes: ["title", "body"], rankingRules: ["words", "exactness", "proximity", "attribute"] },
    { searchableAttributes: ["title", "body"], rankingRules: ["words", "wordPosition", "exactness"] },
    {},
  );
  fc.assert(
    fc.property(many, asked, settings, fc.constantFrom(1, 3), (docs, queries, own, parts) => {
      const view = spread(own, rows(docs), parts, rows(docs.slice(5, 11)));
      for (const one of queries) {
        const expected = shown(view, askInSteps(view, one), true);
        assert.deepEqual(shown(view, ask(view, one), true), expected, JSON.stringify(one));
      }
    }),
    { numRuns: 16, endOnFailure: true },
  );
});

/** Those in which the last two words follow each other are told from the words of each row, and no other is looked at. */
test("the same where a word that many share the beginning of follows a frequent word", () => {
  const rare = fc.nat(149).map((number) => `s${String.fromCharCode(97 + (number % 26))}${Math.floor(number / 26)}`);
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("to", "of", "to.", "go,", "it", "it", "a", "a", "the") },
    { weight: 1, arbitrary: rare },
  );
  const text = (most: number): fc.Arbitrary<string> =>
    fc.array(word, { maxLength: most }).map((words) => words.join(" "));
  const many = fc.array(fc.record({ title: text(3), body: text(14), price: fc.nat(3) }), {
    minLength: 300,
    maxLength: 500,
    size: "max",
  });
  const asked = fc.array(
    fc.record({
      q: fc.constantFrom("to s", "of s", "to of s", "it s", "to go s", "s s", "to to s", "go s"),
      matchingStrategy: fc.constantFrom<MatchingStrategy>("last", "all", "frequency"),
      attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, ["body"]),
      limit: fc.constantFrom(1, 3, 9, 20, 60),
    }),
    { minLength: 6, maxLength: 12 },
  );
  const settings = fc.constantFrom<JsonObject>(
    { searchableAttributes: ["title", "body"] },
    { rankingRules: ["words", "proximity", "exactness"] },
    { rankingRules: ["proximity", "typo", "attribute"], synonyms: { to: ["of it", "go"] } },
    { proximityPrecision: "byAttribute" },
  );
  fc.assert(
    fc.property(many, asked, settings, fc.constantFrom(1, 3), (docs, queries, own, parts) => {
      const view = spread(own, rows(docs), parts, rows(docs.slice(5, 11)));
      for (const one of queries) {
        const expected = shown(view, askInSteps(view, one), true);
        assert.deepEqual(shown(view, ask(view, one), true), expected, JSON.stringify(one));
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
