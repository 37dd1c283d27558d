import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch } from "../../src/contract/search.ts";
import { applySettingsUpdate, defaultSettings } from "../../src/index/settings-update.ts";
import type { IndexView } from "../../src/index/view.ts";
import type { SearchCall } from "../../src/link/requests.ts";
import { AnswerCache } from "../../src/reader/answer-cache.ts";

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
  const head = `{"hits":[${padding}],"processingTimeMs":`;
  const middle = `,"limit":20,"requestUid":"`;
  const body = new TextEncoder().encode(`${head}${time}${middle}${uid}"}`);
  const timeEnd = head.length + String(time).length;
  return { body, timeAt: head.length, timeEnd, uidAt: timeEnd + middle.length };
}

const text = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes);

test("an answer is given again with its own time and number", () => {
  const cache = new AnswerCache(100_000);
  const key = cache.keyOf(view(1), query("a"), call())!;
  assert.equal(cache.find(key, LATER, 0), null);
  cache.keep(key, answer(123, call().requestUid));
  assert.equal(text(cache.find(key, LATER, 4.7)), text(answer(4, LATER).body));
  assert.equal(text(cache.find(key, LATER, 12_345)), text(answer(12_345, LATER).body));
});

test("another query or another state of the index is another question", () => {
  const cache = new AnswerCache(100_000);
  const keys = [
    cache.keyOf(view(1), query("a"), call()),
    cache.keyOf(view(2), query("a"), call()),
    cache.keyOf(view(1), query("b"), call()),
    cache.keyOf(view(1), query("a", { limit: 3 }), call()),
    cache.keyOf(view(1), query("a", { filter: "tenant = 1" }), call()),
  ];
  for (const last of [1, 2])
    keys.push(cache.keyOf(view(1), query("a", { vector: [...Array(600).fill(0.25), last] }), call()));
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(null));
});

test("what is different every time is not kept", () => {
  const cache = new AnswerCache(100_000);
  assert.equal(cache.keyOf(view(1), query("a", { showPerformanceDetails: true }), call()), null);
  assert.equal(cache.keyOf(view(1), query("a"), call(true)), null);
  assert.equal(cache.keyOf(view(1), query("a".repeat(100_000)), call()), null);
  assert.equal(new AnswerCache(0).keyOf(view(1), query("a"), call()), null);
});

test("what was asked least recently goes first, and nothing takes all the room", () => {
  const cache = new AnswerCache(12_000);
  const keys = Array.from({ length: 40 }, (_, i) => cache.keyOf(view(1), query(`word${i}`), call())!);
  cache.keep(keys[0]!, answer(1, LATER));
  for (const key of keys.slice(1)) {
    assert.ok(cache.find(keys[0]!, LATER, 0) !== null);
    cache.keep(key, answer(1, LATER));
  }
  assert.equal(cache.find(keys[1]!, LATER, 0), null);
  assert.ok(cache.find(keys[39]!, LATER, 0) !== null);
  const large = cache.keyOf(view(1), query("large"), call())!;
  cache.keep(large, answer(1, LATER, "0".repeat(5000)));
  assert.equal(cache.find(large, LATER, 0), null);
});
