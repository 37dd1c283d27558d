import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { type IndexFacets, mergeFacets } from "../../../src/engine/federation/facets.ts";

type Orders = Record<string, "alpha" | "count">;

function facets(uid: string, fields: IndexFacets["facets"], sortFacetValuesBy: Orders = { "*": "alpha" }): IndexFacets {
  return { uid, orderOf: (field) => sortFacetValuesBy[field] ?? sortFacetValuesBy["*"] ?? "alpha", facets: fields };
}

function colors(values: Record<string, number>): IndexFacets["facets"][number] {
  return { field: "color", values: new Map(Object.entries(values)), stats: null };
}

test("counts add up by spelling, extremes widen, names are in order", () => {
  const prices = (text: string, min: number, max: number) => ({
    field: "price",
    values: new Map([[text, 1]]),
    stats: { min, max },
  });
  const merged = mergeFacets(
    [
      facets("a", [prices("10", 10, 10), colors({ red: 2, blue: 1 })]),
      facets("b", [colors({ blue: 4, Red: 1 }), prices("2", 2, 5)]),
    ],
    null,
  );
  assert.deepEqual(merged, [
    {
      field: "color",
      values: new Map([
        ["Red", 1],
        ["blue", 5],
        ["red", 2],
      ]),
      stats: null,
    },
    {
      field: "price",
      values: new Map([
        ["10", 1],
        ["2", 1],
      ]),
      stats: { min: 2, max: 10 },
    },
  ]);
  assert.deepEqual([...merged[0]!.values.keys()], ["Red", "blue", "red"]);
});

test("values are ordered by the common setting and cut", () => {
  const by: Orders = { "*": "alpha", color: "count" };
  const merged = mergeFacets(
    [facets("a", [colors({ red: 2, blue: 1 })], by), facets("b", [colors({ blue: 4 })], by)],
    1,
  );
  assert.deepEqual(merged[0]!.values, new Map([["blue", 5]]));
});

test("orders that differ cannot be merged", () => {
  const byName = facets("a", [colors({ red: 1 })]);
  const byCount = facets("b", [colors({ red: 1 })], { "*": "count" });
  assert.throws(
    () => mergeFacets([byName, byCount], null),
    (error) => error instanceof ApiError && error.code === "invalid_multi_search_facet_order",
  );
});
