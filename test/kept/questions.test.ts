import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownQuestions } from "../../src/kept/questions.ts";

test("a text stands for its question as long as the flags are the same", () => {
  const known = new KnownQuestions();
  const [flags, others] = [{}, {}];
  known.remember("a", "question a", flags);
  assert.equal(known.nameOf("a", flags), "question a");
  assert.equal(known.nameOf("b", flags), null);
  assert.equal(known.nameOf("a", others), null);
  known.remember("b", "question b", others);
  assert.equal(known.nameOf("b", others), "question b");
  assert.equal(known.nameOf("a", others), null, "what was known under other flags is forgotten");
});

test("memory is bounded", () => {
  const known = new KnownQuestions();
  const flags = {};
  known.remember("x".repeat(100_000), "long", flags);
  assert.equal(known.nameOf("x".repeat(100_000), flags), null);
  const texts = Array.from({ length: 100_000 }, (_, i) => `text ${i}`);
  for (const text of texts) known.remember(text, text, flags);
  const left = texts.filter((text) => known.nameOf(text, flags) !== null);
  assert.ok(left.length > 0 && left.length < 10_000, `${left.length} left`);
});
