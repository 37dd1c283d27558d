/** Dumps whose values are not what they should be: "hostile archives refused", never a crash that names no dump. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import { DumpFolder } from "../../../src/storage/dump/files.ts";
import { openDump } from "../../../src/storage/dump/open.ts";
import { readBatch, readKey, readTask } from "../../../src/storage/dump/records.ts";
import type { DumpSource } from "../../../src/storage/dump/source.ts";

import { temporaryDirectory } from "../../lib/temporary.ts";
import { dumpV1, dumpV2, dumpV3, dumpV4Or5 } from "./old-dumps.ts";

const BLOCK = 512;

/** The files of an archive as they were put in, by name. */
function filesOf(dump: Buffer): Map<string, string> {
  const tar = gunzipSync(dump);
  const files = new Map<string, string>();
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString("utf8", at, tar.indexOf(0, at)).replace(/^\.\//, "");
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 135), 8);
    files.set(name, tar.toString("utf8", at + BLOCK, at + BLOCK + size));
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return files;
}

/** How many values of a file there are to spoil, and the file with one of them spoiled. */
function spoil(text: string, nth: number, value: Json): { count: number; text: string } {
  let count = 0;
  const visit = (node: Json): Json => {
    if (count++ === nth) return value;
    if (Array.isArray(node)) return node.map(visit);
    if (node === null || typeof node !== "object") return node;
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, visit(inner)]));
  };
  const lines = text.trim().split("\n");
  const spoiled = lines.map((line) => JSON.stringify(visit(JSON.parse(line) as Json)));
  return { count, text: `${spoiled.join("\n")}\n` };
}

function folderOf(files: ReadonlyMap<string, string>): DumpFolder {
  const directory = path.join(temporaryDirectory(), "dump");
  mkdirSync(directory);
  const paths = new Map<string, string>();
  for (const [name, content] of files) {
    const file = path.join(directory, `${paths.size}`);
    writeFileSync(file, content);
    paths.set(name, file);
  }
  return new DumpFolder(paths);
}

/** Reads all of it as the loader does. */
async function readWhole(source: DumpSource): Promise<void> {
  for (const key of (await source.smallRecords()).keys) readKey(key);
  for await (const { line } of source.tasks()) readTask(line);
  for await (const line of source.batches()) readBatch(line, [1]);
  for await (const index of source.indexes()) assert.equal(typeof index.uid, "string");
}

const DUMPS = { V1: dumpV1(), V2: dumpV2(), V3: dumpV3(), V4: dumpV4Or5("V4"), V5: dumpV4Or5("V5") };

for (const [version, dump] of Object.entries(DUMPS)) {
  test(`a dump of version ${version} with any one value spoiled is read, or refused as a dump`, async () => {
    const files = [...filesOf(dump)].filter(([name]) => !/documents\.jsonl$|update|instance-uid/.test(name));
    const queue = [...filesOf(dump)].filter(([name]) => /updates\.jsonl$|^updates\/data\.jsonl$/.test(name));
    const spoilable = [...files, ...queue];
    const property = fc.asyncProperty(
      fc.nat(spoilable.length - 1),
      fc.nat(),
      fc.jsonValue({ maxDepth: 2 }),
      async (which, nth, value) => {
        const [name, text] = spoilable[which]!;
        const { count } = spoil(text, -1, null);
        const changed = new Map(filesOf(dump)).set(name, spoil(text, nth % count, value as Json).text);
        try {
          await readWhole(await openDump(folderOf(changed), () => {}));
        } catch (problem) {
          assert.equal((problem as Error).name, "DumpProblem", (problem as Error).stack);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
}

test("a key whose end cannot be read is left out, not kept for ever", () => {
  const key = { uid: "k", actions: ["search", 7], indexes: ["*", null], created_at: "2024-01-01T00:00:00Z" };
  assert.deepEqual(readKey({ ...key, expires_at: null })?.expiresAt, null);
  assert.deepEqual(readKey(key)?.actions, ["search"]);
  assert.deepEqual(readKey(key)?.indexes, ["*"]);
  for (const end of ["soon", 17, [], {}, false]) assert.equal(readKey({ ...key, expires_at: end }), null);
});

test("uids that no task can have are left out", () => {
  const line: JsonObject = { status: "succeeded", type: "snapshotCreation", finishedAt: "2024-01-01T00:00:00Z" };
  for (const uid of [-1, 0.5, 2 ** 32, 1e300, "1", null]) assert.equal(readTask({ ...line, uid }), null);
  assert.equal(readTask({ ...line, uid: 7 })?.uid, 7);
  const batch = { stats: {}, startedAt: "2024-01-01T00:00:00Z", taskUids: [1, -1, "x", 2] };
  assert.equal(readBatch({ ...batch, uid: -1 }, []), null);
  assert.deepEqual(readBatch({ ...batch, uid: 1 }, [])?.taskUids, [1, 2]);
});
