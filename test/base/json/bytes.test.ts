import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteSink } from "../../../src/base/json/bytes.ts";

describe("ByteSink", () => {
  it("holds the concatenation of everything written", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }).map((text) => ({ kind: "utf8" as const, text })),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => ({ kind: "bytes" as const, bytes })),
      fc.nat({ max: 255 }).map((value) => ({ kind: "byte" as const, value })),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const sink = new ByteSink(16);
        const expected: Uint8Array[] = [];
        for (const piece of pieces) {
          if (piece.kind === "utf8") {
            sink.utf8(piece.text);
            expected.push(Buffer.from(piece.text, "utf8"));
          } else if (piece.kind === "bytes") {
            sink.bytes(piece.bytes);
            expected.push(piece.bytes);
          } else {
            sink.byte(piece.value);
            expected.push(Uint8Array.of(piece.value));
          }
        }
        assert.deepEqual(sink.copy(), new Uint8Array(Buffer.concat(expected)));
      }),
    );
  });

  it("writes varints that read back", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const sink = new ByteSink();
        sink.varint(value);
        let read = 0;
        let scale = 1;
        for (const byte of sink.view()) {
          read += (byte & 0x7f) * scale;
          scale *= 128;
        }
        assert.equal(read, value);
      }),
    );
    const sink = new ByteSink();
    sink.u32(0xdeadbeef);
    assert.deepEqual([...sink.view()], [0xef, 0xbe, 0xad, 0xde]);
  });
});
