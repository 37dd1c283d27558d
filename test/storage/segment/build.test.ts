import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { leaveWorkshop } from "../../../src/storage/segment/extract/workshop.ts";
import { mergeSegments } from "../../../src/storage/segment/merge.ts";
import { NO_ROW, PostingsCursor } from "../../../src/storage/segment/postings/cursor.ts";
import { TermEntry } from "../../../src/storage/segment/terms/reader.ts";
import { documents } from "./documents.ts";
import { build, type Doc, dump, EVERYTHING, index, open, rowsOf, write } from "./support.ts";

function positionsOf(docs: Doc[], rules = EVERYTHING): Record<string, string[]> {
  return Object.fromEntries(dump(open(write(build(rowsOf(docs), rules)))));
}

test("words of a text keep their distances", () => {
  assert.deepEqual(positionsOf([{ t: "the quick. Brown fox" }]), {
    the: ["0 t 0"],
    quick: ["0 t 1"],
    brown: ["0 t 9"],
    fox: ["0 t 10"],
  });
});

test("elements of a top-level array begin at 0 and stand 8 apart", () => {
  assert.deepEqual(positionsOf([{ t: ["doggo", null, "catto", "", "birdo"] }]), {
    doggo: ["0 t 0"],
    catto: ["0 t 16"],
    birdo: ["0 t 32"],
  });
});

test("an array below a key counts as a visit before its elements", () => {
  assert.deepEqual(positionsOf([{ a: { t: ["doggo", "catto"] } }]), { doggo: ["0 a.t 8"], catto: ["0 a.t 16"] });
});

test("a literal dotted key and a nested one are one field", () => {
  const doc = { doggo: { name: "doggo", age: 10 }, "doggo.name": ["doggo", "catto"] };
  assert.deepEqual(positionsOf([doc]), {
    "10": ["0 doggo.age 0"],
    doggo: ["0 doggo.name 0", "0 doggo.name 8"],
    catto: ["0 doggo.name 16"],
  });
});

test("numbers are indexed as written, booleans as words, null and containers not at all", () => {
  assert.deepEqual(positionsOf([{ n: -12.5, b: true, c: false, d: null, e: {}, f: [] }]), {
    "12": ["0 n 0"],
    "5": ["0 n 1"],
    true: ["0 b 0"],
    false: ["0 c 0"],
  });
});

test("stop words take a position; the next value counts from the last indexed word", () => {
  const rules = { ...EVERYTHING, stopWords: ["the", "of"] };
  assert.deepEqual(positionsOf([{ t: ["the end of the", "story"] }], rules), { end: ["0 t 1"], story: ["0 t 9"] });
});

test("only listed fields and what is below them are searchable, reserved ones never", () => {
  const rules = { ...EVERYTHING, searchable: ["a", "b.c", "_geo", "_vectors"] };
  const doc = { a: { x: "one" }, b: { c: "two", d: "three" }, ab: "four", _geo: { lat: 1 }, _vectors: { m: [1] } };
  assert.deepEqual(positionsOf([doc], rules), { one: ["0 a.x 0"], two: ["0 b.c 0"] });
});

test("positions end at 65535", () => {
  const word = "w ".repeat(65_530);
  const found = positionsOf([{ t: [`${word}last`, "next"], u: [`${"w. ".repeat(8190)}x`, "y", "z"] }]);
  assert.deepEqual(found["last"], ["0 t 65530"]);
  assert.equal(found["next"], undefined);
  assert.deepEqual(found["x"], ["0 u 65520"]);
  assert.deepEqual(found["y"], ["0 u 65528"]);
  assert.equal(found["z"], undefined);
});

test("escapes are read as the text they stand for", () => {
  const doc = JSON.parse('{"t":"a\\nb\\u00e9\\ud83d\\ude00 \\"c\\" \\u0064"}') as Doc;
  assert.deepEqual(dump(open(write(build(rowsOf([doc]))))), index(rowsOf([doc])).occurrences);
});

test("any documents are indexed as the plain indexer does", () => {
  fc.assert(
    fc.property(documents, (docs) => {
      const rows = rowsOf(docs.map((doc, i) => ({ ...doc, id: i })));
      const reader = open(write(build(rows)));
      const expected = index(rows);
      assert.deepEqual(dump(reader), expected.occurrences);
      for (const [row, { docid }] of rows.entries()) {
        for (const [field, name] of reader.fields.entries()) {
          const count = expected.wordCounts.get(`${docid} ${name}`) ?? 0;
          assert.equal(reader.fieldLengths.wordCount(row, field), count > 30 ? 0 : count);
        }
      }
      rows.forEach(({ doc }, row) => {
        assert.deepEqual(JSON.parse(Buffer.from(reader.readDocument(row)).toString()), JSON.parse(JSON.stringify(doc)));
      });
      reader.close();
    }),
    { numRuns: 200 },
  );
});

test("a word in thousands of fields of one document takes one set of fields, in whatever order they come", () => {
  const fields = Array.from({ length: 5000 }, (_, i) => `f${(i * 3001) % 5000}`);
  const doc = Object.fromEntries(fields.map((name) => [name, "river bank river"]));
  const rows = rowsOf([{ f7: "bank" }, doc, { f9: "river", f3: "bank river" }]);
  const reader = open(write(build(rows)));
  assert.deepEqual(dump(reader), index(rows).occurrences);
  const { setFields, setOffsets } = reader.postings.fields;
  const sizes = [...setOffsets.subarray(1)].map((end, set) => end - setOffsets[set]!);
  assert.deepEqual(sizes, [1, 5000, 1, 2]);
  assert.deepEqual(
    setFields.subarray(1, 5001),
    Uint16Array.from({ length: 5000 }, (_, i) => i),
  );
  reader.close();
});

test("a word of many rows can be sought, counted and gathered by field", () => {
  const rows = rowsOf(
    Array.from({ length: 3000 }, (_, i) => ({
      common: "everywhere",
      third: i % 3 === 0 ? "shared" : "",
      rare: i % 50 === 7 ? "shared everywhere shared" : "",
    })),
  );
  const reader = open(write(build(rows)));
  const cursor = new PostingsCursor(reader.postings);
  const entry = new TermEntry();
  const places = new Uint32Array(16);
  const rowsWith = (term: string, sets: Uint8Array | null) => {
    const found: number[] = [];
    reader.terms.entry(reader.terms.find(Buffer.from(term)), entry);
    cursor.open(entry);
    for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
      if (sets === null || sets[cursor.fieldSet()] === 1) found.push(row);
    }
    return found;
  };
  for (const [term, holds] of [
    ["everywhere", () => true],
    ["shared", (i: number) => i % 3 === 0 || i % 50 === 7],
  ] as const) {
    reader.terms.entry(reader.terms.find(Buffer.from(term)), entry);
    const members = rows.map(({ docid }) => docid).filter(holds);
    assert.equal(entry.docCount, members.length);
    for (const step of [1, 2, 5, 40, 129, 700]) {
      cursor.open(entry);
      for (let target = 0; target < rows.length + step; target += step) {
        const expected = members.find((row) => row >= target);
        const row = cursor.seek(target);
        assert.equal(row < rows.length ? row : undefined, expected);
        if (expected === undefined) continue;
        assert.equal(cursor.index, members.indexOf(expected));
        const found = [...places.subarray(0, cursor.places(places))].map(
          (p) => `${reader.fields[p >>> 16]} ${p & 0xffff}`,
        );
        const rare = row % 50 === 7;
        const shared = [...(rare ? ["rare 0", "rare 2"] : []), ...(row % 3 === 0 ? ["third 0"] : [])];
        assert.deepEqual(found, term === "shared" ? shared : ["common 0", ...(rare ? ["rare 1"] : [])]);
      }
    }
    assert.deepEqual(rowsWith(term, null), members);
  }
  const sets = reader.postings.setsWithFields([reader.fieldTable.idOf("rare")]);
  assert.deepEqual(
    rowsWith("shared", sets),
    rows.map(({ docid }) => docid).filter((i) => i % 50 === 7),
  );
});

test("external ids of any kind are found, others are not", () => {
  const kinds = [
    ["3", "1", "4294967295", "2"],
    ["1", "2", "10", "4294967295"],
    ["4294967296", "18446744073709551615", "-5", "007", "0"],
    ["a", "b_-", "1", "x".repeat(511)],
  ];
  for (const ids of kinds) {
    const rows = ids.map((id, docid) => ({ docid: docid * 3, id, doc: { id } }));
    const reader = open(write(build(rows)));
    ids.forEach((id, row) => {
      assert.equal(reader.findRow(id), row);
      assert.equal(reader.externalId(row), id);
      assert.equal(reader.findDocid(row * 3), row);
    });
    for (const other of ["", "5", "00", "01", "zzz", "1.0"]) assert.equal(reader.findRow(other), ids.indexOf(other));
    assert.equal(reader.findDocid(1), -1);
  }
  const many = Array.from({ length: 70_000 }, (_, i) => ({ docid: i, id: `k${(i * 7919) % 70_000}`, doc: {} }));
  const reader = open(write(build(many)));
  for (let i = 0; i < many.length; i += 97) assert.equal(reader.findRow(many[i]!.id), i);
  assert.equal(reader.findRow("k70000"), -1);
});

test("a segment without documents is a segment", () => {
  const reader = open(write(build([])));
  assert.equal(reader.rows, 0);
  assert.equal(reader.terms.count, 0);
  assert.equal(reader.terms.find(Buffer.from("x")), -1);
  assert.deepEqual(reader.terms.prefixRange(Buffer.from("x")), { from: 0, to: 0 });
  assert.equal(reader.findRow("1"), -1);
  assert.deepEqual(reader.columns.fields(), []);
});

test("faceted values, null, empty and presence", () => {
  const rules = { ...EVERYTHING, searchable: [], facetedTrees: ["a"], facetedPatterns: ["p*"], facetedNames: ["n"] };
  const docs = [
    { a: { b: [1, "Two", true, null, [2.5], "", {}] }, n: null, p1: "", other: "x" },
    { a: [{ b: null }, { b: [] }], n: [null], p1: {} },
    { "a.b": "", n: 0, q: 1 },
  ];
  const reader = open(write(build(rowsOf(docs), rules)));
  const column = (name: string) => {
    const { exists, nullRows, emptyRows } = reader.columns.column(name)!;
    return [exists, nullRows, emptyRows].map((rows) => [...rows.toBitmap().toArray()]);
  };
  assert.deepEqual(reader.columns.fields().sort(), ["a", "a.b", "n", "p1"]);
  assert.deepEqual(column("a"), [[0, 1], [], []]);
  assert.deepEqual(column("a.b"), [[0, 1, 2], [1], [1, 2]]);
  assert.deepEqual(column("n"), [[0, 1, 2], [0], []]);
  assert.deepEqual(column("p1"), [[0, 1], [], [0, 1]]);
  const nested = reader.columns.column("a.b")!;
  assert.deepEqual(nested.numbersOf(0), [1, 2.5]);
  assert.deepEqual(
    nested
      .stringsOf(0)
      .map(({ original }) => original)
      .sort(),
    ["Two", "true"],
  );
  assert.deepEqual(reader.columns.column("n")!.numbersOf(2), [0]);
  assert.equal(reader.terms.count, 0);
});

test("many fields in many combinations, keys in any order", () => {
  const docs = Array.from({ length: 400 }, (_, i) => {
    const keys = Array.from({ length: 40 }, (_, k) => k).filter((k) => (i * 31 + k * k * 7 + k * i) % 5 < 2);
    if (i % 3 === 0) keys.reverse();
    return Object.fromEntries(keys.map((k) => [`k${k}`, k % 4 === 0 ? "same same" : `same v${i % 17}`]));
  });
  const rows = rowsOf(docs);
  assert.deepEqual(dump(open(write(build(rows)))), index(rows).occurrences);
});

test("more fields than an index may have fail the build", () => {
  const doc = Object.fromEntries(Array.from({ length: 65_536 }, (_, i) => [`f${i}`, "x"]));
  assert.throws(
    () => build(rowsOf([doc])),
    (error) => error instanceof ApiError && error.code === "max_fields_limit_exceeded",
  );
});

test("bad coordinates fail the build only when coordinates are wanted", () => {
  const rules = { ...EVERYTHING, geo: true };
  const attempt = (geo: unknown) => () => build(rowsOf([{ id: 1, _geo: geo }]), rules);
  for (const good of [null, { lat: 1, lng: "2.5" }, { lng: -1e2, lat: "400" }]) attempt(good)();
  for (const bad of [1, "x", [], {}, { lat: 1 }, { lng: 1 }, { lat: 1, lng: 2, alt: 3 }, { lat: "x", lng: null }]) {
    assert.throws(attempt(bad), (error) => error instanceof ApiError && error.code === "invalid_document_geo_field");
  }
  build(rowsOf([{ id: 1, _geo: "x" }]));
});

test("points and shapes are kept where they are wanted, and survive a merge", () => {
  const rules = { ...EVERYTHING, geo: true, geojson: true };
  const shape = { type: "Point", coordinates: [2, 1] };
  const rows = rowsOf([{ id: 0, _geo: { lat: 1, lng: "2" } }, { id: 1 }, { id: 2, _geojson: shape }]);
  const segments = [rows.slice(0, 1), rows.slice(1)].map((some) => open(write(build(some, rules))));
  const merged = open(write(mergeSegments(segments.map((reader) => ({ reader, live: null })))));
  for (const reader of [open(write(build(rows, rules))), merged]) {
    assert.deepEqual(reader.geo?.point(0), { lat: 1, lng: 2 });
    assert.equal(reader.geo?.point(1), null);
    assert.notEqual(reader.geojson, null);
    assert.deepEqual(
      reader.columns.fields().filter((field) => field.startsWith("_geo")),
      ["_geo.lat", "_geo.lng"],
    );
    const longitudes = reader.columns.column("_geo.lng")!;
    assert.deepEqual(longitudes.numberOfCode(longitudes.sortCode(0, false)), 2);
    assert.equal(longitudes.sortCode(1, false), 0);
  }
  assert.equal(open(write(build(rows))).geo, null);
  assert.throws(() => build(rowsOf([{ id: 1, _geojson: { type: "Nothing" } }]), rules), ApiError);
});

test("a thread that left its workshop builds the same in another", () => {
  const rows = rowsOf([
    { id: 1, title: "left and right" },
    { id: 2, title: "right" },
  ]);
  const bytesOf = () => readFileSync(write(build(rows)));
  const before = bytesOf();
  assert.equal(leaveWorkshop(), true);
  assert.equal(leaveWorkshop(), false);
  assert.deepEqual(bytesOf(), before);
});
