/** Orders that only all parts together can tell: by distance and by similarity. */
import { test } from "node:test";
import fc from "fast-check";
import { rows, viewOf } from "../rank/support.ts";
import { byVector, EMBEDDERS, vector, vectors, withVectors } from "../vector/support.ts";
import { assertSame, RUNS } from "./support.ts";

/** Some less than a metre apart, some the same, some far. */
const coordinate = fc.constantFrom(0, 0.000001, 0.000005, 0.00001, 0.00002, 0.5, 10);
const place = fc.option(fc.record({ lat: coordinate, lng: coordinate }), { nil: null });

test("by distance, alone and beside other rules", () => {
  const doc = fc.record({
    title: fc.constantFrom("red fox", "fox", "red house", "fix"),
    price: fc.constantFrom(1, 2, 3),
    tags: fc.constantFrom("x", "y", "z"),
    _geo: place,
  });
  const asked = fc.record({
    q: fc.constantFrom(null, "fox", "red fox"),
    sort: fc.constantFrom<string[]>(
      ["_geoPoint(0,0):asc"],
      ["_geoPoint(0,0):desc"],
      ["price:asc", "_geoPoint(0,0):asc"],
    ),
    distinct: fc.constantFrom(null, null, "tags", "price"),
    rankingScoreThreshold: fc.constantFrom(null, 0.9),
    exhaustive: fc.boolean(),
    limit: fc.constantFrom(2, 20),
  });
  const rules = fc.constantFrom<string[]>(["words", "sort", "price:desc"], ["sort", "words", "typo", "exactness"]);
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 1, maxLength: 30 }),
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      rules,
      (docs, requests, rankingRules) => {
        const settings = {
          rankingRules,
          filterableAttributes: ["tags", "price"],
          sortableAttributes: ["price", "_geo"],
          searchableAttributes: ["title"],
        };
        const view = viewOf(settings, [rows(docs)]);
        for (const one of requests) assertSame(view, one);
      },
    ),
    { numRuns: RUNS },
  );
});

test("by distance, of more documents than are put in order at a time", () => {
  const settings = {
    rankingRules: ["sort", "price:asc"],
    filterableAttributes: ["tags", "price"],
    sortableAttributes: ["_geo"],
  };
  const doc = fc.record({ price: fc.constantFrom(1, 2, 3), _geo: fc.record({ lat: fc.nat(4000), lng: fc.nat(4000) }) });
  const asked = fc.record({
    sort: fc.constantFrom<string[]>(["_geoPoint(0,0):asc"], ["_geoPoint(0,0):desc"]),
    offset: fc.constantFrom(0, 990),
    limit: fc.constantFrom(5, 10, 20),
  });
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 2500, maxLength: 3500 }),
      fc.array(asked, { minLength: 1, maxLength: 4 }),
      (docs, requests) => {
        const near = docs.map(({ _geo: { lat, lng }, price }) => ({ price, _geo: { lat: lat / 1e6, lng: lng / 1e6 } }));
        const view = viewOf(settings, [rows(near)]);
        for (const one of requests) assertSame(view, { ...one, wantDetails: true }, [2, 3]);
      },
    ),
    { numRuns: Math.ceil(RUNS / 8), endOnFailure: true },
  );
});

test("by similarity, alone and beside other rules", () => {
  const doc = fc.record({ own: vectors, price: fc.constantFrom(1, 2, 3), tags: fc.constantFrom("x", "y", "z") });
  const asked = fc.record({
    q: fc.constantFrom(null, "fox", "-fox"),
    sort: fc.constantFrom<string[] | null>(null, ["price:asc"]),
    distinct: fc.constantFrom(null, null, "tags", "price"),
    rankingScoreThreshold: fc.constantFrom(null, 0.6),
    exhaustive: fc.boolean(),
    limit: fc.constantFrom(1, 5, 20),
  });
  const rules = fc.constantFrom<string[]>(["words", "sort"], ["sort", "words", "price:desc"]);
  fc.assert(
    fc.property(
      fc.array(doc, { minLength: 1, maxLength: 30 }),
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      vector,
      rules,
      (docs, requests, target, rankingRules) => {
        const settings = {
          rankingRules,
          embedders: EMBEDDERS,
          filterableAttributes: ["tags", "price"],
          sortableAttributes: ["price"],
        };
        const view = viewOf(settings, [rows(docs.map(({ own, ...rest }) => withVectors(own, rest)))]);
        for (const one of requests) assertSame(view, { ...one, ...byVector(view, target) });
      },
    ),
    { numRuns: RUNS },
  );
});
