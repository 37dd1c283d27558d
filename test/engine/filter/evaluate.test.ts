/** Filters over segments keep exactly the documents that a plain look at the JSON keeps, however they are spread. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaultFeatures } from "../../../src/base/contract/features.ts";
import { ApiError } from "../../../src/base/errors/errors.ts";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import { checkFilterFeatures } from "../../../src/engine/filter/check.ts";
import { filterApiError } from "../../../src/engine/filter/errors.ts";
import { evaluateFilter } from "../../../src/engine/filter/evaluate.ts";
import { type Filter, FilterEvaluationError } from "../../../src/engine/filter/filter.ts";
import { parseFilter } from "../../../src/engine/filter/parse.ts";
import { serializedMessage } from "../../../src/engine/filter/serialize.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";

import { columnsInPlace, contextOf, docidsOf, segmentOf, settingsWith, type TestSegment } from "./documents.ts";
import { passes, valuesAt } from "./oracle.ts";
import { documents, FIELDS, tree } from "./random-filters.ts";

/** The same documents in pieces of `size`. */
function spread(all: JsonObject[], size: number, live: boolean[]): TestSegment[] {
  const segments: TestSegment[] = [];
  for (let at = 0; at < all.length; at += size) {
    segments.push(segmentOf(all.slice(at, at + size), at, live.slice(at, at + size)));
  }
  return segments.length === 0 ? [segmentOf([])] : segments;
}

test("random filters over random documents agree with the oracle in 1, 3 and many segments", () => {
  const everything = settingsWith(FIELDS);
  fc.assert(
    fc.property(documents, tree, fc.infiniteStream(fc.boolean()), (all, text, deaths) => {
      const filter = parseFilter(text)!;
      const live = all.map(() => deaths.next().value as boolean);
      const known = (name: string): boolean =>
        all.some((document) => valuesAt(document, name).some(({ direct }) => direct));
      const expected = all.flatMap((document, docid) =>
        live[docid] && passes(filter, document, known) ? [docid] : [],
      );
      for (const size of [all.length || 1, Math.ceil(all.length / 3) || 1, 1]) {
        const segments = spread(all, size, live);
        const context = contextOf(segments, everything);
        assert.deepEqual(docidsOf(segments, evaluateFilter(filter, context)), expected, text);
      }
    }),
    { numRuns: 500 },
  );
});

test("filters find the same after others that share their conditions, which are kept", () => {
  const everything = settingsWith(FIELDS);
  const filters = fc.array(tree, { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(documents, filters, fc.infiniteStream(fc.boolean()), fc.boolean(), (all, texts, deaths, isWhole) => {
      const live = all.map(() => isWhole || (deaths.next().value as boolean));
      const plain = contextOf([segmentOf(all, 0, live)], everything);
      const segment = { ...segmentOf(all, 0, live, columnsInPlace), isWhole };
      for (const text of [...texts, ...texts]) {
        const filter = parseFilter(text)!;
        const [expected] = evaluateFilter(filter, plain);
        const [found] = evaluateFilter(filter, contextOf([segment], everything));
        assert.deepEqual([...found!.toArray()], [...expected!.toArray()], text);
      }
    }),
    { numRuns: 200 },
  );
});

// --- rules, errors, other parts --------------------------------------------------------------------------------------

const pets: JsonObject[] = [
  { id: 1, name: "Bobby", age: 3, _geo: { lat: 10, lng: 20 } },
  { id: 2, name: "Kefir", age: 5, _geo: { lat: "10", lng: 20.001 } },
  { id: 3, name: "Echo" },
  { id: 4, age: null, _geo: { lat: 0, lng: 179.5 } },
  { id: 5, _geo: { lat: 0, lng: -179.5 } },
];

function run(text: Json, settings = settingsWith(["name", "age", "_geo"])): number[] {
  const segments = [segmentOf(pets.slice(0, 2)), segmentOf(pets.slice(2), 2)];
  return docidsOf(segments, evaluateFilter(parseFilter(text)!, contextOf(segments, settings))).map(
    (docid) => docid + 1,
  );
}

function refusal(text: Json, settings = settingsWith(["name", "age", "_geo"])): FilterEvaluationError {
  try {
    run(text, settings);
  } catch (error) {
    assert.ok(error instanceof FilterEvaluationError, String(error));
    return error;
  }
  return assert.fail(`${JSON.stringify(text)} was applied`);
}

test("a field outside the rules is refused, wherever it stands", () => {
  const error = refusal("name = nobody AND colour = red");
  assert.equal(error.reason, "notFilterable");
  assert.match(error.message, /`colour`.*`_geo`, `age`, `name`/);
  assert.match(error.message, /\n19:25 name = nobody AND colour = red$/);
  assert.match(refusal("name = x", settingsWith([])).message, /does not have configured filterable/);
  assert.equal(filterApiError(error, "invalid_document_filter").code, "invalid_document_filter");
});

test("the first matching rule decides which operators may be used, once the field exists", () => {
  const only = (equality: boolean, comparison: boolean) =>
    settingsWith([
      { attributePatterns: ["a*"], features: { facetSearch: false, filter: { equality, comparison } } },
      "age",
    ]);
  assert.deepEqual(run("age = 3", only(true, false)), [1]);
  assert.deepEqual(run("age > 3", only(false, true)), [2]);
  assert.deepEqual(run("age EXISTS", only(false, true)), [1, 2, 4]);
  const error = refusal("age > 3", only(true, false));
  assert.equal(error.reason, "operatorNotAllowed");
  assert.equal(filterApiError(error, "invalid_document_filter").code, "invalid_search_filter");
  assert.equal(refusal("age 1 TO 2", only(true, false)).reason, "operatorNotAllowed");
  // The interface, features.filter.equality "enables `=`, `!=`, `IN`": what is refused is called by its own name.
  assert.match(refusal("age IN [1]", only(false, true)).message, /with `IN`/);
  assert.equal(refusal("age EXISTS", only(false, false)).reason, "notFilterable");
  const anything = { facetSearch: false, filter: { equality: true, comparison: false } };
  assert.deepEqual(run("absent > 3", settingsWith([{ attributePatterns: ["*"], features: anything }])), []);
  assert.deepEqual(run("age = 99 AND age > 3", only(true, false)), []);
});

test("circles and boxes keep the places inside, borders included", () => {
  assert.deepEqual(run("_geoRadius(10, 20, 0)"), [1]);
  assert.deepEqual(run("_geoRadius(10, 20, 200)"), [1, 2]);
  assert.deepEqual(run("NOT _geoRadius(10, 20, 200)"), [3, 4, 5]);
  assert.deepEqual(run("_geoBoundingBox([10, 20], [10, 20])"), [1]);
  assert.deepEqual(run("_geoBoundingBox([1, -179], [-1, 179])"), [4, 5]);
});

test("impossible geo arguments are refused at their place", () => {
  assert.match(refusal("_geoRadius(91, 0, 1)").message, /\n12:14 /);
  assert.match(refusal("_geoRadius(1, 190.5, 1)").message, /-169\.5.*\n15:20 /s);
  assert.match(refusal("_geoRadius(1, 2, 3, 2)").message, /\n21:22 /);
  assert.match(refusal("_geoBoundingBox([1, 2], [3, 1])").message, /\n26:27 /);
  assert.match(refusal("_geoRadius(1, 2, 3)", settingsWith(["name"])).message, /_geo\/_geojson/);
  assert.match(refusal("_geoPolygon([1, 2], [3, 4], [5, 6])").message, /_geojson/);
});

test("shapes meet circles, boxes and polygons", () => {
  const shapes: JsonObject[] = [
    { _geojson: { type: "Point", coordinates: [1, 1] } },
    {
      _geojson: {
        type: "LineString",
        coordinates: [
          [-5, 1],
          [5, 1],
        ],
      },
    },
    {
      _geojson: {
        type: "Polygon",
        coordinates: [
          [
            [-9, -9],
            [9, -9],
            [9, 9],
            [-9, 9],
            [-9, -9],
          ],
          [
            [-4, -4],
            [4, -4],
            [4, 4],
            [-4, 4],
            [-4, -4],
          ],
        ],
      },
    },
    {
      _geojson: {
        type: "Feature",
        geometry: {
          type: "MultiPoint",
          coordinates: [
            [50, 50],
            [179.9, 0],
          ],
        },
        properties: {},
      },
    },
    { _geojson: null },
    {},
  ];
  const segments = [segmentOf(shapes)];
  const met = (text: string): number[] =>
    docidsOf(segments, evaluateFilter(parseFilter(text)!, contextOf(segments, settingsWith(["_geojson"]))));
  assert.deepEqual(met("_geoPolygon([0,0],[0,2],[2,2],[2,0])"), [0, 1]);
  assert.deepEqual(met("_geoPolygon([0,0],[0,0.9],[0.9,0.9],[0.9,0])"), []);
  assert.deepEqual(met("_geoPolygon([6,6],[6,7],[7,7])"), [2]);
  assert.deepEqual(met("_geoBoundingBox([20,20],[-20,-20])"), [0, 1, 2]);
  assert.deepEqual(met("_geoBoundingBox([1,-179],[-1,179])"), [3]);
  assert.deepEqual(met("_geoRadius(0, -179.9, 50000)"), [3]);
  assert.deepEqual(met("_geoRadius(50, 50, 1000, 10)"), [3]);
  assert.deepEqual(met("NOT _geoBoundingBox([90,180],[-90,-180])"), [4, 5]);
});

test("operators of disabled features are refused with their place", () => {
  const gate = (text: string): ApiError => {
    try {
      checkFilterFeatures(parseFilter(text)!, defaultFeatures());
    } catch (error) {
      assert.ok(error instanceof ApiError);
      return error;
    }
    return assert.fail(text);
  };
  for (const [text, place] of [
    ["a != b AND a CONTAINS c", "14:22"],
    ["_vectors EXISTS", "1:9"],
    ["NOT _foreign(a, b = 1)", "5:23"],
    ["_shard = x", "1:7"],
  ] as const) {
    assert.equal(gate(text).code, "feature_not_enabled");
    assert.ok(gate(text).message.includes(`\n${place} `), gate(text).message);
  }
  checkFilterFeatures(parseFilter("a CONTAINS b")!, { ...defaultFeatures(), containsFilter: true });
});

test("vectors and foreign documents are asked from their owners, and no row is in a shard", () => {
  const segments = [segmentOf(pets)];
  const settings = settingsWith(["name"], {
    embedders: { main: { source: "rest", indexingFragments: { text: {} } } },
    foreignKeys: [{ foreignIndexUid: "owners", fieldName: "name" }],
  });
  const context = {
    ...contextOf(segments, settings),
    vectors: () => [Bitmap.of(5, [1, 2])],
    foreign: (_: unknown, filter: Filter) =>
      filter.kind === "exists" ? Array.from({ length: 101 }, String) : ["bobby", "Echo"],
  };
  const found = (text: string): number[] => docidsOf(segments, evaluateFilter(parseFilter(text)!, context));
  assert.deepEqual(found("_vectors.main EXISTS"), [1, 2]);
  assert.deepEqual(found("_vectors.main.fragments.text NOT EXISTS"), [0, 3, 4]);
  assert.deepEqual(found("_shard = here AND name EXISTS"), []);
  assert.deepEqual(found("_shard != here AND name EXISTS"), [0, 1, 2]);
  assert.deepEqual(found("_foreign(name, x = 1)"), [0, 2]);
  for (const [text, pattern] of [
    ["_vectors.mian EXISTS", /Did you mean `main`/],
    ["_vectors.main.fragments.nope EXISTS", /`text`/],
    ["_foreign(name, x EXISTS)", /more than 100/],
    ["_foreign(age, x = 1)", /not a foreign key/],
    ["_foreign(name, _foreign(name, x = 1))", /inside another/],
  ] as const) {
    assert.throws(() => found(text), pattern);
  }
});

test("search messages point into the canonical form", () => {
  const filter = parseFilter([["name = x", "colour = red"], "age > 1"])!;
  const segments = [segmentOf(pets)];
  assert.throws(
    () => evaluateFilter(filter, contextOf(segments, settingsWith(["name", "age"]))),
    (error: unknown) =>
      error instanceof FilterEvaluationError &&
      serializedMessage(error, filter).endsWith('\n21:29 (("name" = "x") OR ("colour" = "red")) AND ("age" > "1")'),
  );
});

test("very long lists are answered", () => {
  const many = Array.from({ length: 14_000 }, (_, i) => `age = ${i}`).join(" OR ");
  assert.deepEqual(run(many), [1, 2]);
  const all = Array.from({ length: 5_000 }, (_, i) => `age != ${i + 4}`).join(" AND ");
  assert.deepEqual(run(all), [1, 3, 4, 5]);
});
