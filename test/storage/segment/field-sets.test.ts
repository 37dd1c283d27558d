import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { FieldSetsReader } from "../../../src/storage/segment/field-sets/reader.ts";
import { FieldSetsWriter } from "../../../src/storage/segment/field-sets/writer.ts";

const names = ["id", "title", 'a"b', "é", "__proto__", "tags"];
const fieldSets = fc.array(fc.subarray(names), { minLength: 1, maxLength: 30 });

function built(documents: string[][]): FieldSetsReader {
  const writer = new FieldSetsWriter(documents.length);
  for (const [row, fields] of documents.entries()) {
    const numbers = fields.map((name) => writer.fieldNumber(name));
    writer.add(row, numbers, numbers.length);
  }
  return new FieldSetsReader(writer.part().chunks[0]!);
}

const counted = (reader: FieldSetsReader, rows: number[]) => {
  const counts = new Map<string, number>();
  reader.count(Bitmap.of(reader.rows, rows), counts, 1);
  return new Map([...counts].sort());
};

test("fields are counted over any set of rows", () => {
  fc.assert(
    fc.property(fieldSets, (documents) => {
      const rows = documents.map((_, row) => row).filter((row) => row % 2 === 0);
      const expected = new Map<string, number>();
      for (const row of rows) for (const name of documents[row]!) expected.set(name, (expected.get(name) ?? 0) + 1);
      assert.deepEqual(counted(built(documents), rows), new Map([...expected].sort()));
    }),
  );
});

test("merged rows keep their fields", () => {
  fc.assert(
    fc.property(fieldSets, fieldSets, (left, right) => {
      const merged = new FieldSetsWriter(left.length + right.length - 1);
      merged.take(
        built(left),
        Int32Array.from(left, (_, row) => row - 1),
      );
      merged.take(
        built(right),
        Int32Array.from(right, (_, row) => left.length - 1 + row),
      );
      const reader = new FieldSetsReader(merged.part().chunks[0]!);
      const expected = [...left.slice(1), ...right];
      for (const [row, fields] of expected.entries()) {
        assert.deepEqual([...reader.fieldsOf(reader.setOf(row))].sort(), [...fields].sort());
      }
    }),
  );
});
