/** Streams that hold their text as it is are read by any reader of gzip. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { gzipStored } from "../../../src/engine/link/gzip.ts";

test("a short text comes out of its stream again", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (text) => {
      assert.deepEqual(new Uint8Array(gunzipSync(gzipStored(text))), text);
    }),
  );
});
