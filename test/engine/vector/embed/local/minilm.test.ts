import assert from "node:assert/strict";
import test from "node:test";
import { type LocalModel, loadLocalModel } from "../../../../../src/engine/vector/embed/local/model.ts";

let model: LocalModel;
test.before(async () => {
  model = await loadLocalModel({ model: "sentence-transformers/all-MiniLM-L6-v2" }, { modelsDir: null });
});
test.after(() => model.close());

const similarity = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

test("what means the same is nearer than what does not", async () => {
  assert.equal(model.dimensions, 384);
  const [voyage, space, soup, salad] = await model.embed([
    "an interstellar voyage",
    "a film about space travel",
    "a recipe for tomato soup",
    "how to prepare a salad",
  ]);
  assert.ok(similarity(voyage!, space!) > similarity(voyage!, soup!) + 0.2);
  assert.ok(similarity(soup!, salad!) > similarity(soup!, space!) + 0.2);
});

test("a vector depends on its text alone, and has length 1", async () => {
  const texts = ["short", "a rather longer text about the habits of whales in winter", "", "two words"];
  const together = await model.embed(texts);
  for (const [i, text] of texts.entries()) {
    const [alone] = await model.embed([text], { purpose: "search" });
    assert.deepEqual(alone, together[i]);
    assert.ok(Math.abs(similarity(alone!, alone!) - 1) < 1e-5);
  }
});

test("only the first 256 tokens count", async () => {
  const words = (count: number): string => "whale ".repeat(count);
  const [full, over, huge] = await model.embed([words(254), words(255), `${words(254)}${"boat ".repeat(500_000)}`]);
  assert.deepEqual(over, full);
  assert.deepEqual(huge, full);
});

test("any text has a vector", async () => {
  const texts = [
    "日本語の文章",
    "🐋🌊",
    "naïve café",
    "naive cafe",
    "\ud800",
    "\0\u200b\ufeff",
    "[SEP] [PAD]",
    "ǅ".repeat(300),
  ];
  const vectors = await model.embed(texts);
  for (const vector of vectors) {
    assert.equal(vector.length, 384);
    assert.ok(vector.every(Number.isFinite));
  }
  assert.deepEqual(vectors[2], vectors[3], "the model ignores accents");
});

test("the thread hears others between two runs", async () => {
  let heard = 0;
  const timer = setInterval(() => heard++, 1);
  await model.embed(new Array(12).fill("one of several texts"));
  clearInterval(timer);
  assert.ok(heard >= 6, `heard ${heard} times`);
});

test("a revision that is asked for is not guessed", async () => {
  const settings = { model: "sentence-transformers/all-MiniLM-L6-v2", revision: "c".repeat(40) };
  await assert.rejects(loadLocalModel(settings, { modelsDir: null }), /is not on disk/);
});
