import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { DocumentBodies } from "../../../src/engine/writer/export-bodies.ts";

test("bodies hold every line once, in order, and no more bytes than allowed unless one line is longer", async () => {
  const line = fc.stringMatching(/^[a-zé]{0,40}$/).map((text) => `{"a":"${text}"}\n`);
  const piece = fc.array(line, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.integer({ min: 1, max: 120 }), async (pieces, bytesMax) => {
      const sent: string[] = [];
      const bodies = new DocumentBodies(bytesMax, async (body) => {
        sent.push(gunzipSync(body).toString());
      });
      for (const lines of pieces) await bodies.add(Buffer.from(lines.join("")));
      await bodies.finish();
      assert.equal(sent.join(""), pieces.flat().join(""));
      assert.equal(bodies.documents, pieces.flat().length);
      for (const body of sent) {
        assert.ok(body.endsWith("\n"));
        assert.ok(Buffer.byteLength(body) <= bytesMax || body.indexOf("\n") === body.length - 1);
      }
    }),
    { numRuns: 60 },
  );
});
