import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestKeyCache } from "../../../src/engine/cache/request-keys.ts";

test("a text stands for its question as long as the flags are the same", () => {
  const known = new RequestKeyCache();
  const [flags, others] = [{}, {}];
  known.remember("a", { name: "question a", parameters: 1, q: null }, flags);
  assert.deepEqual(known.find("a", flags), { name: "question a", parameters: 1, q: null });
  assert.equal(known.find("b", flags), null);
  assert.equal(known.find("a", others), null);
  known.remember("b", { name: "question b", parameters: 0, q: null }, others);
  assert.equal(known.find("b", others)?.name, "question b");
  assert.equal(known.find("a", others), null, "what was known under other flags is forgotten");
});

test("memory is bounded", () => {
  const known = new RequestKeyCache();
  const flags = {};
  known.remember("x".repeat(100_000), { name: "long", parameters: 0, q: null }, flags);
  assert.equal(known.find("x".repeat(100_000), flags), null);
  const texts = Array.from({ length: 100_000 }, (_, i) => `text ${i}`);
  for (const text of texts) known.remember(text, { name: text, parameters: 0, q: null }, flags);
  const left = texts.filter((text) => known.find(text, flags) !== null);
  assert.ok(left.length > 0 && left.length < 10_000, `${left.length} left`);
});
