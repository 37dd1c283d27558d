import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src/base/json/value.ts";

import type { EmbedInput } from "../../../../src/engine/vector/embed/embedder.ts";
import type { LocalModel } from "../../../../src/engine/vector/embed/local/model.ts";
import { LocalEmbedder } from "../../../../src/engine/vector/embed/local.ts";
import { embedderFor, forDocuments, plain, type Received, type Reply, startProvider, texts } from "./lib.ts";

/** Answers by path: `/a` and `/near` almost alike, `/far` elsewhere, `/long` longer. */
function reply({ path, body }: Received): Reply {
  const vectors: Record<string, number[]> = {
    "/a": [1, 0, 0],
    "/near": [2, 0.1, 0],
    "/far": [1, 1, 0],
    "/long": [1, 0, 0, 0],
  };
  return { json: { embedding: vectors[path]!, text: body["t"]! } };
}

function composite(url: string, indexing: string, search: string, change: JsonObject = {}): JsonObject {
  const half = (path: string): JsonObject => ({
    source: "rest",
    url: `${url}/${path}`,
    request: { t: "{{text}}" },
    response: { embedding: "{{embedding}}" },
  });
  return {
    source: "composite",
    indexingEmbedder: { ...half(indexing), ...change },
    searchEmbedder: { ...half(search), ...change },
  };
}

test("documents go to one half and searches to the other", async (t) => {
  const provider = await startProvider(t, reply);
  const embedder = embedderFor(t, composite(provider.url, "a", "near"));
  assert.equal(embedder.dimensions, null);
  await embedder.embed(texts("document"), forDocuments());
  await embedder.embed(texts("query"), forDocuments({ purpose: "search" }));
  assert.deepEqual(
    provider.received.map(({ path, body }) => [path, body["t"]]),
    [
      ["/a", "document"],
      ["/near", "query"],
    ],
  );
  assert.equal(embedder.dimensions, 3);
});

test("halves that agree are accepted, others refused", async (t) => {
  const provider = await startProvider(t, reply);
  const prepare = (indexing: string, search: string) =>
    embedderFor(t, composite(provider.url, indexing, search)).prepare(forDocuments());
  assert.equal(await prepare("a", "near"), 3);
  const texts = new Set(provider.received.filter(({ path }) => path === "/near").map(({ body }) => body["t"]));
  assert.equal(texts.size, 3);
  await assert.rejects(prepare("a", "far"), {
    kind: "user",
    message: /do not agree: for the text `.*` .* 0\.293 apart/,
  });
  await assert.rejects(prepare("a", "long"), {
    kind: "user",
    message: /`indexingEmbedder` gives 3 dimensions, `searchEmbedder` 4/,
  });
});

test("halves with fragments cannot be compared by a text", async (t) => {
  const provider = await startProvider(t, reply);
  const settings = composite(provider.url, "a", "far", { request: { t: "{{fragment}}" }, dimensions: 3 });
  const [indexing, search] = [settings["indexingEmbedder"], settings["searchEmbedder"]] as [JsonObject, JsonObject];
  indexing["indexingFragments"] = { f: { value: "{{doc.a}}" } };
  search["searchFragments"] = { f: { value: "{{q}}" } };
  const embedder = embedderFor(t, settings);
  assert.equal(await embedder.prepare(forDocuments()), 3);
  assert.equal(provider.received.length, 0);
  const input: EmbedInput = { text: null, fragment: { deep: ["value"] } };
  assert.equal((await embedder.embed([input], forDocuments())).length, 1);
  assert.deepEqual(provider.received[0]!.body, { t: { deep: ["value"] } });
});

test("a local model is loaded once, when first needed, and again after a failure", async () => {
  let loads = 0;
  let closed = 0;
  const model: LocalModel = {
    dimensions: 1,
    embed: async (all) => all.map((text) => Float32Array.of(text.length)),
    close: () => closed++,
  };
  const embedder = new LocalEmbedder(async () => {
    if (++loads === 1) throw new Error("no such model");
    return model;
  });
  assert.equal(embedder.dimensions, null);
  await assert.rejects(embedder.prepare(), /no such model/);
  const calls = [embedder.embed(texts("a", "bb"), forDocuments()), embedder.embed(texts("ccc"), forDocuments())];
  assert.deepEqual((await Promise.all(calls)).map(plain), [[[1], [2]], [[3]]]);
  assert.equal(loads, 2);
  assert.equal(embedder.dimensions, 1);
  await assert.rejects(embedder.embed([{ text: null, fragment: "f" }], forDocuments()), /was given none/);
  embedder.close();
  await new Promise(setImmediate);
  assert.equal(closed, 1);
});
