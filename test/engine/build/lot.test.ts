/** Documents as they came become the same segment, to the byte, whether they are laid side by side first or on the way. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { idsOf } from "../../../src/base/document/id-list.ts";
import { buildLot, type LotInput, versionsOf } from "../../../src/engine/build/lot.ts";
import { NONE_OUTDATED } from "../../../src/engine/build/stored-vectors.ts";
import type { PlainRun } from "../../../src/storage/segment/extract/slabs.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { documents } from "../../storage/segment/documents.ts";

const folder = temporaryDirectory();
let files = 0;
const fresh = () => path.join(folder, String(files++));

/** Documents with something between them that belongs to none. */
function runOf(bodies: readonly string[], between: string, inFile: boolean): PlainRun {
  const ranges: number[] = [];
  const pieces = [Buffer.from(between)];
  let at = between.length;
  for (const body of bodies) {
    pieces.push(Buffer.from(body), Buffer.from(between));
    ranges.push(at, at + Buffer.byteLength(body));
    at += Buffer.byteLength(body) + between.length;
  }
  const bytes = new Uint8Array(Buffer.concat(pieces));
  if (!inFile) return { source: { bytes }, ranges: Uint32Array.from(ranges) };
  const file = fresh();
  writeFileSync(file, bytes);
  return { source: { path: file }, ranges: Uint32Array.from(ranges) };
}

function namesOf(bodies: readonly string[]): string[] {
  return [...new Set(bodies.flatMap((body) => Object.keys(JSON.parse(body) as object)))].reverse();
}

function assertSame(runs: readonly (readonly string[])[], between: string, inFile: boolean): void {
  const bodies = runs.flat();
  const plain = runs.map((run) => runOf(run, between, inFile));
  const input: Omit<LotInput, "output" | "plain" | keyof ReturnType<typeof versionsOf>> = {
    docids: Uint32Array.from(bodies, (_, i) => 3 * i),
    externalIds: idsOf(bodies.map((_, i) => String(i))),
    fieldOrder: namesOf(bodies),
    settings: { ...defaultSettings(), filterableAttributes: ["*"] },
    made: [],
    outdated: NONE_OUTDATED,
  };
  const taken = fresh();
  const laid = fresh();
  const summary = buildLot({ ...input, ...versionsOf([]), plain, output: taken });
  assert.deepEqual(summary, buildLot({ ...input, ...versionsOf(plain), plain: null, output: laid }));
  assert.deepEqual(readFileSync(taken), readFileSync(laid));
}

const body = fc.oneof(
  documents.map((docs) => docs.map((doc) => JSON.stringify(doc))),
  documents.map((docs) => docs.map((doc) => JSON.stringify(doc, null, 1))),
  fc.constant(['{"b":1,"a":[1, 2],"b":{"x" : "y"}}', "{ }", '{"\\u0061":"respelled","b":0}', '{"a":"x","b":2}']),
  fc.constant([`{${Array.from({ length: 600 }, (_, i) => `"n${i % 40}":${i}`).join()}}`]),
);

test("any documents", () => {
  fc.assert(fc.property(fc.array(body, { maxLength: 3 }), fc.constantFrom("\n", ", "), fc.boolean(), assertSame), {
    numRuns: 60,
  });
});

test("documents larger than a slab, and many in one", () => {
  const words = "several words of no meaning ".repeat(50_000);
  const large = [`{"a":1,"text":${JSON.stringify(words)}}`, `{"text":${JSON.stringify(words)},"a": 2}`];
  const small = Array.from({ length: 40_000 }, (_, i) => `{"id":${i},"name":"number ${i % 977}"}`);
  assertSame([small, large, small.slice(0, 10)], "\n", true);
});

test("that a document cannot be packed is seen late", () => {
  const many = Array.from(
    { length: 30_000 },
    (_, i) => `{"id":${i},"text":"number ${i} of many, each as long as this"}`,
  );
  assertSame([many, [`{${Array.from({ length: 40 }, (_, i) => `"n${i}":${i}`).join()}}`]], "\n", false);
});
