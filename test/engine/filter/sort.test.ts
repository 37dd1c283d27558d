/** Sort expressions are read strictly, and rows of several segments come out as one sorted list. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import { orderRows } from "../../../src/engine/filter/order.ts";
import {
  checkSort,
  parseSort,
  parseSortExpression,
  SortError,
  type SortRule,
} from "../../../src/engine/filter/sort.ts";
import { distanceMetres } from "../../../src/storage/segment/geo/distance.ts";

import { segmentOf, settingsWith, type TestSegment } from "./documents.ts";

test("expressions name a field or a place, and a direction", () => {
  assert.deepEqual(parseSort(["price:asc", "a:b:desc", "_geoPoint( 1.5 , -2e1 ):asc"]), [
    { kind: "field", field: "price", descending: false },
    { kind: "field", field: "a:b", descending: true },
    { kind: "geo", lat: 1.5, lng: -20, descending: false },
  ]);
  for (const wrong of [
    "price",
    "price:up",
    "price asc",
    "",
    "_geo:asc",
    "_geoDistance(1,2):asc",
    "_geoRadius(1,2,3):asc",
    "_geoPoint:asc",
    "_geoPoint(1):asc",
    "_geoPoint(1,2,3):asc",
    "_geoPoint(a,2):desc",
    "_geoPoint(91,0):asc",
    "_geoPoint(0,181):asc",
  ]) {
    assert.throws(() => parseSortExpression(wrong), SortError, wrong);
  }
});

test("only sortable attributes pass, and hidden ones are not told", () => {
  const settings = settingsWith([], { sortableAttributes: ["price", "secret"] });
  checkSort(parseSort(["price:asc", "price.net:desc"]), settings);
  assert.throws(() => checkSort(parseSort(["name:asc"]), settings), /`name`.*`price`, `secret`/);
  assert.throws(
    () => checkSort(parseSort(["name:asc"]), settings, (name) => name !== "secret"),
    /`price`, `<\.\.hidden-attributes>`/,
  );
  assert.throws(() => checkSort(parseSort(["_geoPoint(1,2):asc"]), settings), /`_geo`/);
  assert.throws(() => checkSort(parseSort(["name:asc"]), settingsWith([])), /No attribute/);
});

const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  1,
  2,
  2,
  -1,
  10.5,
  "b",
  "B",
  "a",
  "é",
  "😀",
  "\uffee",
  "",
  " ",
  true,
  null,
);
const document = fc.record(
  {
    x: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
    y: scalar,
    _geo: fc.record({ lat: fc.integer({ min: -2, max: 2 }), lng: fc.integer({ min: -2, max: 2 }) }),
  },
  { requiredKeys: [] },
);
const rule: fc.Arbitrary<SortRule> = fc.oneof(
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("x", "y", "none"),
    descending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("geo" as const), lat: fc.constant(1), lng: fc.constant(1), descending: fc.boolean() }),
);

/** Class and value a document is sorted by under a rule; looks at JSON only. */
function keyOf(each: JsonObject, by: SortRule): { class: number; number: number; text: string } {
  const without = { class: 2, number: 0, text: "" };
  if (by.kind === "geo") {
    const place = each["_geo"] as { lat: number; lng: number } | undefined;
    return place === undefined ? without : { class: 0, number: distanceMetres(1, 1, place.lat, place.lng), text: "" };
  }
  const value = each[by.field] ?? null;
  const all = Array.isArray(value) ? value : [value];
  const pick = <T>(sorted: T[]): T => (by.descending ? sorted.at(-1)! : sorted[0]!);
  const numbers = all.filter((one) => typeof one === "number").sort((a, b) => a - b);
  if (numbers.length > 0) return { class: 0, number: pick(numbers), text: "" };
  const strings = all
    .filter((one) => (typeof one === "string" && one !== "") || typeof one === "boolean")
    .map((one) => String(one).trim().normalize("NFKD").toLowerCase())
    .sort(byBytes);
  return strings.length > 0 ? { class: 1, number: 0, text: pick(strings) } : without;
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

test("the order is that of a plain sort, however rows are spread and however many are wanted", () => {
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 30 }),
      fc.array(rule, { maxLength: 3 }),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: 0, max: 31 }),
      (all, rules, size, wanted) => {
        const expected = all
          .map((each, docid) => ({ docid, keys: rules.map((by) => keyOf(each as JsonObject, by)) }))
          .sort((a, b) => {
            for (let i = 0; i < rules.length; i++) {
              const [x, y] = [a.keys[i]!, b.keys[i]!];
              const sign = rules[i]!.descending ? -1 : 1;
              const order = x.class - y.class || sign * (x.number - y.number || byBytes(x.text, y.text));
              if (order !== 0) return order;
            }
            return a.docid - b.docid;
          })
          .map(({ docid }) => docid);
        const segments: TestSegment[] = [];
        for (let at = 0; at < all.length; at += size)
          segments.push(segmentOf(all.slice(at, at + size) as JsonObject[], at));
        const ordered = orderRows(
          segments,
          segments.map((segment) => segment.live),
          rules,
          wanted,
        );
        const docids = [...ordered.rows].map((row, i) => segments[ordered.segments[i]!]!.docids[row]!);
        assert.deepEqual(docids, expected.slice(0, wanted));
      },
    ),
    { numRuns: 300 },
  );
});
