import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  loadHotParts,
  readSegmentHeader,
  SegmentDamage,
  verifySegment,
} from "../../../src/storage/segment/container.ts";
import { build, freshPath, open, rowsOf, write } from "./support.ts";

const rows = rowsOf([
  { id: 1, title: "A segment", tags: ["x", "y"] },
  { id: 2, title: "another Segment", n: 12.5 },
]);

test("a segment file is aligned, whole and reads back", () => {
  const file = write(build(rows));
  assert.equal(verifySegment(file), null);
  const bytes = readFileSync(file);
  const header = readSegmentHeader(bytes);
  assert.equal(header.fileBytes, bytes.length);
  assert.equal(header.rows, 2);
  for (const part of header.parts) assert.equal(part.offset % 64, 0);
  const reader = open(file);
  assert.equal(Buffer.from(reader.readDocument(1)).toString(), JSON.stringify(rows[1]!.doc));
  reader.close();
  assert.equal(Buffer.from(reader.readDocument(0)).toString(), JSON.stringify(rows[0]!.doc));
  reader.close();
});

test("one flipped bit anywhere is found", () => {
  const bytes = readFileSync(write(build(rows)));
  const file = freshPath();
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1 << (at % 8);
    writeFileSync(file, damaged);
    assert.notEqual(verifySegment(file), null, `byte ${at}`);
  }
});

test("a file cut short or too long is found", () => {
  const bytes = readFileSync(write(build(rows)));
  const file = freshPath();
  for (const length of [0, 7, 64, 200, bytes.length - 64, bytes.length - 1]) {
    writeFileSync(file, bytes.subarray(0, length));
    assert.notEqual(verifySegment(file), null);
  }
  writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(64)]));
  assert.notEqual(verifySegment(file), null);
});

test("damaged hot parts are refused when they are loaded", () => {
  const bytes = readFileSync(write(build(rows)));
  const header = readSegmentHeader(bytes);
  const file = freshPath();
  const hot = new Uint8Array(new SharedArrayBuffer(header.hotBytes));
  for (const part of header.parts.filter(({ offset }) => offset < header.hotBytes)) {
    const damaged = Buffer.from(bytes);
    damaged[part.offset + part.length - 1]! ^= 4;
    writeFileSync(file, damaged);
    assert.throws(() => loadHotParts(file, header, hot), SegmentDamage);
  }
});
