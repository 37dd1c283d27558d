import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { ByteSink } from "../../../src/base/json/bytes.ts";
import type { JsonObject } from "../../../src/base/json/value.ts";
import { normalizeFacet } from "../../../src/base/text/normalize.ts";
import {
  decimalText,
  facetDistribution,
  shownFacets,
  writeFacetDistribution,
  writeFacetStats,
} from "../../../src/engine/answer/facets.ts";
import { topCounts } from "../../../src/engine/answer/top-counts.ts";
import { equalitiesOf } from "../../../src/engine/filter/equalities.ts";
import { evaluateFilter } from "../../../src/engine/filter/evaluate.ts";
import { parseFilter } from "../../../src/engine/filter/parse.ts";
import { filterContext } from "../../../src/engine/filter/select.ts";
import type { SegmentView } from "../../../src/storage/index/view.ts";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { closeIndexed, type Indexed, indexed } from "./indexed.ts";

/** Field to its values in order, as `value:count`. */
function counted(view: Indexed, facets: string[], candidates = view.everything): Record<string, string[]> {
  const found = facetDistribution(view, candidates, facets);
  return Object.fromEntries(
    found.map(({ field, values }) => [field, Array.from(values, ([value, count]) => `${value}:${count}`)]),
  );
}

function facetsOf(docs: Record<string, unknown>[], facets: string[], settings: JsonObject = {}, spread = 1) {
  const view = indexed(docs, { filterableAttributes: ["a", "b"], ...settings }, spread);
  const found = counted(view, facets);
  closeIndexed(view);
  return found;
}

describe("facet distribution", () => {
  it("groups spellings and shows that of the lowest document", () => {
    const docs = [
      { id: 0, a: "Blue" },
      { id: 1, a: "  blue" },
      { id: 2, a: ["RED", "blue"] },
    ];
    for (const spread of [1, 2, 3]) assert.deepEqual(facetsOf(docs, ["a"], {}, spread), { a: ["Blue:3", "RED:1"] });
  });

  it("counts a document once, however often it has a value", () => {
    const docs = [
      { id: 0, a: ["Red", "red", 1, 1] },
      { id: 1, a: ["red", " RED ", "x"] },
    ];
    for (const spread of [1, 2]) {
      const values = facetsOf(docs, ["a"], {}, spread)["a"]!.map((each) => each.toLowerCase().trim());
      assert.deepEqual(values, ["1:1", "red:2", "x:1"]);
    }
  });

  it("lists numbers by their text, then strings; booleans are strings", () => {
    const docs = [2, 10, 1.5, true, "b", "a", null, "", [], {}].map((a, id) => ({ id, a }));
    for (const spread of [1, 3]) {
      assert.deepEqual(facetsOf(docs, ["a"], {}, spread), { a: ["1.5:1", "10:1", "2:1", "a:1", "b:1", "true:1"] });
    }
  });

  it("lists numbers by size among many candidates", () => {
    const docs = Array.from({ length: 3001 }, (_, id) => ({ id, a: id % 11 }));
    const numbers = facetsOf(docs, ["a"])["a"]!.map((each) => each.split(":")[0]);
    assert.deepEqual(numbers, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    const fewer = facetsOf(docs.slice(1), ["a"])["a"]!.map((each) => each.split(":")[0]);
    assert.deepEqual(fewer.slice(0, 4), ["0", "1", "10", "2"]);
  });

  it("orders by count, later values first among equals", () => {
    const docs = ["x", "x", "y", "y", "z", 1, 2, 2].map((a, id) => ({ id, a }));
    const settings = { faceting: { sortFacetValuesBy: { a: "count" } } };
    for (const spread of [1, 2]) {
      assert.deepEqual(facetsOf(docs, ["a"], settings, spread), { a: ["2:2", "1:1", "y:2", "x:2", "z:1"] });
    }
  });

  it("has one budget for numbers and strings", () => {
    const docs = [{ id: 0, a: [1, 2, "x", "y"] }];
    const limited = (maxValuesPerFacet: number) => facetsOf(docs, ["a"], { faceting: { maxValuesPerFacet } });
    assert.deepEqual(limited(3), { a: ["1:1", "2:1", "x:1"] });
    assert.deepEqual(limited(1), { a: ["1:1"] });
    assert.deepEqual(limited(0), {});
  });

  it("gives a string that looks like a number the number's place and its own count", () => {
    const docs = [
      { id: 0, a: [1, "1", "0"] },
      { id: 1, a: ["1"] },
    ];
    assert.deepEqual(facetsOf(docs, ["a"]), { a: ["1:2", "0:1"] });
  });

  it("takes room for such a string only in the order of texts", () => {
    const docs = [
      { id: 0, a: [1, "1", "x", "y"] },
      { id: 1, a: ["1"] },
    ];
    const limited = (order: string, more: object[]) =>
      facetsOf([...docs, ...more] as JsonObject[], ["a"], {
        faceting: { maxValuesPerFacet: 3, sortFacetValuesBy: { a: order } },
      });
    assert.deepEqual(limited("alpha", []), { a: ["1:2", "x:1"] });
    assert.deepEqual(limited("count", []), { a: ["1:2", "y:1", "x:1"] });
    const others = Array.from({ length: 3000 }, (_, i) => ({ id: 2 + i }));
    assert.deepEqual(limited("alpha", others), { a: ["1:2", "x:1", "y:1"] });
  });

  it("takes names with all below them, patterns, and everything", () => {
    const docs = [{ id: 0, a: { x: 1, y: { z: "s" } }, b: "t", ab: "u", c: 3 }];
    const settings = { filterableAttributes: ["a", "ab", "b", { attributePatterns: ["c"], features: NO_FILTER }] };
    const names = (facets: string[]) => Object.keys(facetsOf(docs, facets, settings));
    assert.deepEqual(names(["a"]), ["a.x", "a.y.z"]);
    assert.deepEqual(names(["a.y"]), ["a.y.z"]);
    assert.deepEqual(names(["a.*"]), ["a.x", "a.y.z"]);
    assert.deepEqual(names(["a*"]), ["a.x", "a.y.z", "ab"]);
    assert.deepEqual(names(["b", "*"]), ["a.x", "a.y.z", "ab", "b"]);
    assert.deepEqual(names(["b", "a.nothing"]), ["b"]);
  });

  it("refuses what is not filterable", () => {
    const view = indexed([{ id: 0, a: 1, c: 2 }], {
      filterableAttributes: ["a", { attributePatterns: ["c"], features: NO_FILTER }],
    });
    for (const facets of [["id"], ["c"], ["a", "nobody"], ["x*"]]) {
      assert.throws(
        () => facetDistribution(view, view.everything, facets),
        (error) => error instanceof ApiError && error.code === "invalid_search_facets" && /`a`\.$/.test(error.message),
      );
    }
    closeIndexed(view);
  });

  it("counts candidates only, and tells the range of their numbers", () => {
    const docs = Array.from({ length: 100 }, (_, id) => ({ id, a: [id, `s${id}`], b: "x" }));
    const view = indexed(docs, { filterableAttributes: ["a", "b"] });
    const candidates = [Bitmap.of(100, [20, 30, 31])];
    assert.deepEqual(counted(view, ["*"], candidates), {
      a: ["20:1", "30:1", "31:1", "s20:1", "s30:1", "s31:1"],
      b: ["x:3"],
    });
    const found = facetDistribution(view, candidates, ["*"]);
    const out = new ByteSink();
    writeFacetStats(found, out);
    assert.equal(Buffer.from(out.view()).toString(), '{"a":{"min":20.0,"max":31.0}}');
    out.reset();
    writeFacetDistribution(facetDistribution(view, candidates, ["b"]), out);
    assert.equal(Buffer.from(out.view()).toString(), '{"b":{"x":3}}');
    assert.deepEqual(facetDistribution(view, [Bitmap.create(100)], ["*"]), []);
    closeIndexed(view);
  });

  it("agrees with a plain count, however documents are spread", () => {
    const value = fc.oneof(
      fc.constantFrom("red", "Red", " RED", "blue", "Bleu", "é", "e\u0301", "zoo", "1"),
      fc.constantFrom(1, 1.5, -3, 1e21),
      fc.boolean(),
    );
    // Which of two spellings in one document is shown is left open: here a document has one.
    const selector = (each: string | number | boolean) => `${typeof each === "number"} ${normalizeFacet(String(each))}`;
    const several = fc.uniqueArray(value, { maxLength: 4, selector });
    const docs = fc.array(fc.record({ a: fc.oneof(value, several), in: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(docs, fc.integer({ min: 1, max: 4 }), fc.constantFrom("alpha", "count"), (list, spread, order) => {
        const sortFacetValuesBy = { "*": order };
        const view = indexed(list, { filterableAttributes: ["a"], faceting: { sortFacetValuesBy } }, spread);
        const candidates = view.segments.map(({ rows }, segment) =>
          Bitmap.of(
            rows,
            Array.from({ length: rows }, (_, row) => row).filter((row) => list[row * spread + segment]!.in),
          ),
        );
        const found = facetDistribution(view, candidates, ["a"])[0];
        closeIndexed(view);
        assert.deepEqual(found?.values ?? new Map(), plainCount(list, order));
      }),
      { numRuns: 60 },
    );
  });
});

describe("facets of a field with one value in each document", () => {
  /** Stretches of documents with one value, as a filter on this field leaves them, and mixed ones between them. */
  const stretch = fc.record({
    values: fc.array(fc.constantFrom("x", "y", "z"), { minLength: 1, maxLength: 3 }),
    length: fc.integer({ min: 1, max: 200 }),
    takes: fc.constantFrom(1, 2, 3, 70),
  });

  it("agree with a plain count, for the same value in all rows of a word as for several", () => {
    fc.assert(
      fc.property(fc.array(stretch, { minLength: 1, maxLength: 6 }), fc.constantFrom("", "x", "y"), (parts, only) => {
        const list = parts.flatMap(({ values, length, takes }) =>
          Array.from({ length }, (_, i) => ({ a: values[i % values.length]!, in: i % takes === 0 })),
        );
        const view = indexed(list, { filterableAttributes: ["a"] });
        const chosen = list.flatMap((doc, row) => (doc.in && (only === "" || doc.a === only) ? [row] : []));
        const found = facetDistribution(view, [Bitmap.of(list.length, chosen)], ["a"])[0];
        closeIndexed(view);
        const expected = plainCount(
          chosen.map((row) => list[row]!),
          "alpha",
        );
        assert.deepEqual(found?.values ?? new Map(), expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe("facets written by compiled code", () => {
  const json = (facets: Parameters<typeof writeFacetDistribution>[0]): string => {
    const out = new ByteSink();
    writeFacetDistribution(facets, out);
    writeFacetStats(facets, out);
    return Buffer.from(out.view()).toString();
  };

  it("are the same bytes as those that are counted and written one by one", () => {
    const text = fc.oneof(
      fc.constantFrom("red", "Red", " RED", "RED ", "é", "É", "e\u0301", "日本", "zoo", "Zoo", "a b"),
      fc.nat({ max: 400 }).map((n) => (n % 2 === 0 ? `v${n}` : `V${n - 1}`)),
    );
    const odd = fc.constantFrom<string | number | boolean>('a"b', "a\\b", "line\n", 1, 2.5, true);
    const value = fc.oneof({ arbitrary: text, weight: 30 }, { arbitrary: odd, weight: 1 });
    const doc = fc.record({
      a: fc.oneof(value, fc.array(value, { maxLength: 4 })),
      b: fc.option(text),
      in: fc.boolean(),
    });
    const docs = fc.array(doc, { minLength: 1, maxLength: 120 });
    const limit = fc.constantFrom(100, 3, 1, 0);
    fc.assert(
      fc.property(docs, fc.constantFrom(1, 1, 2), limit, (list, spread, maxValuesPerFacet) => {
        const view = indexed(list, { filterableAttributes: ["a", "b"], faceting: { maxValuesPerFacet } }, spread);
        const candidates = view.segments.map(({ rows }, segment) => {
          const all = Array.from({ length: rows }, (_, row) => row);
          return Bitmap.of(
            rows,
            all.filter((row) => list[row * spread + segment]!.in),
          );
        });
        const expected = json(facetDistribution(view, candidates, ["*"]));
        assert.equal(json(shownFacets(view, candidates, ["*"])), expected);
        closeIndexed(view);
      }),
      { numRuns: 150 },
    );
  });

  it("are the same where the filter tells what they must be", () => {
    const value = fc.constantFrom<string | number | boolean>(
      "red",
      "red",
      "Red ",
      "Red ",
      "blue",
      'b"',
      "é",
      1,
      "1",
      2.5,
      true,
    );
    const doc = fc.record({ a: fc.oneof({ arbitrary: value, weight: 30 }, { arbitrary: fc.array(value), weight: 1 }) });
    // Few, so that spellings differ between segments rather than within one.
    const docs = fc.oneof(...[6, 40].map((maxLength) => fc.array(doc, { minLength: 1, maxLength })));
    const filter = fc.tuple(value, fc.constantFrom("", " AND a EXISTS", " AND a = red", " OR a = 1", " AND NOT a = 2"));
    const order = fc.constantFrom("alpha", "count");
    let told = 0;
    fc.assert(
      fc.property(docs, fc.constantFrom(1, 2, 3), filter, order, (list, spread, [operand, more], sortFacetValuesBy) => {
        const update = { filterableAttributes: ["a"], faceting: { sortFacetValuesBy: { a: sortFacetValuesBy } } };
        const view = indexed(list, update, spread);
        const parsed = parseFilter(`a = ${JSON.stringify(String(operand))}${more}`)!;
        const equalities = equalitiesOf(parsed);
        const passing = evaluateFilter(parsed, filterContext(view.settings, view.segments as SegmentView[]));
        const rows = passing.map((own) => own.copy());
        // A search finds some of them.
        for (const own of rows) if (own.count() > 3) own.clear(own.next(0));
        told += equalities.length;
        assert.equal(json(shownFacets(view, rows, ["a"], equalities)), json(facetDistribution(view, rows, ["a"])));
        closeIndexed(view);
      }),
      { numRuns: 300 },
    );
    assert.notEqual(told, 0);
  });

  it("are what a search over one segment gets, unless a text needs escapes or is too long", () => {
    const view = indexed(
      ["Red", "red", "blue", 'q"', "x".repeat(500)].map((a, id) => ({ id, a })),
      { filterableAttributes: ["a"] },
    );
    const isWritten = (rows: number[]): boolean => "members" in shownFacets(view, [Bitmap.of(5, rows)], ["a"])[0]!;
    assert.equal(isWritten([0, 1, 2]), true);
    assert.equal(json(shownFacets(view, [Bitmap.of(5, [0, 1, 2])], ["a"])), '{"a":{"blue":1,"Red":2}}{}');
    assert.equal(isWritten([0, 3]), false);
    assert.equal(isWritten([0, 1, 2, 3, 4]), false, "all rows: their counts are kept");
    closeIndexed(view);
    const long = Array.from({ length: 300 }, (_, id) => ({ id, a: `${id}${"x".repeat(400)}` }));
    const wide = indexed(long, { filterableAttributes: ["a"], faceting: { maxValuesPerFacet: 300 } });
    const most = [
      Bitmap.of(
        300,
        Array.from({ length: 299 }, (_, row) => row),
      ),
    ];
    assert.equal("members" in shownFacets(wide, most, ["a"])[0]!, false);
    assert.equal(json(shownFacets(wide, most, ["a"])), json(facetDistribution(wide, most, ["a"])));
    closeIndexed(wide);
  });
});

const NO_FILTER = { facetSearch: true, filter: { equality: false, comparison: false } };

/** Values in order, counted document by document. */
function plainCount(docs: readonly { a: unknown; in: boolean }[], order: string): Map<string, number> {
  const numbers = new Map<number, number>();
  const strings = new Map<string, { text: string; count: number }>();
  for (const doc of docs.filter((each) => each.in)) {
    const values = [doc.a].flat();
    for (const each of new Set(values.filter((value) => typeof value === "number"))) {
      numbers.set(each, (numbers.get(each) ?? 0) + 1);
    }
    for (const text of values.filter((value) => typeof value !== "number").map(String)) {
      const known = strings.get(normalizeFacet(text));
      if (known === undefined) strings.set(normalizeFacet(text), { text, count: 1 });
      else known.count++;
    }
  }
  const listedNumbers = [...numbers].map(([value, count]) => ({ text: decimalText(value), key: value, count }));
  const listed = [...strings].map(([key, { text, count }]) => ({ text, key, count }));
  if (order === "count") {
    listedNumbers.sort((a, b) => b.count - a.count || b.key - a.key);
    listed.sort((a, b) => b.count - a.count || byBytes(b.key, a.key));
  } else {
    listedNumbers.sort((a, b) => (a.text < b.text ? -1 : 1));
    listed.sort((a, b) => byBytes(a.key, b.key));
  }
  return new Map([...listedNumbers, ...listed].map(({ text, count }) => [text, count]));
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe("highest counts", () => {
  it("are those of a sorted list", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 })), fc.integer({ min: 0, max: 12 }), (counts, limit) => {
        const sorted = counts.map((_, i) => i).sort((a, b) => counts[b]! - counts[a]! || b - a);
        assert.deepEqual(topCounts(counts, limit), sorted.slice(0, limit));
      }),
    );
  });
});

describe("numbers as text", () => {
  it("never have an exponent and read back the same", () => {
    const cases: [number, string][] = [
      [1, "1"],
      [1.5, "1.5"],
      [-0.5, "-0.5"],
      [1e21, "1000000000000000000000"],
      [-1.25e22, "-12500000000000000000000"],
      [1.5e-7, "0.00000015"],
      [-2e-10, "-0.0000000002"],
    ];
    for (const [value, text] of cases) assert.equal(decimalText(value), text);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimalText(value);
        assert.match(text, /^-?\d+(\.\d+)?$/);
        assert.ok(Object.is(Number(text), value));
      }),
    );
  });
});
