import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryCache } from "../../../../src/engine/vector/embed/cache.ts";
import { embedderKey, settingsOfKey } from "../../../../src/engine/vector/embed/key.ts";
import { embedVariables } from "../../../../src/engine/vector/embed/variables.ts";

const vector = (value: number, length = 1) => new Float32Array(length).fill(value);

test("the least recently used entry goes first", () => {
  const cache = new QueryCache(2);
  cache.set("a", vector(1));
  cache.set("b", vector(2));
  assert.equal(cache.get("a")![0], 1);
  cache.set("c", vector(3));
  assert.equal(cache.get("b"), undefined);
  assert.deepEqual([cache.get("a")![0], cache.get("c")![0]], [1, 3]);
  cache.set("a", vector(9));
  assert.equal(cache.get("a")![0], 9);
});

test("memory is bounded as well, and 0 entries keep nothing", () => {
  const cache = new QueryCache(100, 10_000);
  cache.set("a", vector(1, 1000));
  cache.set("b", vector(2, 1000));
  cache.set("c", vector(3, 1000));
  assert.equal(cache.get("a"), undefined);
  assert.equal(cache.get("c")![0], 3);
  cache.set("huge", vector(4, 10_000));
  assert.equal(cache.get("huge"), undefined);
  const none = new QueryCache(0);
  none.set("a", vector(1));
  assert.equal(none.get("a"), undefined);
});

test("two embedders are the same when they give the same vectors", () => {
  const rest = { source: "rest", url: "http://a", request: "{{text}}", response: "{{embedding}}" };
  const key = embedderKey({ ...rest, documentTemplate: "{{doc.a}}", binaryQuantized: true });
  assert.equal(key, embedderKey({ ...rest, distribution: { mean: 0.5, sigma: 0.1 } }));
  assert.deepEqual(settingsOfKey(key), rest);
  assert.notEqual(key, embedderKey({ ...rest, apiKey: "other" }));
  const halves = (template: string) =>
    embedderKey({
      source: "composite",
      indexingEmbedder: { ...rest, documentTemplate: template },
      searchEmbedder: rest,
    });
  assert.equal(halves("a"), halves("b"));
});

test("variables of the environment", () => {
  assert.deepEqual(embedVariables({}), {
    openAiKey: null,
    openAiKeyOrigins: [],
    ollamaUrl: null,
    hubUrl: "https://huggingface.co",
    requestTimeoutMs: 30_000,
    retryMsMax: 60_000,
  });
  const variables = embedVariables({
    MEILI_OPENAI_API_KEY: "",
    OPENAI_API_KEY: "k",
    MEILI_OPENAI_KEY_ORIGINS: "https://gateway.example/v1/embeddings, nonsense,http://127.0.0.1:9000",
    MEILI_OLLAMA_URL: "http://o/api/embed",
    HF_ENDPOINT: "https://mirror.example",
    MEILI_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS: "5",
    MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: "soon",
  });
  assert.deepEqual(variables, {
    openAiKey: "k",
    openAiKeyOrigins: ["https://gateway.example", "http://127.0.0.1:9000"],
    ollamaUrl: "http://o/api/embed",
    hubUrl: "https://mirror.example",
    requestTimeoutMs: 5000,
    retryMsMax: 60_000,
  });
});
