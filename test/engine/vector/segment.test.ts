/** The vectors part: what was put in comes out, also after merges and rebuilds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { Bitmap } from "../../../src/storage/segment/bitmap.ts";
import { mergeSegments, rebuildSegment } from "../../../src/storage/segment/merge.ts";
import { PART } from "../../../src/storage/segment/parts.ts";
import type { SegmentReader } from "../../../src/storage/segment/reader.ts";
import type { EmbedderRule } from "../../../src/storage/settings/embedders.ts";

import { build, EVERYTHING, open, type Row, rowsOf, write } from "../../storage/segment/support.ts";
import { DIMENSIONS, vectors } from "./support.ts";

const EMBEDDERS: EmbedderRule[] = [
  { name: "bits", dimensions: DIMENSIONS, quantized: true, userProvided: true },
  { name: "floats", dimensions: DIMENSIONS, quantized: false, userProvided: true },
  { name: "other", dimensions: 2, quantized: false, userProvided: false },
];
const RULES = { ...EVERYTHING, embedders: EMBEDDERS };

const documents = fc.array(
  fc.record({ bits: vectors, floats: vectors, regenerate: fc.boolean(), other: fc.boolean() }),
  { maxLength: 40 },
);

function rowsFor(
  docs: readonly { bits: number[][]; floats: number[][]; regenerate: boolean; other: boolean }[],
): Row[] {
  return rowsOf(
    docs.map(({ bits, floats, regenerate, other }, id) => ({
      id,
      _vectors: { bits, floats: { embeddings: floats, regenerate }, ...(other ? { other: [1, id] } : {}) },
    })),
  );
}

function partBytes(file: string): Buffer {
  const { parts } = open(file).header;
  const { offset, length } = parts.find(({ kind }) => kind === PART.vectors)!;
  return readFileSync(file).subarray(offset, offset + length);
}

function contents(reader: SegmentReader, name: string): unknown[] {
  const embedder = reader.vectors!.embedder(name)!;
  return Array.from({ length: reader.rows }, (_, row) => {
    const slot = embedder.slotOf(row);
    if (slot === -1) return null;
    const all: number[][] = [];
    for (let i = embedder.starts[slot]!; i < embedder.starts[slot + 1]!; i++) all.push(Array.from(embedder.vector(i)));
    return { all, regenerate: embedder.mayRegenerate(slot) };
  });
}

test("vectors are read back as they were given, quantized ones as bits", () => {
  fc.assert(
    fc.property(documents, (docs) => {
      const reader = open(write(build(rowsFor(docs), RULES)));
      const shown = (all: number[][], regenerate: boolean) => (all.length === 0 ? null : { all, regenerate });
      assert.deepEqual(
        contents(reader, "floats"),
        docs.map(({ floats, regenerate }) => shown(floats, regenerate)),
      );
      assert.deepEqual(
        contents(reader, "bits"),
        docs.map(({ bits }) =>
          shown(
            bits.map((each) => each.map((number) => (number > 0 ? 1 : 0))),
            false,
          ),
        ),
      );
      assert.deepEqual(
        contents(reader, "other"),
        docs.map(({ other }, id) => (other ? shown([[1, id]], false) : null)),
      );
      reader.close();
    }),
    { numRuns: 80 },
  );
});

test("merged vectors have the bytes of those built at once; a rebuild has them too", () => {
  const hands = fc.array(fc.nat(2), { minLength: 1, maxLength: 10 });
  const drops = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(documents, hands, drops, (docs, deals, dropped) => {
      const rows = rowsFor(docs);
      const isDropped = ({ docid }: Row) => dropped[docid % dropped.length]!;
      const inputs = [0, 1, 2].map((hand) => {
        const own = rows.filter((_, i) => deals[i % deals.length] === hand);
        const kept = own.flatMap((row, i) => (isDropped(row) ? [] : [i]));
        return { reader: open(write(build(own, RULES))), live: Bitmap.of(own.length, kept) };
      });
      const merged = write(mergeSegments(inputs));
      const built = partBytes(
        write(
          build(
            rows.filter((row) => !isDropped(row)),
            RULES,
          ),
        ),
      );
      assert.ok(partBytes(merged).equals(built));
      const reader = open(merged);
      assert.ok(partBytes(write(rebuildSegment({ reader, live: null }, RULES))).equals(built));
      for (const each of [reader, ...inputs.map((input) => input.reader)]) each.close();
    }),
    { numRuns: 60 },
  );
});
