/** The filter language: what reads, what does not, and where the message points. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../../src/base/json/value.ts";
import { type Filter, FilterSyntaxError } from "../../../src/engine/filter/filter.ts";
import { parseFilter } from "../../../src/engine/filter/parse.ts";
import { serializeFilter } from "../../../src/engine/filter/serialize.ts";

function read(input: Json): string | null {
  const filter = parseFilter(input);
  return filter === null ? null : serializeFilter(filter);
}

function problem(input: Json): FilterSyntaxError {
  try {
    parseFilter(input);
  } catch (error) {
    assert.ok(error instanceof FilterSyntaxError, String(error));
    return error;
  }
  return assert.fail(`${JSON.stringify(input)} was read`);
}

const refused = (input: Json): string => `${problem(input).kind} ${problem(input).location}`;

test("every kind of condition is read", () => {
  for (const [text, canonical] of [
    ["a=1", '"a" = "1"'],
    ["a >= -1.5", '"a" >= "-1.5"'],
    ["'a b' != \"c\"", '"a b" != "c"'],
    ["a.b 1 TO 2", '"a.b" "1" TO "2"'],
    ["a IN[]", '"a" IN []'],
    ["a NOT IN [x, 'y z',]", 'NOT ("a" IN ["x", "y z"])'],
    ["a EXISTS", '"a" EXISTS'],
    ["a NOT  EXISTS", 'NOT ("a" EXISTS)'],
    ["a IS NULL", '"a" IS NULL'],
    ["a IS  NOT  EMPTY", 'NOT ("a" IS EMPTY)'],
    ["a CONTAINS b", '"a" CONTAINS "b"'],
    ["a NOT STARTS WITH b", 'NOT ("a" STARTS WITH "b")'],
    ["_geoRadius(1, +2.5 ,1e3)", "_geoRadius(1, +2.5, 1e3)"],
    ["_geoRadius(1,2,3,4)", "_geoRadius(1, 2, 3, 4)"],
    ["_geoBoundingBox([1,2],[3, 4])", "_geoBoundingBox([1, 2], [3, 4])"],
    ["_geoPolygon([1,2],[3,4],[5,6],)", "_geoPolygon([1, 2], [3, 4], [5, 6])"],
    ["_vectors NOT EXISTS", "NOT (_vectors EXISTS)"],
    ["_vectors.e.userProvided EXISTS", '_vectors."e".userProvided EXISTS'],
    ["_vectors.'a.b'.fragments.f EXISTS", '_vectors."a.b".fragments."f" EXISTS'],
    ["_foreign(a, b = 1 OR c = 2)", '_foreign("a", ("b" = "1") OR ("c" = "2"))'],
    ["_shard = s", '"_shard" = "s"'],
    ["été = ÉTÉ", '"été" = "ÉTÉ"'],
    ["and = null", '"and" = "null"'],
  ] as const) {
    assert.equal(read(text), canonical);
  }
});

test("NOT binds before AND, AND before OR, and two NOTs are none", () => {
  assert.equal(read("NOT a=1 AND b=2 OR c=3"), '((NOT ("a" = "1")) AND ("b" = "2")) OR ("c" = "3")');
  assert.equal(read("NOT(NOT a = 1)"), '"a" = "1"');
  assert.equal(read("(a = 1)OR(b = 2)"), '("a" = "1") OR ("b" = "2")');
});

test("arrays are AND outside and OR inside; blank pieces say nothing", () => {
  assert.equal(read([["a=1", " ", "b=2"], "c=3", []]), '(("a" = "1") OR ("b" = "2")) AND ("c" = "3")');
  for (const nothing of [null, "  ", [], [[]], [" ", [""]]]) assert.equal(read(nothing), null);
  for (const wrong of [true, 5, { a: 1 }, [5], [null], [["a=1", ["b=2"]]], ["a = 1", {}]]) {
    assert.equal(problem(wrong).kind, "Shape");
  }
});

test("quotes protect, escapes are undone", () => {
  const value = (text: string): string => (parseFilter(text) as Extract<Filter, { kind: "compare" }>).value.text;
  assert.equal(value(String.raw`a = 'it\'s "so"'`), `it's "so"`);
  assert.equal(value(String.raw`a = "\\ \n \x41 \u0042 \u{1F600} \103"`), "\\ \n A B 😀 C");
  assert.equal(value("a = 'AND'"), "AND");
  assert.equal(value("a = ''"), "");
  assert.equal(refused(String.raw`a = 'x\q'`), "MalformedValue 6:9");
  assert.equal(refused(String.raw`a = 'x\u00zz'`), "InvalidEscapedNumber 6:13");
  assert.equal(refused(String.raw`a = 'x\x4'`), "Incomplete 6:10");
  assert.equal(refused(String.raw`a = 'x\u{110000}'`), "MalformedValue 6:17");
  assert.equal(refused("a = 'b\\"), "MalformedValue 6:8");
});

test("a refusal names its kind and its columns", () => {
  for (const [text, expected] of [
    ["a = b c", "ExpectedEof 7:8"],
    ["a EXISTS ", "ExpectedEof 9:10"],
    ["a = 1)", "ExpectedEof 6:7"],
    ["a = 1 and b = 2", "ExpectedEof 7:16"],
    ["a = ", "ExpectedValue 5:5"],
    ["a == 1", "ExpectedValue 4:4"],
    ["a = 🐻 AND b = 1", "ExpectedValue 5:6"],
    ["a = IN", "ExpectedValueReserved 5:7"],
    ["NOT = 1", "InvalidPrimary 5:8"],
    ["a = 1 OR", "InvalidPrimary 9:9"],
    ["()", "InvalidPrimary 2:3"],
    ["🐻🐻 a BETWEEN 1", "InvalidPrimary 1:15"],
    ["a STARTS  WITH b", "InvalidPrimary 1:17"],
    ["(a = 1", "MissingClosingDelimiter 1:7"],
    ["a = 'x", "MissingClosingDelimiter 5:7"],
    ["a IN b", "InOpeningBracket 6:7"],
    ["a IN [b", "InClosingBracket 8:8"],
    ["a IN [b c]", "InExpectedValue 9:11"],
    ["a IN [b, AND]", "InExpectedValue 10:14"],
    ["_geoRadius (1,2,3)", "GeoRadius 11:19"],
    ["_geoRadius(1,2)", "GeoRadiusArgumentCount 16:16"],
    ["_geoBoundingBox([1,2])", "GeoBoundingBox 23:23"],
    ["_geoPolygon([1,2],[3,4])", "GeoPolygonNotEnoughPoints 22:23"],
    ["_geoPolygon([1,2],[3],[5,6])", "GeoCoordinatesNotPair 20:21"],
    ["_geoPolygon([1,2],[3,4],[5,x])", "GeoPolygon 25:31"],
    ["_geo = 1", "ReservedGeo 1:9"],
    ["a = _geoPoint(1,2)", "ReservedGeo 5:19"],
    ["a = _geoBoundingBox([1,2],[3,4])", "MisusedGeoBoundingBox 5:33"],
    ["_vectors.e.nope EXISTS", "VectorFilterUnknownSuffix 12:16"],
    ["_vectors..a EXISTS", "VectorFilterInvalidEmbedder 10:19"],
    ["_vectors.e.fragments EXISTS", "VectorFilterMissingFragment 21:28"],
    ["_vectors.e = 1 AND _vectors.e x", "VectorFilterOperation 31:32"],
    ["_foreign(a)", "Foreign 11:12"],
    ["_foreign(a, b = 1", "Foreign 18:18"],
  ] as const) {
    assert.equal(refused(text), expected, text);
  }
});

test("the message shows the place on a line of its own, counted from the last line break", () => {
  const error = problem("a = 1 AND\nb == 'é\n'");
  assert.equal(error.message.split("\n")[1], "4:4 a = 1 AND");
  assert.equal(problem("é = 1 x").message.split("\n")[1], "7:8 é = 1 x");
});

test("nesting is bounded, length is not", () => {
  const parentheses = (count: number): string => `${"(".repeat(count)}x = 1${")".repeat(count)}`;
  assert.ok(parseFilter(parentheses(36)));
  assert.equal(problem(parentheses(37)).kind, "DepthLimitReached");
  assert.ok(parseFilter(`${"NOT ".repeat(147)}x = 1`));
  assert.equal(refused(`${"NOT ".repeat(199)}x = 1`), "DepthLimitReached 597:802");
  assert.equal(problem("(".repeat(100_000)).kind, "DepthLimitReached");
  assert.equal(problem("NOT ".repeat(100_000)).kind, "DepthLimitReached");
  assert.equal(problem("_foreign(a, ".repeat(10_000)).kind, "DepthLimitReached");
  assert.ok(parseFilter(Array.from({ length: 14_000 }, (_, i) => `a = ${i}`).join(" OR ")));
  assert.ok(parseFilter(Array.from({ length: 5_000 }, (_, i) => `a != ${i}`).join(" AND ")));
  assert.ok(parseFilter(Array.from({ length: 3_000 }, (_, i) => `a != ${i}`)));
});

test("any text is either read or refused with a place inside it", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "a",
      "'b",
      '"',
      "AND",
      "OR ",
      " NOT ",
      "IN",
      "[",
      "]",
      ",",
      "(",
      ")",
      "=",
      ">",
      "TO",
      "IS NULL",
      " ",
    ),
    fc.constantFrom(
      "EXISTS",
      "_geoRadius(",
      "_geoPolygon([",
      "_vectors.",
      "_foreign(",
      "1.5",
      "\\",
      "\\u{",
      "CONTAINS",
      "😀",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      try {
        parseFilter(text);
      } catch (error) {
        assert.ok(error instanceof FilterSyntaxError, String(error));
        const [start, end] = error.location!.split(":").map(Number);
        assert.ok(start! >= 1 && end! >= start! && end! <= [...text].length + 1);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the canonical form reads back as the same filter", () => {
  const name = fc.string({ minLength: 1, maxLength: 6 });
  const quote = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;
  const condition = fc.tuple(name, fc.constantFrom("=", "!=", "<", "CONTAINS", "STARTS WITH"), name);
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), fc.boolean(), (conditions, any) => {
      const text = conditions.map(([a, op, b]) => `${quote(a)} ${op} ${quote(b)}`).join(any ? " OR " : " AND ");
      const canonical = read(text)!;
      assert.equal(read(canonical), canonical);
    }),
  );
});
