import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";
import type { TestServer } from "../../../lib/server.ts";
import { type TestEmbedder, vectorOf } from "./embedder.ts";
import { closeStage, openStage, succeeded } from "./stage.ts";

interface Found {
  hits: { id: number }[];
  semanticHitCount?: number;
  queryVector?: number[];
  processingTimeMs: number;
  code?: string;
  message?: string;
  results?: Found[];
}

/** After so long an embedder is given up, whatever the search says. */
const EMBEDDER_TIMEOUT_MS = 30_000;

let server: TestServer;
let embedder: TestEmbedder;

const DOCUMENTS = [
  { id: 1, title: "red fox", text: "quick" },
  { id: 2, title: "blue whale", text: "slow" },
  { id: 3, title: "grey wolf", text: "fox like" },
];

before(async () => {
  ({ server, embedder } = await openStage({ multimodal: true }));
  const fragments = {
    request: { input: ["{{fragment}}", "{{..}}"] },
    indexingFragments: { title: { value: "{{doc.title}}" } },
    searchFragments: { words: { value: "{{q}}" }, colour: { value: "{{media.colour}} {{media.animal}}" } },
  };
  const embedders = {
    words: embedder.settings({ documentTemplate: "{{doc.title}}" }),
    parts: embedder.settings(fragments),
    mine: { source: "userProvided", dimensions: 2 },
  };
  for (const uid of ["animals", "others"]) {
    // An embedder on a busy machine may take longer than a search may by default.
    const settings = await server.write("PATCH", `/indexes/${uid}/settings`, { embedders, searchCutoffMs: 60_000 });
    succeeded(settings);
    const given = DOCUMENTS.map((document) => ({ ...document, _vectors: { mine: null } }));
    const documents = await server.write("POST", `/indexes/${uid}/documents`, given);
    succeeded(documents);
  }
  await server.write("PATCH", "/indexes/hurried/settings", {
    searchCutoffMs: 1000,
    embedders: { words: embedder.settings({ documentTemplate: "{{doc.title}}" }) },
  });
  await server.write("POST", "/indexes/hurried/documents", DOCUMENTS);
});

after(() => closeStage({ server, embedder }));

beforeEach(() => {
  embedder.takeAsked();
});

async function search(body: object, uid = "animals"): Promise<Found & { status: number }> {
  const answer = await server.request<Found>("POST", `/indexes/${uid}/search`, body);
  return { ...answer.body, status: answer.status };
}

const ids = ({ hits }: Found): number[] => hits.map(({ id }) => id);
const by = (semanticRatio: number, name = "words") => ({ embedder: name, semanticRatio });

test("the query is embedded and the nearest documents are found", async () => {
  const found = await search({ q: "blue whale", hybrid: by(1), retrieveVectors: true, limit: 2 });
  assert.deepEqual(embedder.takeAsked(), ["blue whale"]);
  assert.equal(ids(found)[0], 2);
  assert.equal(found.semanticHitCount, 2);
  assert.deepEqual(found.queryVector?.map(Math.fround), vectorOf("blue whale"));
});

test("words alone need no call, nor does a vector that is given, nor a search for nothing", async () => {
  await search({ q: "fox", hybrid: by(0) });
  await search({ q: "fox", vector: vectorOf("fox"), hybrid: by(0.5) });
  await search({ hybrid: by(0.5) });
  await search({ q: "fox" });
  const similar = await server.request<Found>("POST", "/indexes/animals/similar", { id: 1, embedder: "words" });
  assert.equal(similar.body.hits.length, 2);
  assert.deepEqual(embedder.takeAsked(), []);
});

test("what words find well enough is not looked for by meaning", async () => {
  const found = await search({ q: "red fox", hybrid: by(0.2), limit: 1 });
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual(ids(found), [1]);
  assert.equal(found.semanticHitCount, 0);
  assert.equal(found.status, 200);
});

test("a hybrid search shows both what has the words and what means the same", async () => {
  const found = await search({ q: "fox", hybrid: by(0.5) });
  assert.deepEqual(embedder.takeAsked(), ["fox"]);
  assert.deepEqual(ids(found).toSorted(), [1, 2, 3]);
  assert.ok(found.semanticHitCount! > 0);
});

test("without its embedder a hybrid search goes by its words, one by meaning alone is refused", async () => {
  embedder.failure = 400;
  const hybrid = await search({ q: "fox", hybrid: by(0.5) });
  const semantic = await search({ q: "fox", hybrid: by(1) });
  embedder.failure = null;
  assert.equal(hybrid.status, 200);
  assert.deepEqual(ids(hybrid), [3, 1]);
  assert.equal(hybrid.semanticHitCount, 0);
  assert.equal(semantic.status, 400);
  assert.equal(semantic.code, "vector_embedding_error");
});

test("a slow embedder does not hold a search up beyond its time", async () => {
  embedder.hold();
  const started = performance.now();
  const hybrid = await search({ q: "fox", hybrid: by(0.9) }, "hurried");
  const semantic = await search({ q: "fox", hybrid: by(1) }, "hurried");
  const ms = performance.now() - started;
  embedder.release();
  assert.deepEqual(ids(hybrid), [3, 1]);
  assert.equal(semantic.code, "vector_embedding_error");
  assert.ok(ms < EMBEDDER_TIMEOUT_MS, `${ms} ms`);
});

test("an embedder whose vectors clients bring needs one with the query", async () => {
  const refused = await search({ q: "fox", hybrid: by(1, "mine") });
  assert.equal(refused.code, "vector_embedding_error");
  const byWords = await search({ q: "fox", hybrid: by(0.5, "mine") });
  assert.equal(byWords.status, 200);
  assert.deepEqual(ids(byWords), [3, 1]);
  const unknown = await search({ q: "fox", hybrid: by(1, "none") });
  assert.equal(unknown.code, "invalid_search_embedder");
});

test("media fill exactly one search fragment", async () => {
  const words = await search({ q: "grey wolf", hybrid: by(1, "parts"), limit: 1 });
  assert.deepEqual(embedder.takeAsked(), ["grey wolf"]);
  assert.deepEqual(ids(words), [3]);
  const media = await search({ media: { colour: "blue", animal: "whale" }, hybrid: by(1, "parts"), limit: 1 });
  assert.deepEqual(embedder.takeAsked(), ["blue whale"]);
  assert.deepEqual(ids(media), [2]);
  const none = await search({ media: { colour: "blue" }, hybrid: by(1, "parts") });
  assert.equal(none.code, "vector_embedding_error");
  const both = await search({ q: "fox", media: { colour: "blue", animal: "whale" }, hybrid: by(0.5, "parts") });
  assert.equal(both.code, "vector_embedding_error");
  const noFragments = await search({ media: { colour: "blue" }, hybrid: by(1) });
  assert.equal(noFragments.code, "vector_embedding_error");
  assert.deepEqual(embedder.takeAsked(), []);
});

test("each query of several is embedded, also when their hits are merged", async () => {
  const queries = [
    { indexUid: "animals", q: "blue whale", hybrid: by(1), limit: 1 },
    { indexUid: "others", q: "fox" },
    { indexUid: "others", q: "grey wolf", hybrid: by(1), limit: 1 },
  ];
  const { body } = await server.request<Found>("POST", "/multi-search", { queries });
  assert.deepEqual(embedder.takeAsked(), ["blue whale", "grey wolf"]);
  assert.deepEqual(body.results!.map(ids), [[2], [3, 1], [3]]);
  const merged = await server.request<Found>("POST", "/multi-search", {
    federation: { limit: 2 },
    queries: queries.map(({ limit: _, ...query }) => query),
  });
  assert.equal(merged.body.hits.length, 2);
  assert.deepEqual(embedder.takeAsked(), ["blue whale", "grey wolf"]);
  embedder.failure = 400;
  const failed = await server.request<Found>("POST", "/multi-search", { queries });
  embedder.failure = null;
  assert.equal(failed.body.code, "vector_embedding_error");
  assert.match(failed.body.message!, /queries\[0\]/);
});
