import assert from "node:assert/strict";
import { createWriteStream, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { DumpFolder } from "../../../src/storage/dump/files.ts";
import { linePieces, RECORD_BYTES_MAX } from "../../../src/storage/dump/lines.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("pieces are whole lines, and together the file", async () => {
  const file = path.join(temporaryDirectory(), "lines");
  const line = fc.string({ maxLength: 30, unit: "grapheme" }).map((text) => JSON.stringify({ text }));
  const property = fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, pieceBytes) => {
    writeFileSync(file, lines.join("\n"));
    const pieces: Buffer[] = [];
    for await (const piece of linePieces(file, pieceBytes)) pieces.push(piece);
    for (const piece of pieces.slice(0, -1)) assert.equal(piece.at(-1), 0x0a);
    assert.equal(Buffer.concat(pieces).toString().trim(), lines.join("\n"));
    const found: unknown[] = [];
    for await (const value of new DumpFolder(new Map([["a", file]])).lines("a")) found.push(value);
    assert.deepEqual(
      found,
      lines.map((text) => JSON.parse(text)),
    );
  });
  await fc.assert(property, { numRuns: 60 });
});

// A few kilobytes of an archive can unpack to this.
test("a line without end is refused before it fills the memory", { timeout: 180_000 }, async () => {
  const file = path.join(temporaryDirectory(), "bomb");
  const out = createWriteStream(file);
  const zeros = Buffer.alloc(16 << 20, 0x30);
  for (let bytes = 0; bytes <= RECORD_BYTES_MAX + zeros.length; bytes += zeros.length) {
    await new Promise((resolve) => out.write(zeros, resolve));
  }
  await new Promise<void>((resolve) => out.end(resolve));
  const folder = new DumpFolder(new Map([["a", file]]));
  const read = async () => {
    for await (const _ of folder.lines("a"));
  };
  await assert.rejects(read(), { name: "DumpProblem", message: /too long/ });
  await assert.rejects(folder.json("a"), { name: "DumpProblem", message: /too large/ });
});
