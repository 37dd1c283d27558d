import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseSearch, type SearchQuery } from "../../../src/base/contract/search.ts";
import { AnswerCache } from "../../../src/engine/cache/answer-cache.ts";
import { plainAnswer } from "../../../src/engine/cache/cached-answer.ts";
import { gzipAnswer } from "../../../src/engine/cache/gzip.ts";
import type { SearchCall } from "../../../src/engine/link/requests.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { applySettingsUpdate, defaultSettings } from "../../../src/storage/settings/update.ts";
import { answerOf } from "./answer-of.ts";

const view = (version: number): IndexView =>
  ({
    id: "1",
    contentVersion: version,
    settingsVersion: 1,
    settings: applySettingsUpdate(defaultSettings(), {}),
  }) as IndexView;
const call = (includeMetadata = false): SearchCall => ({
  arrivedAt: 0,
  dropAfterMs: 1000,
  requestUid: "11111111-1111-4111-8111-111111111111",
  includeMetadata,
  coding: null,
});
const query = (q: string, more = {}) => parseSearch({ q, ...more });
const LATER = "22222222-2222-4222-8222-222222222222";

function fresh(time: number, uid: string, padding = "") {
  return answerOf(`{"hits":[${padding}],"processingTimeMs":`, time, `,"limit":20,"requestUid":"`, uid, `"}`);
}

const answer = (time: number, uid: string, padding = "") => plainAnswer(fresh(time, uid, padding));

/** As who asks and who answers put it together. */
function keyIn(cache: AnswerCache, state: IndexView, asked: SearchQuery, { coding, ...of }: SearchCall = call()) {
  return cache.keyOf(state, cache.nameOf(asked, { coding, ...of }), of, coding);
}

const text = (found: { body: Uint8Array } | null): string | null => found && new TextDecoder().decode(found.body);

test("an answer is given again with its own time and number", () => {
  const cache = new AnswerCache(100_000);
  const key = keyIn(cache, view(1), query("a"))!;
  assert.equal(cache.find(key, LATER, 0), null);
  cache.keep(key, answer(123, call().requestUid));
  assert.equal(text(cache.find(key, LATER, 4.7)), text(answer(4, LATER)));
  assert.equal(text(cache.find(key, LATER, 12_345)), text(answer(12_345, LATER)));
});

test("an answer kept in its compressed form is given in that form", () => {
  const cache = new AnswerCache(100_000);
  const key = keyIn(cache, view(1), query("a"), { ...call(), coding: "gzip" })!;
  cache.keep(key, gzipAnswer(fresh(123, call().requestUid, "1".repeat(5000))));
  const { body, coding } = cache.find(key, LATER, 12_345)!;
  assert.equal(coding, "gzip");
  assert.equal(gunzipSync(body).toString(), text(answer(12_345, LATER, "1".repeat(5000))));
  assert.equal(cache.find(keyIn(cache, view(1), query("a"))!, LATER, 0), null);
});

test("another query or another state of the index is another question", () => {
  const cache = new AnswerCache(100_000);
  const keys = [
    keyIn(cache, view(1), query("a")),
    keyIn(cache, view(2), query("a")),
    keyIn(cache, view(1), query("b")),
    keyIn(cache, view(1), query("a", { limit: 3 })),
    keyIn(cache, view(1), query("a", { filter: "tenant = 1" })),
  ];
  for (const last of [1, 2]) keys.push(keyIn(cache, view(1), query("a", { vector: [...Array(600).fill(0.25), last] })));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(null));
});

test("what is different every time is not kept", () => {
  const cache = new AnswerCache(100_000);
  assert.equal(keyIn(cache, view(1), query("a", { showPerformanceDetails: true })), null);
  assert.equal(keyIn(cache, view(1), query("a"), call(true)), null);
  assert.equal(keyIn(cache, view(1), query("a".repeat(100_000))), null);
  assert.equal(keyIn(new AnswerCache(0), view(1), query("a")), null);
});

test("what was asked least recently goes first, and nothing takes all the room", () => {
  const cache = new AnswerCache(12_000);
  const keys = Array.from({ length: 40 }, (_, i) => keyIn(cache, view(1), query(`word${i}`))!);
  cache.keep(keys[0]!, answer(1, LATER));
  for (const key of keys.slice(1)) {
    assert.ok(cache.find(keys[0]!, LATER, 0) !== null);
    cache.keep(key, answer(1, LATER));
  }
  assert.equal(cache.find(keys[1]!, LATER, 0), null);
  assert.ok(cache.find(keys[39]!, LATER, 0) !== null);
  for (const key of keys.slice(30)) cache.find(key, LATER, 0);
  const newest = keyIn(cache, view(1), query("newest"))!;
  cache.keep(newest, answer(1, LATER));
  assert.ok(cache.find(newest, LATER, 0) !== null, "also when all others are asked for");
  const large = keyIn(cache, view(1), query("large"))!;
  cache.keep(large, answer(1, LATER, "0".repeat(5000)));
  assert.equal(cache.find(large, LATER, 0), null);
});

test("a lent answer is the same as one that is given", () => {
  const cache = new AnswerCache(10_000_000);
  for (const [i, padding] of ["", "1".repeat(5000), "1".repeat(100_000)].entries()) {
    const key = keyIn(cache, view(1), query(`word${i}`))!;
    assert.equal(cache.lend(key, LATER, 1), null);
    cache.keep(key, answer(123, call().requestUid, padding));
    assert.equal(text(cache.lend(key, LATER, 7)), text(answer(7, LATER, padding)));
    assert.equal(text(cache.lend(key, LATER, 12_345)), text(cache.find(key, LATER, 12_345)));
  }
});
