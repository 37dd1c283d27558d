// Tables as the FlatBuffers compiler's own code once wrote them, recorded as bytes: ours writes the same and reads them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ByteBuffer } from "flatbuffers";
import { Directory, encodeDirectory } from "../../../src/storage/index/directory.ts";
import {
  decodeManifest,
  encodeManifest,
  encodeSharedManifest,
  type IndexManifest,
  openManifest,
  readPlace,
} from "../../../src/storage/index/manifest.ts";
import { type ColumnImage, encodeColumns } from "../../../src/storage/segment/columns/format.ts";
import { FieldSetsReader } from "../../../src/storage/segment/field-sets/reader.ts";
import { FieldSetsWriter } from "../../../src/storage/segment/field-sets/writer.ts";
import { ColumnsPart } from "../../../src/storage/segment/generated/columns-part.ts";
import { IdsPart } from "../../../src/storage/segment/generated/ids-part.ts";
import { VectorsPart } from "../../../src/storage/segment/generated/vectors-part.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";

const RECORDED = {
  stored: bytes(
    "KAAAAFNCTUYAAB4AUABMAEAAOAAwACwAIAAcABgAFAAQAAwACAAEAB4AAAC0AAAABQAAAAkAAABQAAAAWAAAAHQAAACQAAAAAAAAAAAAAEAAAAAA",
    "JAAAAAQAp9z3UBVDAACn3PdQFUMAAAAAAAAIQAAAAAAMAAAAAgAAAGlkAAACAAAAbTcAAAIAAAAJAAAACAAAAAIAAAAUAAAABAAAAAUAAAB0aXRs",
    "ZQAAAAIAAABpZAAAAgAAABQAAAAEAAAABQAAAHRpdGxlAAAAAgAAAGlkAAAHAAAAeyJhIjoxfQABAAAAGAAAAAAAEgAoACQAIAAcABQADAAIAAQA",
    "EgAAACQAAAABAAAAAAAAAADAXkAAAAAgX6DyQQoAAAAQAAAABAAAAAMAAAABAgMABQAAADQuc2VnAAAA",
  ),
  shared: bytes(
    "KAAAAFNCTUYAAB4AUABMAEAAOAAwACwAIAAcABgAFAAQAAwACAAEAB4AAAC0AAAABQAAAAkAAABQAAAAWAAAAHQAAACQAAAAAAAAAAAAAEAAAAAA",
    "JAAAAAQAp9z3UBVDAACn3PdQFUMAAAAAAAAIQAAAAAAMAAAAAgAAAGlkAAACAAAAbTcAAAIAAAAJAAAACAAAAAIAAAAUAAAABAAAAAUAAAB0aXRs",
    "ZQAAAAIAAABpZAAAAgAAABQAAAAEAAAABQAAAHRpdGxlAAAAAgAAAGlkAAAHAAAAeyJhIjoxfQABAAAAHAAAAAAAFgA8ADgANAAwACgAIAAcAAAA",
    "EAAEABYAAAACAAAAgAAAAAIAAAABAAAAQAAAAAAQAAABAAAAAAAAAADAXkAAAAAgX6DyQQoAAAAIAAAABAAAAAUAAAA0LnNlZwAAAA==",
  ),
  directory: bytes(
    "FAAAAFNCRFIAAAoAEAAMAAgABAAKAAAABAAAAAgAAAAQAAAAAgAAAAEAAAADAAAAAgAAAEAAAAAQAAAAAAAKABgAFAAQAAQACgAAAAMAAABAAAAA",
    "YwAAAP////8EAAAAAQAAAGIAAAAMABwAGAAUAAgABAAMAAAAGAAAAAEAAACAAAAAYgAAAAcAAAAMAAAAAwAAAGJhZAABAAAAYQAAAA==",
  ),
  columns: bytes(
    "LAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoAEAAMAAgABAAKAAAADAAAAGgAAAACAAAAKgAAAAAAAAAAAPg/AAAAAAEAAABhAAAA",
    "AAAAAAAAAAABAAAAQQAAAAAAAAABAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAADQAAAAwAEAA",
    "PAA4AAAANAAwACwAKAAAACQAIAAfAAAAAAAeABgAAAAAABQAEAAMAAgABAAwAAAAPAAAAEAAAABIAAAAKAAAAAIAAAACAAAAAAABASAAAAAYAAAA",
    "AQAAABAAAAAIAAAAAQAAAAEAAAAkAAAA/P///wQABAAEAAAACAAMAAsABAAIAAAAAgAAAAAAAAEEAAAAc2l6ZQAAAAA=",
  ),
  fieldSets: bytes(
    "FAAAABAAHAAYABQAEAAMAAsABAAQAAAAGAAAAAAAAAEYAAAAIAAAACwAAAADAAAAAwAAAAABAAADAAAAAAAAAAEAAAADAAAAAAAAAAEAAAADAAAA",
    "AgAAABAAAAAEAAAAAQAAAHgAAAACAAAAaWQAAA==",
  ),
  ids: bytes(
    "GAAAAAAAEgAgABwAGAAUABAADAAIAAcAEgAAAAAAAAIYAAAAHAAAACgAAAAwAAAANAAAADgAAAACAAAA/wEAAAMAAAAHAAAACAAAAAkAAAACAAAA",
    "AAAAAAEAAAABAAAAYQAAAAEAAAD/////AgAAAAUAAAAGAAAA",
  ),
  vectors: bytes(
    "IAAAAAAAGgAgABwAGAAUAAAAEAAAAAwAAAAIAAAABAAaAAAAHAAAACAAAAAoAAAALAAAADAAAAA4AAAAAwAAAAMAAAAJCAcAAgAAAAAAwD8AAADA",
    "AQAAAAAAAD8BAAAAAwAAAAIAAAABAAAAAgAAAAEAAABhAAAA",
  ),
};

function bytes(...base64: string[]): Uint8Array {
  return Uint8Array.from(Buffer.from(base64.join(""), "base64"));
}

const MANIFEST: IndexManifest = {
  id: "m7",
  version: 3,
  createdAt: 1.5e15,
  updatedAt: 1.5e15 + 1,
  primaryKey: "id",
  settings: JSON.parse('{"a":1}'),
  contentVersion: 0,
  settingsVersion: 2,
  fieldOrder: ["id", "title"],
  fieldDistribution: Object.assign(Object.create(null), { id: 9, title: 8 }),
  documentCount: 9,
  nextSegmentId: 5,
  shards: 1,
  segments: [
    {
      id: 4,
      file: "4.seg",
      rows: 10,
      fileBytes: 5e9,
      documentBytes: 123,
      deletedCount: 1,
      deleted: Uint8Array.of(1, 2, 3),
      shard: 0,
    },
  ],
};
const HOT = { arena: 1, offset: 64, length: 4096 };
const LIVE = { arena: 2, offset: 128, length: 2 };

suite("Recorded tables", () => {
  test("a manifest as it is stored", () => {
    assert.deepEqual(encodeManifest(MANIFEST), RECORDED.stored);
    // What a record does not say of settings is as it is by default.
    const settings = { ...defaultSettings(), ...MANIFEST.settings };
    assert.deepEqual(decodeManifest(RECORDED.stored), { ...MANIFEST, settings });
  });

  test("a manifest with places in memory", () => {
    assert.deepEqual(encodeSharedManifest(MANIFEST, new Map([[4, { hot: HOT, live: LIVE }]])), RECORDED.shared);
    const segment = openManifest(RECORDED.shared).segments(0)!;
    assert.deepEqual(readPlace(segment.hot()), HOT);
    assert.deepEqual(readPlace(segment.live()), LIVE);
    assert.equal(segment.deletedArray(), null);
    assert.equal(openManifest(RECORDED.stored).segments(0)!.hot(), null);
  });

  test("a directory", () => {
    const a = { uid: "a", stamp: 7, manifest: { arena: 1, offset: 128, length: 98 }, problem: "bad" };
    const b = { uid: "b", stamp: -1, manifest: { arena: 3, offset: 64, length: 99 }, problem: null };
    assert.deepEqual(encodeDirectory([b, a], [1, 3], 4), RECORDED.directory);
    const directory = new Directory(RECORDED.directory);
    assert.deepEqual([directory.at(0), directory.find("b"), directory.find("c")], [a, b, null]);
    assert.deepEqual([[...directory.arenas], directory.nextArena], [[1, 3], 4]);
    assert.throws(() => openManifest(RECORDED.directory), RangeError);
  });

  test("columns, whose data begins at a multiple of 64", () => {
    const none = { form: 0, count: 0, data: null };
    const column: ColumnImage = {
      name: "size",
      numbers: Float64Array.of(1.5),
      stringOffsets: Uint32Array.of(0, 1),
      stringBytes: Uint8Array.of(97),
      spellingCount: 1,
      spellingStarts: null,
      spellingOffsets: Uint32Array.of(0, 1),
      spellingBytes: Uint8Array.of(65),
      forward: { rowList: null, starts: null, codes: Uint8Array.of(1, 2), filledRows: 2 },
      exists: { form: 1, count: 2, data: null },
      nullRows: none,
      emptyRows: none,
    };
    assert.deepEqual(Uint8Array.from(encodeColumns(2, [column])), RECORDED.columns);
    const part = ColumnsPart.getRootAsColumnsPart(new ByteBuffer(RECORDED.columns));
    const read = part.columns(0)!;
    assert.equal(part.dataArray()!.byteOffset % 64, 0);
    assert.deepEqual([read.name(), read.spelled(), read.sparse(), read.codeBytes()], ["size", true, false, 1]);
    assert.deepEqual([read.exists()!.form(), read.exists()!.count(), read.nullRows()!.form()], [1, 2, 0]);
  });

  test("fieldSets", () => {
    const writer = new FieldSetsWriter(3);
    const fields = [writer.fieldNumber("id"), writer.fieldNumber("x")];
    for (const [row, count] of [1, 2, 1].entries()) writer.add(row, fields, count);
    assert.deepEqual([...writer.part().chunks], [RECORDED.fieldSets]);
    const reader = new FieldSetsReader(RECORDED.fieldSets);
    assert.deepEqual([reader.fieldsOf(reader.setOf(1)), reader.fieldsOf(reader.setOf(2))], [["id", "x"], ["id"]]);
  });

  test("tables that are only read", () => {
    const ids = IdsPart.getRootAsIdsPart(new ByteBuffer(RECORDED.ids));
    assert.deepEqual([ids.docidsArray(), ids.numbersArray()], [Uint32Array.of(5, 6), Uint32Array.of(0xffffffff)]);
    assert.deepEqual([ids.textsArray(), ids.textOffsetsArray()], [Uint8Array.of(97), Uint32Array.of(0, 1)]);
    assert.deepEqual([ids.bucketStartsArray(), ids.bucketRows(0)], [Uint32Array.of(7, 8, 9), 255]);
    assert.equal(ids.bucketRowBytes(), 2);
    const vectors = VectorsPart.getRootAsVectorsPart(new ByteBuffer(RECORDED.vectors));
    assert.deepEqual([vectors.rows(), vectors.namesLength(), vectors.heads(1)], [3, 1, 2]);
    assert.deepEqual([vectors.normsArray(), vectors.floatsArray()], [Float32Array.of(0.5), Float32Array.of(1.5, -2)]);
    assert.deepEqual([vectors.codesArray(), vectors.bitsArray()], [Uint8Array.of(9, 8, 7), null]);
    assert.deepEqual([vectors.bitsLength(), vectors.bits(0), vectors.starts(0)], [0, 0, 3]);
  });
});
