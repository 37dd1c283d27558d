import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src/base/json/value.ts";
import { AddressPolicy } from "../../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../../src/base/net/outgoing.ts";

import type { EmbedInput } from "../../../../src/engine/vector/embed/embedder.ts";
import { ollamaProvider, openAiProvider } from "../../../../src/engine/vector/embed/provider.ts";
import {
  embedderFor,
  environment,
  forDocuments,
  plain,
  type Reply,
  restReply,
  restSettings,
  startProvider,
  texts,
  vectorFor,
} from "./lib.ts";

test("texts go out in batches of ten, and vectors come back in their order", async (t) => {
  const provider = await startProvider(t, restReply);
  const embedder = embedderFor(t, restSettings(`${provider.url}/v1?key=1`, { apiKey: "secret" }));
  assert.equal(embedder.dimensions, null);
  const asked = Array.from({ length: 25 }, (_, i) => `text ${"x".repeat(i)}`);
  const problems: (string | null)[] = [];
  const options = forDocuments({ onRequest: (problem) => problems.push(problem) });
  const vectors = await embedder.embed(texts(...asked), options);
  assert.deepEqual(plain(vectors), asked.map(vectorFor));
  assert.deepEqual(provider.received.map(({ body }) => (body["input"] as string[]).length).sort(), [10, 10, 5]);
  assert.deepEqual(problems, [null, null, null]);
  assert.equal(embedder.dimensions, 3);
  const [{ path, headers }] = provider.received as [(typeof provider.received)[0]];
  assert.equal(path, "/v1?key=1");
  assert.equal(headers["authorization"], "Bearer secret");
  assert.equal(headers["content-type"], "application/json");
});

test("no request grows beyond its bound, and none is made for nothing", async (t) => {
  const provider = await startProvider(t, restReply);
  const embedder = embedderFor(t, restSettings(provider.url));
  assert.deepEqual(await embedder.embed([], forDocuments()), []);
  assert.equal(provider.received.length, 0);
  const long = "x".repeat(100_000);
  await embedder.embed(texts(long, long, long, long), forDocuments());
  assert.deepEqual(
    provider.received.map(({ body }) => (body["input"] as string[]).length),
    [2, 2],
  );
});

test("a template that does not repeat takes one text a request; own headers win over those of the server", async (t) => {
  const provider = await startProvider(t, ({ body }) => ({ json: { v: vectorFor(body["t"] as string) } }));
  const embedder = embedderFor(t, {
    source: "rest",
    url: provider.url,
    apiKey: "secret",
    headers: { Authorization: "Basic x", "X-Own": "yes" },
    request: { t: "{{text}}" },
    response: { v: "{{embedding}}" },
  });
  assert.deepEqual(plain(await embedder.embed(texts("a", "bb"), forDocuments())), [vectorFor("a"), vectorFor("bb")]);
  assert.equal(provider.received.length, 2);
  const { headers } = provider.received[0]!;
  assert.equal(headers["authorization"], "Basic x");
  assert.equal(headers["x-own"], "yes");
});

test("dimensions are found by a trial only when nothing tells them, and again when asked again", async (t) => {
  let length = 3;
  const provider = await startProvider(t, () => ({ json: { data: [{ embedding: Array(length).fill(1) }] } }));
  const told = embedderFor(t, restSettings(provider.url, { dimensions: 7 }));
  assert.equal(await told.prepare(forDocuments()), 7);
  assert.equal(provider.received.length, 0);
  const silent = embedderFor(t, restSettings(provider.url));
  assert.equal(await silent.prepare(forDocuments()), 3);
  assert.deepEqual(provider.received[0]!.body, { input: ["test"] });
  length = 4;
  assert.equal(await silent.prepare(forDocuments()), 4);
  assert.equal(silent.dimensions, 4);
});

test("every vector has the length of the first, or of the settings", async (t) => {
  const provider = await startProvider(t, ({ body }) => ({
    json: { data: (body["input"] as string[]).map((text) => ({ embedding: Array(text.length).fill(1) })) },
  }));
  const wrong = embedderFor(t, restSettings(provider.url, { dimensions: 2 })).embed(texts("abc"), forDocuments());
  await assert.rejects(wrong, {
    code: "vector_embedding_error",
    kind: "user",
    retryable: false,
    message: /expected embeddings with 2 dimensions, but the model gave 3/,
  });
  const mixed = embedderFor(t, restSettings(provider.url)).embed(texts("ab", "abc"), forDocuments());
  await assert.rejects(mixed, /expected embeddings with 2 dimensions, but the model gave 3/);
  assert.equal(provider.received.length, 2);
});

test("fragments are sent as they were rendered, and their dimensions must be known", async (t) => {
  const provider = await startProvider(t, ({ body }) => ({
    json: { data: (body["inputs"] as JsonObject[]).map((_, i) => ({ embedding: [i, 1] })) },
  }));
  const settings: JsonObject = {
    source: "rest",
    url: provider.url,
    dimensions: 2,
    request: { inputs: ["{{fragment}}", "{{..}}"] },
    response: { data: [{ embedding: "{{embedding}}" }, "{{..}}"] },
    indexingFragments: { text: { value: { text: "{{doc.name}}" } } },
    searchFragments: { text: { value: { text: "{{q}}" } } },
  };
  const embedder = embedderFor(t, settings);
  const inputs: EmbedInput[] = [
    { text: null, fragment: { text: "dog" } },
    { text: null, fragment: "cat" },
  ];
  assert.equal((await embedder.embed(inputs, forDocuments())).length, 2);
  assert.deepEqual(provider.received[0]!.body, { inputs: [{ text: "dog" }, "cat"] });
  await assert.rejects(embedder.embed(texts("plain"), forDocuments()), /it embeds a fragment, and was given none/);
  const { dimensions: _, ...unknown } = settings;
  await assert.rejects(embedderFor(t, unknown).prepare(forDocuments()), /must give its `dimensions`/);
});

test("hosted models: known sizes, shortened vectors, the key of the environment", async (t) => {
  const provider = await startProvider(t, ({ body }) => ({
    json: { data: (body["input"] as string[]).map(() => ({ embedding: [1, 2], index: 0 })) },
  }));
  const fromEnvironment = { openAiKey: "from env", openAiKeyOrigins: [provider.url] };
  const openAi = (change: JsonObject) => embedderFor(t, { source: "openAi", ...change }, fromEnvironment);
  const sizes = ["text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large"].map(
    (model) => openAi({ model }).dimensions,
  );
  assert.deepEqual(
    [...sizes, openAi({}).dimensions, openAi({ model: "other" }).dimensions],
    [1536, 1536, 3072, 1536, null],
  );
  const url = `${provider.url}/v1/embeddings`;
  await openAi({ url, dimensions: 2 }).embed(texts("a", "b"), forDocuments());
  assert.deepEqual(provider.received[0]!.body, { model: "text-embedding-3-small", input: ["a", "b"], dimensions: 2 });
  assert.equal(provider.received[0]!.headers["authorization"], "Bearer from env");
  assert.equal(await openAi({ url, model: "other", apiKey: "own" }).prepare(forDocuments()), 2);
  assert.deepEqual(provider.received[1]!.body, { model: "other", input: ["test"] });
  assert.equal(provider.received[1]!.headers["authorization"], "Bearer own");
});

test("the key of the environment goes to no address that a client named", async (t) => {
  const provider = await startProvider(t, () => ({ status: 401, json: { error: "no key" } }));
  const own = "https://api.openai.com";
  const lookalikes = ["https://api.openai.com.evil.example", "https://api.openai.com:8443", "http://api.openai.com"];
  for (const origin of [own, ...lookalikes, "https://api.openai.com@evil.example"]) {
    const settings = { source: "openAi", url: `${origin}/v1/embeddings` };
    const { headers } = openAiProvider(settings, environment(t, { openAiKey: "from env" }));
    assert.equal(headers["authorization"], origin === own ? "Bearer from env" : undefined, origin);
  }
  const embedder = embedderFor(t, { source: "openAi", url: provider.url }, { openAiKey: "from env" });
  await assert.rejects(embedder.embed(texts("a"), forDocuments()), /set `apiKey`: .*MEILI_OPENAI_KEY_ORIGINS/);
  assert.equal(provider.received[0]!.headers["authorization"], undefined);
});

test("a text that a hosted model finds too long is cut, alone", async (t) => {
  const provider = await startProvider(t, ({ body }): Reply => {
    const input = body["input"] as string[];
    if (input.some((text) => Buffer.byteLength(text) > 10_000)) return { status: 400, json: { error: "too long" } };
    return { json: { data: input.map((text) => ({ embedding: [text.length, 1] })) } };
  });
  const embedder = embedderFor(t, { source: "openAi", url: provider.url, model: "any" });
  const long = "é".repeat(50_000);
  const vectors = await embedder.embed(texts("short", long), forDocuments());
  assert.deepEqual(plain(vectors), [
    [5, 1],
    [4095, 1],
  ]);
  assert.equal(provider.received.length, 4);
  await embedder.embed(texts(long), forDocuments());
});

test("a hosted model that finds fault with a short text is not asked again", async (t) => {
  const provider = await startProvider(t, () => ({ status: 400, json: { error: { message: "no such model" } } }));
  const embedder = embedderFor(t, { source: "openAi", url: provider.url });
  await assert.rejects(embedder.embed(texts("short"), forDocuments()), /status 400.*no such model/);
  assert.equal(provider.received.length, 1);
});

test("a local model server is asked by the interface its address names", async (t) => {
  const provider = await startProvider(
    t,
    ({ path, body }): Reply =>
      path.endsWith("/api/embed")
        ? { json: { embeddings: (body["input"] as string[]).map(vectorFor) } }
        : { json: { embedding: vectorFor(body["prompt"] as string) } },
  );
  const ollama = (url: string) => embedderFor(t, { source: "ollama", model: "nomic", url });
  const several = await ollama(`${provider.url}/api/embed`).embed(texts("a", "bb"), forDocuments());
  assert.deepEqual(plain(several), [vectorFor("a"), vectorFor("bb")]);
  assert.deepEqual(provider.received[0]!.body, { model: "nomic", input: ["a", "bb"] });
  const single = await ollama(`${provider.url}/x/api/embeddings`).embed(texts("a", "bb"), forDocuments());
  assert.deepEqual(plain(single), [vectorFor("a"), vectorFor("bb")]);
  assert.deepEqual(
    provider.received.slice(1).map(({ body }) => body),
    [
      { model: "nomic", prompt: "a" },
      { model: "nomic", prompt: "bb" },
    ],
  );
  assert.throws(() => ollama(`${provider.url}/v1/embeddings`), /must end with `\/api\/embed` or `\/api\/embeddings`/);
  const byVariable = embedderFor(t, { source: "ollama", model: "m" }, { ollamaUrl: `${provider.url}/api/embed` });
  assert.equal(await byVariable.prepare(forDocuments()), 3);
});

// The interface, embedder object, url: "local model server default on port 11434"
test("an address that the operator gave may be on this machine, one that a client names may not", async (t) => {
  const provider = await startProvider(t, ({ body }) => ({
    json: { embeddings: (body["input"] as string[]).map(vectorFor) },
  }));
  const url = `${provider.url}/api/embed`;
  const outgoing = new Outgoing(new AddressPolicy([]));
  t.after(() => outgoing.close());
  const ollama = { source: "ollama", model: "m" };
  const byOperator = embedderFor(t, ollama, { outgoing, ollamaUrl: url });
  assert.equal(await byOperator.prepare(forDocuments()), 3);
  const byClient = embedderFor(t, { ...ollama, url }, { outgoing, ollamaUrl: url });
  await assert.rejects(byClient.prepare(forDocuments()), /cannot be called: .* is not public; allow it with/);
  assert.equal(provider.received.length, 1);
  const { url: standard, isOperators } = ollamaProvider(ollama, environment(t));
  assert.deepEqual([standard, isOperators], ["http://localhost:11434/api/embeddings", true]);
});

test("what cannot be called is refused when the embedder is made", (t) => {
  const make = (settings: JsonObject) => () => embedderFor(t, settings);
  assert.throws(make(restSettings("ftp://example.com")), /must begin with `http:/);
  assert.throws(make({ source: "userProvided", dimensions: 3 }), /embeds nothing itself/);
  assert.throws(make(restSettings("http://a.example", { request: {} })), /in `request`: `\{\{text\}\}` not found/);
  assert.throws(
    make(restSettings("http://a.example", { response: [] })),
    /in `response`: `\{\{embedding\}\}` not found/,
  );
});
