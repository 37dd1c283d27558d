import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseSearch } from "../../src/contract/search.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/index/settings-update.ts";
import type { IndexView } from "../../src/index/view.ts";
import { plainAnswer } from "../../src/kept/answer.ts";
import { KeptAnswers } from "../../src/kept/answers.ts";
import { gzipAnswer } from "../../src/kept/gzip.ts";
import type { SearchCall } from "../../src/link/requests.ts";
import { answerOf } from "./answer-of.ts";

const view = (version: number): IndexView =>
  ({ id: "1", version, settingsVersion: 1, settings: applySettingsUpdate(defaultSettings(), {}) }) as IndexView;
const call = (includeMetadata = false): SearchCall => ({
  arrivedAt: 0,
  dropAfterMs: 1000,
  requestUid: "11111111-1111-4111-8111-111111111111",
  includeMetadata,
  coding: null,
});
const query = (q: string, more = {}) => parseSearch({ q, ...more });
const LATER = "22222222-2222-4222-8222-222222222222";

function answer(time: number, uid: string, padding = "") {
  return plainAnswer(
    answerOf(`{"hits":[${padding}],"processingTimeMs":`, time, `,"limit":20,"requestUid":"`, uid, `"}`),
  );
}

const text = (found: { body: Uint8Array } | null): string | null => found && new TextDecoder().decode(found.body);

test("an answer is given again with its own time and number", () => {
  const cache = new KeptAnswers(100_000);
  const key = cache.keyOf(view(1), query("a"), call(), null)!;
  assert.equal(cache.find(key, LATER, 0), null);
  cache.keep(key, answer(123, call().requestUid));
  assert.equal(text(cache.find(key, LATER, 4.7)), text(answer(4, LATER)));
  assert.equal(text(cache.find(key, LATER, 12_345)), text(answer(12_345, LATER)));
});

test("an answer kept in its compressed form is given in that form", () => {
  const cache = new KeptAnswers(100_000);
  const key = cache.keyOf(view(1), query("a"), call(), "gzip")!;
  cache.keep(key, gzipAnswer(answer(123, call().requestUid, "1".repeat(5000))));
  const { body, coding } = cache.find(key, LATER, 12_345)!;
  assert.equal(coding, "gzip");
  assert.equal(gunzipSync(body).toString(), text(answer(12_345, LATER, "1".repeat(5000))));
  assert.equal(cache.find(cache.keyOf(view(1), query("a"), call(), null)!, LATER, 0), null);
});

test("another query or another state of the index is another question", () => {
  const cache = new KeptAnswers(100_000);
  const keys = [
    cache.keyOf(view(1), query("a"), call(), null),
    cache.keyOf(view(2), query("a"), call(), null),
    cache.keyOf(view(1), query("b"), call(), null),
    cache.keyOf(view(1), query("a", { limit: 3 }), call(), null),
    cache.keyOf(view(1), query("a", { filter: "tenant = 1" }), call(), null),
  ];
  for (const last of [1, 2])
    keys.push(cache.keyOf(view(1), query("a", { vector: [...Array(600).fill(0.25), last] }), call(), null));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(null));
});

test("what is different every time is not kept", () => {
  const cache = new KeptAnswers(100_000);
  assert.equal(cache.keyOf(view(1), query("a", { showPerformanceDetails: true }), call(), null), null);
  assert.equal(cache.keyOf(view(1), query("a"), call(true), null), null);
  assert.equal(cache.keyOf(view(1), query("a".repeat(100_000)), call(), null), null);
  assert.equal(new KeptAnswers(0).keyOf(view(1), query("a"), call(), null), null);
});

test("what was asked least recently goes first, and nothing takes all the room", () => {
  const cache = new KeptAnswers(12_000);
  const keys = Array.from({ length: 40 }, (_, i) => cache.keyOf(view(1), query(`word${i}`), call(), null)!);
  cache.keep(keys[0]!, answer(1, LATER));
  for (const key of keys.slice(1)) {
    assert.ok(cache.find(keys[0]!, LATER, 0) !== null);
    cache.keep(key, answer(1, LATER));
  }
  assert.equal(cache.find(keys[1]!, LATER, 0), null);
  assert.ok(cache.find(keys[39]!, LATER, 0) !== null);
  const large = cache.keyOf(view(1), query("large"), call(), null)!;
  cache.keep(large, answer(1, LATER, "0".repeat(5000)));
  assert.equal(cache.find(large, LATER, 0), null);
});
