/** Documents come back to the byte, whether they could be packed or not, and whoever they are merged with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { buildSegment } from "../../../src/storage/segment/build.ts";
import { NAMES_MAX, Unpacker } from "../../../src/storage/segment/documents/packed.ts";
import { mergeSegments } from "../../../src/storage/segment/merge.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import { documents } from "./documents.ts";
import { EVERYTHING, open, write } from "./support.ts";

function stored(bodies: readonly string[], firstDocid = 0): SegmentReader {
  const encoded = bodies.map((body) => Buffer.from(body));
  const offsets = new Float64Array(encoded.length + 1);
  encoded.forEach((body, i) => {
    offsets[i + 1] = offsets[i]! + body.length;
  });
  const docids = Uint32Array.from(encoded, (_, i) => firstDocid + i);
  const all = new Uint8Array(Buffer.concat(encoded));
  const externalIds = idsOf(Array.from(docids, String));
  return open(write(buildSegment({ docids, externalIds, documents: all, offsets, rules: EVERYTHING })));
}

function bodiesOf(reader: SegmentReader): string[] {
  return Array.from({ length: reader.rows }, (_, row) => Buffer.from(reader.readDocument(row)).toString());
}

/** One by one, lent, and all at once. */
function assertHolds(reader: SegmentReader, bodies: readonly string[]): void {
  assert.deepEqual(bodiesOf(reader), bodies);
  for (let row = 0; row < reader.rows; row++) {
    assert.equal(reader.documentLength(row), Buffer.byteLength(bodies[row]!));
    assert.equal(Buffer.from(reader.lendDocument(row)).toString(), bodies[row]);
  }
  const whole = Buffer.alloc(Buffer.byteLength(bodies.join("")) + 2, 0x2e);
  assert.equal(reader.readDocuments(0, reader.rows, whole, 1), whole.length - 2);
  assert.equal(whole.toString(), `.${bodies.join("")}.`);
}

const compact = documents.map((docs) => docs.map((doc) => JSON.stringify(doc)));
const any = fc.oneof(
  compact,
  fc
    .tuple(documents, fc.constantFrom(1, "\t"))
    .map(([docs, space]) => docs.map((doc) => JSON.stringify(doc, null, space))),
);

test("any documents come back, also merged, packed or not", () => {
  fc.assert(
    fc.property(any, any, (first, second) => {
      const readers = [stored(first), stored(second, first.length)];
      assertHolds(readers[0]!, first);
      assertHolds(readers[1]!, second);
      const merged = open(write(mergeSegments(readers.map((reader) => ({ reader, live: null })))));
      assert.equal(
        merged.documents.isPacked,
        readers.every(({ documents }) => documents.isPacked),
      );
      assertHolds(merged, [...first, ...second]);
    }),
    { numRuns: 30 },
  );
});

test("compact documents are packed: a byte for a name and all around it", () => {
  const bodies = ['{"title":"Ariel","id":7,"tags":["a",{"b":null}]}', "{}", '{"id":-1.50e3}'];
  const reader = stored(bodies);
  assert.equal(reader.documents.isPacked, true);
  assert.deepEqual(reader.documents.names, ["id", "tags", "title"]);
  assert.deepEqual(
    bodies.map((_, row) => reader.documents.storedLength(row)),
    ['2"Ariel"071["a",{"b":null}]', "", "0-1.50e3"].map(({ length }) => length),
  );
  assertHolds(reader, bodies);
});

test("a name spelled in another way, and one name too many, keep documents as they are", () => {
  const spelled = ['{"id":1}', '{"\\u0069d":2}'];
  const many = Array.from({ length: NAMES_MAX + 1 }, (_, i) => `{"name${i}":${i}}`);
  for (const bodies of [spelled, many]) {
    const reader = stored(bodies);
    assert.equal(reader.documents.isPacked, false);
    assertHolds(reader, bodies);
  }
  assert.equal(stored(many.slice(1)).documents.isPacked, true);
  const readers = [stored(many.slice(0, 20)), stored(many.slice(20), 20)];
  assertHolds(open(write(mergeSegments(readers.map((reader) => ({ reader, live: null }))))), many);
});

test("how long an unpacked document is can be told before", () => {
  fc.assert(
    fc.property(compact, (bodies) => {
      const { documents: packed } = stored(bodies);
      if (packed.names === null) return;
      const unpacker = new Unpacker(packed.names);
      bodies.forEach((body, row) => {
        const bytes = new Uint8Array(packed.storedLength(row));
        packed.readStored(row, row + 1, bytes, 0);
        assert.equal(unpacker.length(bytes, 0, bytes.length), Buffer.byteLength(body));
      });
    }),
    { numRuns: 20 },
  );
});
