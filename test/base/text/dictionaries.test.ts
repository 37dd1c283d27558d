// Threads share the large dictionaries: whoever needs one first loads it for all.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { DictionaryMissing, tablesOf, withoutLoading } from "../../../src/base/text/dictionaries.ts";
import { shareDictionaries } from "../../../src/base/text/dictionary-memory.ts";
import { MorphemeTables } from "../../../src/base/text/morpheme-tables.ts";
import { segmentJapanese, segmentKorean } from "../../../src/base/text/morphemes.ts";

const TEXTS = ["すもももももももものうち", "아버지가방에들어가신다"] as const;

test("what one thread loads, or several at once, all have", async () => {
  shareDictionaries();
  assert.throws(() => withoutLoading(() => segmentJapanese("も", 0, 1, [])), DictionaryMissing);
  const threads = await Promise.all([cutsOfThread(), cutsOfThread(), cutsOfThread()]);
  const own: [number[], number[]] = [[], []];
  withoutLoading(() => {
    segmentJapanese(TEXTS[0], 0, TEXTS[0].length, own[0]);
    segmentKorean(TEXTS[1], 0, TEXTS[1].length, own[1]);
  });
  assert.deepEqual(own[0], [3, 4, 6, 7, 9, 10, 12]);
  assert.deepEqual(threads, [own, own, own]);
  assert.deepEqual(await cutsOfThread(), own);
});

test("a refusal to load is over when its work is", () => {
  assert.throws(
    () =>
      withoutLoading(() => {
        throw new Error("of another kind");
      }),
    { message: "of another kind" },
  );
  assert.ok(tablesOf("korean").sizes.nodes > 0);
});

async function cutsOfThread(): Promise<unknown> {
  const { filename, execArgv } = threadFile(import.meta.url, "./dictionary-thread");
  const worker = new Worker(filename, { workerData: TEXTS, execArgv });
  const [cuts] = await once(worker, "message");
  await worker.terminate();
  return cuts;
}

test("tables that were kept are those that were decoded", () => {
  const decoded = tablesOf("korean");
  const buffer = new SharedArrayBuffer(decoded.bytes.length + 64);
  assert.equal(MorphemeTables.in(buffer), null);
  const kept = MorphemeTables.put(Uint8Array.from(decoded.bytes), buffer);
  assert.deepEqual(kept.sizes, decoded.sizes);
  assert.equal(Buffer.compare(Buffer.from(kept.bytes), Buffer.from(decoded.bytes)), 0);
  assert.equal(kept.bytes.buffer, buffer);
});
