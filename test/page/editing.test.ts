/** What the page works out when things are changed: pieces of files, differences of settings. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { settingSchemas } from "../../src/base/contract/settings.ts";
import { type Format, formatOf, Pieces } from "../../src/page/documents/pieces.ts";
import { SETTINGS } from "../../src/page/settings/descriptions.ts";
import { changesBetween, diffLines, diffValues } from "../../src/page/settings/diff.ts";
import { readLines } from "../../src/page/settings/lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (piece: Uint8Array): string => new TextDecoder().decode(piece);

function cut(format: Format, content: string, bytesMax: number, step: number): string[] {
  const pieces = new Pieces(format, bytesMax);
  const whole = bytes(content);
  const cuts: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += step) cuts.push(...pieces.add(whole.subarray(at, at + step)));
  return [...cuts, ...pieces.end()].map(text);
}

test("names are read line by line, or from a list in JSON once it is whole", () => {
  assert.deepEqual(readLines(""), []);
  assert.deepEqual(readLines("year\ngenre"), ["year", "genre"]);
  assert.deepEqual(readLines('["year", {"attributePatterns": ["a*"]}]'), ["year", { attributePatterns: ["a*"] }]);
  assert.deepEqual(readLines('["year'), ['["year']);
});

test("lines of NDJSON stay whole, and all of them are there", () => {
  const lines = fc.array(fc.string({ maxLength: 12 }).map((line) => `"${line.replaceAll("\n", " ")}"\n`));
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 70 }), (all, bytesMax, step) => {
      const pieces = cut("ndjson", all.join(""), bytesMax, step);
      assert.equal(pieces.join(""), all.join(""));
      for (const piece of pieces) assert.ok(piece.endsWith("\n"), piece);
    }),
  );
});

test("records of CSV stay whole, newlines in quotes and all, and every piece has the head", () => {
  const cell = fc.constantFrom("a", '"b ""c"""', '"two\nlines"', "", "42");
  const records = fc.array(fc.tuple(cell, cell).map((cells) => `${cells.join(",")}\n`));
  const head = '"the\nid",name\n';
  fc.assert(
    fc.property(records, fc.integer({ min: 16, max: 80 }), fc.integer({ min: 1, max: 90 }), (all, bytesMax, step) => {
      const pieces = cut("csv", head + all.join(""), bytesMax, step);
      for (const piece of pieces) assert.ok(piece.startsWith(head), piece);
      assert.equal(pieces.map((piece) => piece.slice(head.length)).join(""), all.join(""));
      const sizes = pieces.slice(0, -1).map((piece) => piece.length - head.length);
      for (const size of sizes) assert.ok(size <= bytesMax + 40, `${size} bytes`);
    }),
  );
});

test("a file of JSON stays whole, and other files are none of documents", () => {
  assert.deepEqual(cut("json", "[1,\n2,\n3]", 2, 3), ["[1,\n2,\n3]"]);
  assert.deepEqual(["a.JSON", "a.jsonl", "a.csv", "a.txt", "csv"].map(formatOf), ["json", "ndjson", "csv", null, null]);
});

test("a difference gives back both sides, and nothing more goes or comes than must", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      const without = (kind: string) => diff.filter((line) => line.kind !== kind).map((line) => line.text);
      assert.deepEqual(without("new"), before);
      assert.deepEqual(without("gone"), after);
      assert.equal(diff.filter(({ kind }) => kind === "same").length, longestCommon(before, after));
    }),
  );
});

/** By trying everything. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [first, ...rest] = a;
  const at = b.indexOf(first!);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

test("only what changed is saved", () => {
  const saved = { stopWords: ["a"], facetSearch: true, synonyms: { a: ["b"] } };
  assert.deepEqual(changesBetween(saved, { stopWords: ["a"], facetSearch: null }), [
    { name: "facetSearch", before: true, after: null },
  ]);
  assert.deepEqual(diffValues(["a"], ["b"]), [
    { kind: "same", text: "[" },
    { kind: "gone", text: '  "a"' },
    { kind: "new", text: '  "b"' },
    { kind: "same", text: "]" },
  ]);
});

test("every setting of the interface has a form, and no other", () => {
  const own = [...SETTINGS.map(({ name }) => name), "embedders"];
  assert.deepEqual(own.sort(), Object.keys(settingSchemas).sort());
});
