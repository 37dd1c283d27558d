import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../../../src/base/json/value.ts";

import { EmbedError } from "../../../../../src/engine/vector/embed/embedder.ts";
import { batchesOf } from "../../../../../src/engine/vector/embed/local/batches.ts";
import { loadLocalModel } from "../../../../../src/engine/vector/embed/local/model.ts";
import { temporaryDirectory } from "../../../../lib/temporary.ts";
import { type Files, modules, tinyGraph, writeTinyModel } from "./tiny-model.ts";

const modelsDir = temporaryDirectory();

let written = 0;

/** The vectors of the tiny model, with some of its files changed. */
async function embed(texts: string[], changes: Files = {}, settings: JsonObject = {}): Promise<number[][]> {
  const name = `org/tiny-${written++}`;
  writeTinyModel(path.join(modelsDir, name), changes);
  return embedWith({ model: name, ...settings }, texts);
}

async function embedWith(settings: JsonObject, texts: string[]): Promise<number[][]> {
  const model = await loadLocalModel(settings, { modelsDir });
  try {
    return (await model.embed(texts)).map((vector) => Array.from(vector));
  } finally {
    model.close();
  }
}

const fails = (call: Promise<unknown>, pattern: RegExp): Promise<void> =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof EmbedError, String(error));
    assert.match(error.message, pattern);
    return true;
  });

const pooling = (mode: string): Files => ({ "1_Pooling/config.json": { [`pooling_mode_${mode}`]: true } });

test("pooling is the model's, or the one that is forced", async () => {
  // [CLS] red blue [SEP]
  const mean = [[1, 7 / 4, 3]];
  assert.deepEqual(await embed(["red blue"]), mean);
  assert.deepEqual(await embed(["red blue"], pooling("cls_token")), [[1, 0, 0]]);
  assert.deepEqual(await embed(["red blue"], pooling("max_tokens")), [[3, 6, 8]]);
  assert.deepEqual(await embed(["red blue"], pooling("mean_sqrt_len_tokens")), [[2, 3.5, 6]]);
  assert.deepEqual(await embed(["red blue"], pooling("lasttoken")), [[0, 1, 0]]);
  assert.deepEqual(await embed(["red blue"], pooling("cls_token"), { pooling: "useModel" }), [[1, 0, 0]]);
  assert.deepEqual(await embed(["red blue"], pooling("cls_token"), { pooling: "forceMean" }), mean);
  assert.deepEqual(await embed(["red blue"], {}, { pooling: "forceCls" }), [[1, 0, 0]]);
  assert.deepEqual(await embed(["red blue"], { "1_Pooling/config.json": null }), mean);
  await fails(embed(["red"], pooling("weightedmean_tokens")), /weightedmean_tokens, which is not supported/);
});

test("vectors get length 1 where the model says so, or says nothing", async () => {
  // [CLS] red [SEP]
  const long = pooling("max_tokens");
  const unit = [[3, 1, 4].map((value) => Math.fround(value / Math.sqrt(26)))];
  assert.deepEqual(await embed(["red"], long), [[3, 1, 4]]);
  assert.deepEqual(
    await embed(["red"], { ...long, "modules.json": modules("Transformer", "Pooling", "Normalize") }),
    unit,
  );
  assert.deepEqual(await embed(["red"], { ...long, "modules.json": null }), unit);
  await fails(embed(["red"], { "modules.json": modules("Transformer", "Pooling", "Dense") }), /`Dense`/);
});

test("padding does not count: texts of any lengths come out as alone", async () => {
  const texts = ["", "red", "red blue green red blue", "blue green", "green", "unknown words", "red red red"];
  const alone = (await Promise.all(texts.map((text) => embed([text])))).flat();
  assert.deepEqual(await embed(texts), alone);
  assert.deepEqual(await embed([]), []);
});

test("a long text is cut before its closing token", async () => {
  // Eight positions: [CLS], six words, [SEP].
  const six = "red blue green red blue green";
  assert.deepEqual(await embed([`${six} green green`]), await embed([six]));
  assert.deepEqual(await embed([`${six} ${"blue ".repeat(100_000)}`], pooling("lasttoken")), [[0, 1, 0]]);
  const stated = { "sentence_bert_config.json": { max_seq_length: 4 } };
  assert.deepEqual(await embed([six], stated), await embed(["red blue"]));
});

test("models lie in plain folders or in the layout of the hub's cache", async () => {
  const commit = "a".repeat(40);
  const cache = path.join(modelsDir, "models--org--cached");
  writeTinyModel(path.join(cache, "snapshots", commit), { "onnx/model.onnx": tinyGraph("last_hidden_state") });
  mkdirSync(path.join(cache, "refs"));
  writeFileSync(path.join(cache, "refs", "main"), commit);
  const expected = await embed(["blue"]);
  assert.deepEqual(await embedWith({ model: "org/cached" }, ["blue"]), expected);
  assert.deepEqual(await embedWith({ model: "org/cached", revision: commit }, ["blue"]), expected);
  await fails(embedWith({ model: "org/cached", revision: "b".repeat(40) }, []), /revision `b{40}` is not on disk/);
  assert.deepEqual(
    await embed(["blue"], { "model.onnx": null, "onnx/model_quantized.onnx": tinyGraph("last_hidden_state") }),
    expected,
  );
});

test("a model that is not there is named with the places that were looked in", async () => {
  const missing = embedWith({ model: "org/absent" }, []);
  await fails(missing, /`org\/absent` is not on disk.*models--org--absent.*org\/absent`.*downloads no models/);
  await fails(loadLocalModel({ model: "org/absent" }, { modelsDir: null }), /no models directory is set/);
  for (const model of ["../../etc", "/etc", "a/b/c", "a/..", "", "a//b", ".hidden/x"]) {
    await fails(embedWith({ model }, []), /is no model name/);
  }
  await fails(embedWith({ model: "org/x", revision: "../../.." }, []), /is no revision name/);
});

test("broken files are named", async () => {
  await fails(embed([], { "model.onnx": null }), /has no ONNX file/);
  await fails(embed([], { "model.onnx": "not a graph" }), /model\.onnx` cannot be loaded/);
  await fails(embed([], { "tokenizer.json": null }), /tokenizer\.json` is no tokenizer/);
  await fails(embed([], { "tokenizer.json": "{" }), /tokenizer\.json` cannot be read/);
  await fails(embed([], { "tokenizer.json": { model: { type: "Unheard" } } }), /tokenizer\.json` is no tokenizer/);
  await fails(embed([], { "1_Pooling/config.json": "[" }), /config\.json` cannot be read/);
  await fails(embed([], { "model.onnx": tinyGraph("logits") }), /outputs are logits/);
});

test("dimensions that are set must be those of the model", async () => {
  assert.equal((await embed(["red"], {}, { dimensions: 3 }))[0]!.length, 3);
  await fails(embed(["red"], {}, { dimensions: 4 }), /3 dimensions, but `dimensions` is 4/);
});

test("a canceled call ends with the reason; a closed model takes no calls", async () => {
  const name = `org/tiny-${written++}`;
  writeTinyModel(path.join(modelsDir, name));
  const model = await loadLocalModel({ model: name }, { modelsDir });
  const reason = new Error("canceled");
  const stop = new AbortController();
  const call = model.embed(new Array(1000).fill("red"), { signal: stop.signal });
  stop.abort(reason);
  await assert.rejects(call, reason);
  assert.equal((await model.embed(["red"], { purpose: "search" })).length, 1);
  model.close();
  model.close();
  await fails(model.embed(["red"]), /was closed/);
});

test("batches hold every text once and stay within their bound", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 512 })), fc.integer({ min: 0, max: 1024 }), (lengths, tokensMax) => {
      const batches = batchesOf(lengths, tokensMax);
      const seen = batches.flat().sort((a, b) => a - b);
      assert.deepEqual(seen, [...lengths.keys()]);
      for (const batch of batches) {
        const longest = Math.max(...batch.map((i) => lengths[i]!));
        assert.ok(batch.length === 1 || batch.length * longest <= tokensMax);
      }
    }),
  );
});
