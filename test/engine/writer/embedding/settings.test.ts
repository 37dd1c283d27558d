import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";
import type { Task, TestServer } from "../../../lib/server.ts";
import { DIMENSIONS, type TestEmbedder, vectorOf } from "./embedder.ts";
import { closeStage, GIVEN, made, openStage, shownVectors, succeeded } from "./stage.ts";

let server: TestServer;
let embedder: TestEmbedder;
let count = 0;
let uid = "";

const DOCUMENTS = [
  { id: 1, title: "fox", text: "red" },
  { id: 2, title: "whale", text: "blue" },
  { id: 3, title: "own", text: "mine", _vectors: { it: GIVEN } },
];

before(async () => {
  ({ server, embedder } = await openStage({ multimodal: true, compositeEmbedders: true }));
});

after(() => closeStage({ server, embedder }));

beforeEach(() => {
  uid = `index-${count++}`;
  embedder.takeAsked();
});

async function settings(update: object): Promise<Task> {
  const task = await server.write("PATCH", `/indexes/${uid}/settings`, update);
  succeeded(task);
  return task;
}

const set = (it: Record<string, unknown> | null) => settings({ embedders: { it } });

/** An index with documents, embedded by their titles. */
async function filled(changes: Record<string, unknown> = { documentTemplate: "{{doc.title}}" }): Promise<void> {
  await set(embedder.settings(changes));
  const task = await server.write("POST", `/indexes/${uid}/documents`, DOCUMENTS);
  succeeded(task);
  embedder.takeAsked();
}

const shown = (id: number) => shownVectors(server, uid, id);

test("an embedder that is added embeds the documents that are there, save those with vectors of their own", async () => {
  const task = await server.write("POST", `/indexes/${uid}/documents`, DOCUMENTS);
  succeeded(task);
  await set(embedder.settings({ documentTemplate: "{{doc.title}}" }));
  assert.deepEqual(embedder.takeAsked(), ["fox", "whale"]);
  assert.deepEqual((await shown(1))["it"], made("fox"));
  assert.deepEqual((await shown(3))["it"], { embeddings: [GIVEN], regenerate: false });
});

test("a changed template embeds what it renders otherwise", async () => {
  await filled();
  await set({ documentTemplate: "{% if doc.id == 1 %}{{doc.title}}{% else %}{{doc.text}}{% endif %}" });
  assert.deepEqual(embedder.takeAsked(), ["blue"]);
  assert.deepEqual((await shown(1))["it"], made("fox"));
  assert.deepEqual((await shown(2))["it"], made("blue"));
  assert.deepEqual((await shown(3))["it"], { embeddings: [GIVEN], regenerate: false });
});

test("keys, headers, distributions and lengths of texts embed nothing again; neither do other settings", async () => {
  await filled();
  await set({ apiKey: "secret", headers: { "x-a": "b" }, distribution: { mean: 0.5, sigma: 0.2 } });
  await set({ documentTemplateMaxBytes: 2 });
  await settings({ stopWords: ["the"], filterableAttributes: ["text"], searchableAttributes: ["title"] });
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual((await shown(1))["it"], made("fox"));
  assert.deepEqual((await shown(3))["it"], { embeddings: [GIVEN], regenerate: false });
});

test("another address, or another way of asking, embeds all again", async () => {
  await filled();
  await set({ url: `${embedder.url}?other` });
  assert.deepEqual(embedder.takeAsked(), ["fox", "whale"]);
  await set({ request: { input: ["{{text}}", "{{..}}"], model: "x" } });
  assert.deepEqual(embedder.takeAsked(), ["fox", "whale"]);
});

// As the reference does: an embedder that is there already may change its size; what clients gave it before is of no use then.
test("vectors of clients that have another size than their embedder now are dropped, and their documents stay", async () => {
  await set({ source: "userProvided", dimensions: DIMENSIONS });
  const documents = [
    ...DOCUMENTS.slice(2),
    { id: 4, title: "left", _vectors: { it: { embeddings: GIVEN, regenerate: true }, other: [1] } },
    { id: 5, title: "none", _vectors: { it: null } },
  ];
  succeeded(await server.write("POST", `/indexes/${uid}/documents`, documents));
  const none = { embeddings: [], regenerate: false };
  await set({ dimensions: 3 });
  for (const id of [3, 4, 5]) assert.deepEqual((await shown(id))["it"], none);
  assert.deepEqual((await shown(4))["other"], [1]);
  succeeded(await server.write("PUT", `/indexes/${uid}/documents`, [{ id: 3, text: "new" }]));
  succeeded(await server.write("PUT", `/indexes/${uid}/documents`, [{ id: 5, _vectors: { it: [1, 2, 3] } }]));
  const wrong = await server.write("PUT", `/indexes/${uid}/documents`, [{ id: 5, _vectors: { it: GIVEN } }]);
  assert.equal(wrong.error?.code, "invalid_vector_dimensions", "what comes now must fit");
  const { body } = await server.request<{ hits: { id: number }[] }>("POST", `/indexes/${uid}/search`, {
    vector: [1, 2, 3],
    hybrid: { embedder: "it", semanticRatio: 1 },
  });
  assert.deepEqual(
    body.hits.map(({ id }) => id),
    [5, 3, 4],
  );
});

test("an embedder of another size makes again what it may, and leaves alone who had vectors of his own", async () => {
  await set({ source: "userProvided", dimensions: 2 });
  const own = { id: 3, title: "own", _vectors: { it: [1, 2] } };
  const left = { id: 4, title: "left", _vectors: { it: { embeddings: [3, 4], regenerate: true } } };
  succeeded(await server.write("POST", `/indexes/${uid}/documents`, [own, left]));
  await set(embedder.settings({ documentTemplate: "{{doc.title}}" }));
  assert.deepEqual(embedder.takeAsked(), ["left"]);
  assert.deepEqual((await shown(3))["it"], { embeddings: [], regenerate: false });
  assert.deepEqual((await shown(4))["it"], made("left"));
  const task = await server.write("PATCH", `/indexes/${uid}/settings`, {
    embedders: { it: null, new: embedder.settings() },
  });
  succeeded(task);
});

test("an embedder that is new takes no vectors of another size", async () => {
  succeeded(await server.write("POST", `/indexes/${uid}/documents`, [{ id: 3, _vectors: { it: [1, 2] } }]));
  const task = await server.write("PATCH", `/indexes/${uid}/settings`, { embedders: { it: embedder.settings() } });
  assert.equal(task.error?.code, "invalid_vector_dimensions");
});

test("the default template follows the searchable attributes", async () => {
  await filled({});
  assert.deepEqual((await shown(1))["it"], made("id: 1\ntitle: fox\ntext: red\n"));
  await settings({ searchableAttributes: ["title"] });
  assert.deepEqual(embedder.takeAsked(), ["title: fox\n", "title: whale\n"]);
});

test("an embedder that goes takes its vectors along, those of clients stay", async () => {
  await filled();
  await server.write("PUT", `/indexes/${uid}/documents`, [{ id: 1, _vectors: { it: { regenerate: true } } }]);
  await set(null);
  assert.deepEqual(await shown(1), {});
  assert.deepEqual(await shown(2), {});
  assert.deepEqual(await shown(3), { it: { embeddings: [GIVEN], regenerate: false } });
  const { body } = await server.request<Record<string, unknown>>("GET", `/indexes/${uid}/stats`);
  assert.equal(body["numberOfEmbeddings"], 0);
});

test("quantized vectors are made from those that are there", async () => {
  await filled();
  await set({ binaryQuantized: true });
  assert.deepEqual(embedder.takeAsked(), []);
  const bits = vectorOf("fox").map((number) => (number > 0 ? 1 : 0));
  assert.deepEqual((await shown(1))["it"], { embeddings: [bits], regenerate: true });
  await settings({ stopWords: ["a"] });
  assert.deepEqual((await shown(1))["it"], { embeddings: [bits], regenerate: true });
});

test("each fragment gives a vector, and only those that change are made again", async () => {
  const fragments = {
    documentTemplate: undefined,
    request: { input: ["{{fragment}}", "{{..}}"] },
    indexingFragments: { title: { value: "T {{doc.title}}" }, rare: { value: { kind: "R", text: "{{doc.rare}}" } } },
    searchFragments: { words: { value: "{{q}}" } },
  };
  await set(embedder.settings(fragments));
  await server.write("POST", `/indexes/${uid}/documents`, [
    { id: 1, title: "fox" },
    { id: 2, title: "whale", rare: "yes" },
  ]);
  assert.deepEqual(embedder.takeAsked(), ["T fox", "T whale", '{"kind":"R","text":"yes"}']);
  const rare = vectorOf('{"kind":"R","text":"yes"}');
  assert.deepEqual((await shown(1))["it"], made("T fox"));
  assert.deepEqual((await shown(2))["it"], { embeddings: [rare, vectorOf("T whale")], regenerate: true });

  await server.write("PUT", `/indexes/${uid}/documents`, [{ id: 2, title: "shark" }]);
  assert.deepEqual(embedder.takeAsked(), ["T shark"]);
  assert.deepEqual((await shown(2))["it"]!.embeddings, [rare, vectorOf("T shark")]);

  await set({ indexingFragments: { title: { value: "U {{doc.title}}" }, more: { value: "M {{doc.id}}" } } });
  assert.deepEqual(embedder.takeAsked(), ["M 1", "M 2", "U fox", "U shark"]);
  assert.deepEqual((await shown(2))["it"]!.embeddings, [vectorOf("M 2"), rare, vectorOf("U shark")]);
  const filter = async (text: string) => {
    const { body } = await server.request<{ results: { id: number }[] }>("POST", `/indexes/${uid}/documents/fetch`, {
      filter: text,
    });
    return body.results.map(({ id }) => id);
  };
  assert.deepEqual(await filter("_vectors.it.fragments.rare EXISTS"), [2]);
  assert.deepEqual(await filter("_vectors.it.fragments.more EXISTS"), [1, 2]);
  assert.deepEqual(await filter("_vectors.it.documentTemplate EXISTS"), []);

  await set({ ...embedder.settings(fragments), indexingFragments: { title: null } });
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual((await shown(2))["it"]!.embeddings, [vectorOf("M 2"), rare]);

  await set({ indexingFragments: { more: null } });
  assert.deepEqual((await shown(1))["it"], { embeddings: [], regenerate: true });
  const none = await server.write("PATCH", `/indexes/${uid}/settings/embedders`, {
    it: { indexingFragments: { rare: null } },
  });
  assert.equal(none.error?.code, "vector_embedding_error");
});

test("the half of a composite embedder that documents go through decides about them", async () => {
  const half = (changes: object) => {
    const { dimensions, ...rest } = embedder.settings();
    return { ...rest, dimensions, ...changes };
  };
  await set({
    source: "composite",
    indexingEmbedder: half({ documentTemplate: "{{doc.title}}" }),
    searchEmbedder: half({}),
  });
  embedder.takeAsked();
  await server.write("POST", `/indexes/${uid}/documents`, DOCUMENTS);
  assert.deepEqual(embedder.takeAsked(), ["fox", "whale"]);
  await set({ searchEmbedder: { url: `${embedder.url}?search` } });
  assert.ok(!embedder.takeAsked().includes("fox"));
  await set({ indexingEmbedder: { documentTemplate: "{{doc.text}}" } });
  assert.ok(embedder.takeAsked().includes("red"));
  assert.deepEqual((await shown(2))["it"], made("blue"));
});

test("a template that cannot be read is refused, also inside a fragment", async () => {
  for (const update of [
    embedder.settings({ documentTemplate: "{{doc.title" }),
    embedder.settings({
      request: { input: ["{{fragment}}", "{{..}}"] },
      indexingFragments: { a: { value: ["{% if %}"] } },
      searchFragments: { b: { value: "{{q}}" } },
    }),
  ]) {
    const { status, body } = await server.request<{ code: string }>("PATCH", `/indexes/${uid}/settings`, {
      embedders: { it: update },
    });
    assert.deepEqual([status, body.code], [400, "invalid_settings_embedders"]);
  }
});
