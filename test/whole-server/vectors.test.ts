import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

interface Found {
  hits: {
    id: number;
    _vectors?: Record<string, { embeddings: number[][]; regenerate: boolean }>;
    _rankingScore?: number;
    _rankingScoreDetails?: Record<string, { order: number; value: number[] | null; similarity: number | null }>;
  }[];
  processingTimeMs: number;
  estimatedTotalHits: number;
  semanticHitCount?: number;
  queryVector?: number[];
  queryVectors?: Record<string, number[]>;
  code?: string;
}

const DOCUMENTS = [
  { id: 0, text: "red fox", kind: "a", _vectors: { mine: [1, 0] } },
  { id: 1, text: "blue whale", kind: "b", _vectors: { mine: { embeddings: [0, 1], regenerate: true } } },
  {
    id: 2,
    text: "old fox",
    kind: "b",
    _vectors: {
      mine: [
        [-1, 0],
        [1, 1],
      ],
      other: "kept as it is",
    },
  },
  { id: 3, text: "quiet house", kind: "a", _vectors: { mine: null } },
];

let server: TestServer;

before(async () => {
  server = await TestServer.start();
});

after(() => server.dispose());

async function fresh(uid: string, embedder: object = {}): Promise<void> {
  const embedders = { mine: { source: "userProvided", dimensions: 2, ...embedder } };
  const settings = await server.write("PATCH", `/indexes/${uid}/settings`, {
    embedders,
    filterableAttributes: ["kind"],
  });
  assert.equal(settings.status, "succeeded");
  const documents = await server.write("POST", `/indexes/${uid}/documents`, DOCUMENTS);
  assert.equal(documents.status, "succeeded", JSON.stringify(documents));
}

async function find(path: string, body: unknown): Promise<Found> {
  return (await server.request<Found>("POST", path, body)).body;
}

const idsOf = ({ hits }: Found): number[] => hits.map(({ id }) => id);
const HYBRID = { embedder: "mine", semanticRatio: 1 };

test("numbers of vectors are written as floats, whole ones too", async () => {
  await fresh("written");
  const text = async (path: string, body: object): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${server.base}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return answer.text();
  };
  const query = { vector: [3, 0.1], hybrid: HYBRID, retrieveVectors: true, limit: 1 };
  const single = await text("/indexes/written/search", query);
  assert.ok(single.includes('"queryVector":[3.0,0.1]'), single);
  assert.ok(single.includes('"embeddings":[[1.0,0.0]]'), single);
  const { limit, ...searched } = query;
  const federated = await text("/multi-search", {
    federation: { limit },
    queries: [{ indexUid: "written", ...searched }],
  });
  assert.ok(federated.includes('"queryVectors":{"0":[3.0,0.1]}'), federated);
  assert.ok(federated.includes('"embeddings":[[1.0,0.0]]'), federated);
});

test("vectors too long to be compared are far from all others, and cost no time", async () => {
  await fresh("long");
  const long = [
    { id: 4, _vectors: { mine: [1e30, 1e30] } },
    {
      id: 5,
      _vectors: {
        mine: [
          [1e30, 0],
          [1e30, 1],
        ],
      },
    },
  ];
  assert.equal((await server.write("POST", "/indexes/long/documents", long)).status, "succeeded");
  for (const vector of [
    [0, 0],
    [1e30, 1e30],
    [1, 0],
  ]) {
    const answer = await find("/indexes/long/search", { vector, hybrid: HYBRID, showRankingScoreDetails: true });
    assert.equal(answer.hits.length, 6);
    assert.equal(answer.semanticHitCount, 6);
    assert.ok(answer.processingTimeMs < 1000);
  }
  const similar = await server.request<Found>("POST", "/indexes/long/similar", { id: 4, embedder: "mine" });
  assert.equal(similar.body.hits.length, 4);
});

test("a search by meaning shows similarities, the vector asked for and those of the documents", async () => {
  await fresh("semantic");
  const answer = await find("/indexes/semantic/search", {
    vector: [1, 0],
    hybrid: HYBRID,
    retrieveVectors: true,
    showRankingScore: true,
    showRankingScoreDetails: true,
  });
  assert.deepEqual(idsOf(answer), [0, 2, 1, 3]);
  assert.equal(answer.semanticHitCount, 4);
  assert.equal(answer.estimatedTotalHits, 4);
  assert.deepEqual(answer.queryVector, [1, 0]);
  assert.deepEqual(
    answer.hits.map(({ _rankingScore }) => Math.round(_rankingScore! * 1e4) / 1e4),
    [1, 0.8536, 0.5, 0],
  );
  assert.deepEqual(answer.hits[0]!._rankingScoreDetails, {
    "vectorSort(1,0)": { order: 0, value: [1, 0], similarity: 1 },
  });
  assert.deepEqual(answer.hits[3]!._rankingScoreDetails, {
    "vectorSort(1,0)": { order: 0, value: null, similarity: null },
  });
  assert.deepEqual(answer.hits[2]!._vectors, { mine: { embeddings: [[0, 1]], regenerate: true } });
  assert.deepEqual(answer.hits[1]!._vectors?.["other"], "kept as it is");
  const filtered = await find("/indexes/semantic/search", { vector: [1, 0], hybrid: HYBRID, filter: "kind = b" });
  assert.deepEqual(idsOf(filtered), [2, 1]);
});

test("filters and statistics know which documents have vectors", async () => {
  await fresh("traits");
  await server.request("PATCH", "/experimental-features", { multimodal: true });
  const matching = async (filter: string) => idsOf(await find("/indexes/traits/search", { filter }));
  assert.deepEqual(await matching("_vectors EXISTS"), [0, 1, 2]);
  assert.deepEqual(await matching("_vectors.mine.regenerate EXISTS"), [1]);
  assert.deepEqual(await matching("_vectors.mine.userProvided EXISTS"), [0, 2]);
  const stats = async () => (await server.request<Record<string, number>>("GET", "/indexes/traits/stats")).body;
  let { numberOfEmbeddings, numberOfEmbeddedDocuments } = await stats();
  assert.deepEqual([numberOfEmbeddings, numberOfEmbeddedDocuments], [4, 3]);
  await server.write("DELETE", "/indexes/traits/documents/2");
  ({ numberOfEmbeddings, numberOfEmbeddedDocuments } = await stats());
  assert.deepEqual([numberOfEmbeddings, numberOfEmbeddedDocuments], [2, 2]);
});

test("a hybrid search mixes both, and goes on with words when there is no vector", async () => {
  await fresh("hybrid");
  const ask = (body: object) => find("/indexes/hybrid/search", { q: "whale", ...body });
  const mixed = await ask({ vector: [1, 0], hybrid: { embedder: "mine", semanticRatio: 0.6 } });
  assert.deepEqual(idsOf(mixed), [0, 2, 1, 3]);
  assert.equal(mixed.semanticHitCount, 3);
  const wordsOnly = await ask({ hybrid: { embedder: "mine", semanticRatio: 0.6 } });
  assert.deepEqual([idsOf(wordsOnly), wordsOnly.semanticHitCount], [[1], 0]);
  assert.equal((await ask({ hybrid: HYBRID })).code, "vector_embedding_error");
  assert.equal((await ask({ hybrid: HYBRID, vector: [1] })).code, "invalid_vector_dimensions");
});

test("similar documents leave the document itself out", async () => {
  await fresh("similar");
  const ask = (body: object) => find("/indexes/similar/similar", { id: 0, embedder: "mine", ...body });
  const answer = await ask({ showRankingScore: true });
  assert.deepEqual(idsOf(answer), [2, 1]);
  assert.equal(answer.estimatedTotalHits, 3);
  assert.equal((await ask({ id: 77 })).code, "not_found_similar_id");
  assert.deepEqual(idsOf(await ask({ filter: "kind = a" })), []);
});

test("federated searches by meaning are counted", async () => {
  await fresh("federated");
  const query = { indexUid: "federated", hybrid: HYBRID, retrieveVectors: true };
  const answer = await find("/multi-search", {
    federation: {},
    queries: [
      { ...query, vector: [1, 0] },
      { ...query, vector: [0, 1] },
    ],
  });
  assert.deepEqual(idsOf(answer), [0, 1, 2, 3]);
  assert.equal(answer.semanticHitCount, 4);
  assert.deepEqual(answer.queryVectors, { 0: [1, 0], 1: [0, 1] });
});

test("embedders that come, change and go take their vectors from the documents that are there", async () => {
  await fresh("changing");
  const ask = () => find("/indexes/changing/search", { vector: [3, 1], hybrid: HYBRID, retrieveVectors: true });
  const change = (mine: object | null) => server.write("PATCH", "/indexes/changing/settings", { embedders: { mine } });
  assert.deepEqual(idsOf(await ask()), [0, 2, 1, 3]);
  assert.equal((await change({ binaryQuantized: true })).status, "succeeded");
  const quantized = await ask();
  assert.deepEqual(idsOf(quantized), [2, 0, 1, 3]);
  assert.deepEqual(quantized.hits[0]!._vectors?.["mine"]?.embeddings, [
    [0, 0],
    [1, 1],
  ]);
  assert.equal((await change(null)).status, "succeeded");
  assert.equal((await ask()).code, "invalid_search_embedder");
  const wrong = await change({ source: "userProvided", dimensions: 3 });
  assert.equal(wrong.error?.code, "invalid_vector_dimensions");
  assert.equal((await change({ source: "userProvided", dimensions: 2 })).status, "succeeded");
  assert.deepEqual(idsOf(await ask()), [2, 0, 1, 3], "what was made bits does not come back");
});

test("documents without their vectors fail as a whole and leave the index as it was", async () => {
  await fresh("refusing");
  const add = async (documents: unknown) => {
    const task = await server.write("POST", "/indexes/refusing/documents", documents);
    return task.error?.code;
  };
  assert.equal(await add([{ id: 8, _vectors: { mine: [1, 0] } }, { id: 9 }]), "vector_embedding_error");
  assert.equal(await add([{ id: 9, _vectors: { mine: [1, 0, 0] } }]), "invalid_vector_dimensions");
  assert.equal(await add([{ id: 9, _vectors: { mine: "text" } }]), "invalid_vectors_type");
  const kept = await find("/indexes/refusing/search", { vector: [1, 0], hybrid: HYBRID });
  assert.deepEqual(idsOf(kept), [0, 2, 1, 3]);
});

test("an update without vectors keeps those that are stored", async () => {
  await fresh("updating");
  const task = await server.write("PUT", "/indexes/updating/documents", [{ id: 0, kind: "c" }]);
  assert.equal(task.status, "succeeded");
  const keep = await server.write("PUT", "/indexes/updating/documents", [{ id: 0, _vectors: { more: [7] } }]);
  assert.equal(keep.status, "succeeded");
  const answer = await find("/indexes/updating/search", { vector: [1, 0], hybrid: HYBRID, limit: 1 });
  assert.deepEqual(idsOf(answer), [0]);
});

test("a replacement keeps the vectors that are the client's own, for embedders it does not name", async () => {
  await fresh("replaced");
  const replace = async (documents: object[]) =>
    (await server.write("POST", "/indexes/replaced/documents", documents)).status;
  const vectorsOf = async (id: number) =>
    (await server.request<Found["hits"][0]>("GET", `/indexes/replaced/documents/${id}?retrieveVectors=true`)).body;
  assert.equal(await replace([{ id: 0 }, { id: 3, text: "loud house" }]), "succeeded");
  assert.deepEqual(await vectorsOf(0), { id: 0, _vectors: { mine: { embeddings: [[1, 0]], regenerate: false } } });
  const none = { embeddings: [], regenerate: false };
  assert.deepEqual(await vectorsOf(3), { id: 3, text: "loud house", _vectors: { mine: none } });
  assert.equal(
    await replace([
      { id: 0, _vectors: { mine: [2, 2] } },
      { id: 0, text: "twice" },
    ]),
    "succeeded",
  );
  assert.deepEqual((await vectorsOf(0))._vectors, { mine: { embeddings: [[1, 0]], regenerate: false } });
  assert.equal(await replace([{ id: 0, _vectors: { mine: [2, 2] } }]), "succeeded");
  assert.deepEqual((await vectorsOf(0))._vectors, { mine: { embeddings: [[2, 2]], regenerate: false } });
  assert.equal(await replace([{ id: 2 }]), "succeeded");
  assert.deepEqual(Object.keys((await vectorsOf(2))._vectors!), ["mine"]);
  assert.equal(await replace([{ id: 1 }]), "failed");
  await server.write("DELETE", "/indexes/replaced/documents/0");
  assert.equal(await replace([{ id: 0 }]), "failed");
});
