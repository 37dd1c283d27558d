// The front has dictionaries loaded by readers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tablesOf } from "../../../src/base/text/dictionaries.ts";
import { segmentJapanese, segmentKorean } from "../../../src/base/text/morphemes.ts";
import type { ReaderAnswer } from "../../../src/engine/reader/pool.ts";
import { withDictionaries } from "../../../src/server/front/dictionaries.ts";
import type { Readers } from "../../../src/server/front/services.ts";

function wordsOf(text: string): number {
  const cuts: number[] = [];
  segmentJapanese(text, 0, text.length, cuts);
  segmentKorean(text, 0, text.length, cuts);
  return cuts.length;
}

/** Readers that do what `load` does; `asked` holds the names of the dictionaries. */
function fakeReaders(load: (name: "japanese" | "korean") => number): { readers: Readers; asked: string[] } {
  const asked: string[] = [];
  const readers: Readers = {
    admit: () => {},
    noteGiven: () => {},
    async request(_kind, header): Promise<ReaderAnswer> {
      const { dictionary } = header as { dictionary: "japanese" | "korean" };
      asked.push(dictionary);
      return {
        status: load(dictionary),
        contentType: "application/octet-stream",
        body: new Uint8Array(0),
        coding: null,
      };
    },
  };
  return { readers, asked };
}

test("a dictionary is loaded here only if no reader could", async () => {
  const failing = fakeReaders(() => 500);
  assert.equal(await withDictionaries(failing.readers, () => tablesOf("japanese").sizes.categories), 11);
  assert.deepEqual(failing.asked, ["japanese"]);
});

test("each missing dictionary is loaded by a reader, once", async () => {
  const { readers, asked } = fakeReaders((name) => {
    tablesOf(name);
    return 204;
  });
  assert.equal(await withDictionaries(readers, () => wordsOf("東京")), 2);
  assert.equal(await withDictionaries(readers, () => wordsOf("東京")), 2);
  assert.deepEqual(asked, ["korean"]);
});

test("what goes wrong otherwise goes its way", async () => {
  const { readers } = fakeReaders(() => 204);
  const work = () => {
    throw new Error("of another kind");
  };
  await assert.rejects(withDictionaries(readers, work), { message: "of another kind" });
});
