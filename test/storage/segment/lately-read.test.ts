/** What was read lately: a body that is found is the one that was put there, and the latest are found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LatelyRead } from "../../../src/storage/segment/documents/lately-read.ts";
import { build, open, rowsOf, write } from "./support.ts";

const SIZE = 256;
const BODY_MAX = 100;

/** The same bytes for the same body, others for others. */
function bodyOf(owner: number, row: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (owner * 101 + row * 7 + i * 13 + length) & 0xff);
}

test("a body that is found is whole and its own, and what was just added is found", () => {
  const asked = fc.record({ owner: fc.integer({ min: 1, max: 3 }), row: fc.integer({ min: 0, max: 12 }) });
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (all, spread) => {
      const lately = new LatelyRead(new Uint8Array(SIZE), BODY_MAX);
      const lengthOf = (owner: number, row: number): number => (owner * 31 + row * 17) % (2 * spread);
      for (const { owner, row } of all) {
        const length = lengthOf(owner, row);
        const expected = bodyOf(owner, row, length);
        let at = lately.find(owner, row);
        if (at < 0) {
          at = lately.add(owner, row, length);
          assert.equal(at < 0, length > BODY_MAX);
          if (at < 0) continue;
          assert.ok(at + length <= SIZE);
          lately.bytes.set(expected, at);
        }
        assert.deepEqual(lately.bytes.slice(at, at + length), expected);
        assert.equal(lately.find(owner, row), at);
      }
    }),
  );
});

test("the last bodies that fit together are all there", () => {
  const lately = new LatelyRead(new Uint8Array(SIZE), BODY_MAX);
  for (let row = 0; row < 1000; row++) lately.bytes.set(bodyOf(1, row, 20), lately.add(1, row, 20));
  const there = Array.from({ length: 1000 }, (_, row) => row).filter((row) => lately.find(1, row) >= 0);
  assert.deepEqual(there.slice(-10), [990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
  assert.ok(there.length <= SIZE / 20);
});

test("what could not be read is forgotten", () => {
  const lately = new LatelyRead(new Uint8Array(SIZE), BODY_MAX);
  lately.add(1, 5, 20);
  lately.forget(1, 5);
  assert.equal(lately.find(1, 5), -1);
});

test("documents that are lent are those that are read, from several files, again and again", () => {
  const readers = ["a", "b"].map((text) => {
    const docs = Array.from({ length: 300 }, (_, id) => ({ id, text: text.repeat((id * 37) % 900) }));
    return open(write(build(rowsOf([...docs, { id: 300, text: text.repeat(300_000) }]))));
  });
  for (const step of [1, 7, 1]) {
    for (let row = 0; row < readers[0]!.rows; row += step) {
      for (const reader of readers)
        assert.deepEqual(Buffer.from(reader.lendDocument(row)), Buffer.from(reader.readDocument(row)));
    }
  }
  for (const reader of readers) reader.close();
});
