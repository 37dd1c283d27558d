/** One bad task of a batch fails alone: nothing of it is applied, all of its neighbours are. */
import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";
import { until } from "../../../lib/patience.ts";
import type { Task, TestServer } from "../../../lib/server.ts";
import type { TestEmbedder } from "./embedder.ts";
import { closeStage, GIVEN, openStage, succeeded } from "./stage.ts";

let server: TestServer;
let embedder: TestEmbedder;
let count = 0;
let index = "";

before(async () => {
  const env = { MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: "1" };
  ({ server, embedder } = await openStage({}, env));
});

after(() => closeStage({ server, embedder }));

beforeEach(async () => {
  index = `/indexes/index-${count++}`;
  Object.assign(embedder, { failure: null, failsOn: /^/ });
  succeeded(
    await server.write("PATCH", `${index}/settings`, {
      filterableAttributes: ["_geo"],
      embedders: { it: embedder.settings({ documentTemplate: "{{doc.title}}" }) },
    }),
  );
});

type Write = [method: string, path: string, body: unknown];

/** Has the writer wait for a document, so that all of these are there for its next batch. */
async function inOneBatch(writes: readonly Write[]): Promise<Task[]> {
  embedder.takeAsked();
  embedder.hold();
  const send = async ([method, path, body]: Write): Promise<number> => {
    const answer = await server.request<{ taskUid: number }>(method, index + path, body);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    return answer.body.taskUid;
  };
  const first = await send(["POST", "/documents", [{ id: 0, title: "first" }]]);
  await until(
    () => embedder.asked.length > 0,
    () => "the embedder is asked",
  );
  const uids: number[] = [];
  for (const write of writes) uids.push(await send(write));
  embedder.release();
  succeeded(await server.waitTask(first));
  embedder.takeAsked();
  const tasks: Task[] = [];
  for (const uid of uids) tasks.push(await server.waitTask(uid));
  return tasks;
}

const codesOf = (tasks: readonly Task[]) => tasks.map(({ error }) => error?.code ?? null);

async function titles(): Promise<Record<string, string>> {
  const { body } = await server.request<{ results: { id: number; title: string }[] }>("GET", `${index}/documents`);
  return Object.fromEntries(body.results.map(({ id, title }) => [id, title]));
}

test("of document tasks only those fail that hold a wrong vector or place", { timeout: 180_000 }, async () => {
  const add = (...documents: object[]): Write => ["PUT", "/documents", documents];
  const tasks = await inOneBatch([
    add({ id: 1, title: "one" }),
    add({ id: 1, title: "never" }, { id: 2, title: "never", _vectors: { it: [1, 2, 3] } }),
    add({ id: 3, title: "three", _vectors: { it: GIVEN } }),
    add({ id: 4, title: "never", _geo: { lat: "north", lng: 1 } }),
    add({ id: 5, title: "five", _geo: { lat: 1, lng: 1 } }, { id: 3, title: "three again" }),
    add({ id: 6, title: "never", _vectors: { it: "none" } }),
    ["POST", "/documents/delete-batch", [5]],
    add({ id: 7, title: "seven" }),
  ]);
  assert.deepEqual(codesOf(tasks), [
    null,
    "invalid_vector_dimensions",
    null,
    "invalid_document_geo_field",
    null,
    "invalid_vectors_type",
    null,
    null,
  ]);
  assert.deepEqual(await titles(), { 0: "first", 1: "one", 3: "three again", 7: "seven" });
  const details = tasks.map(({ details }) => details?.["indexedDocuments"]);
  assert.deepEqual(details, [1, 0, 1, 0, 2, 0, undefined, 1]);
});

test("of settings tasks only those fail that are wrong", { timeout: 180_000 }, async () => {
  const set = (settings: object): Write => ["PATCH", "/settings", settings];
  const { dimensions: _, ...untried } = embedder.settings();
  Object.assign(embedder, { failure: 401, failsOn: /^test$/ });
  const tasks = await inOneBatch([
    set({ stopWords: ["the"] }),
    set({ typoTolerance: { minWordSizeForTypos: { oneTypo: 20 } }, dictionary: ["never"] }),
    set({ synonyms: { a: ["b"] } }),
    set({ embedders: { bad: untried }, separatorTokens: ["never"] }),
    // Found only when the stored documents are built anew.
    set({ embedders: { it: { documentTemplate: "{{doc.missing}}" } }, nonSeparatorTokens: ["never"] }),
    set({ sortableAttributes: ["title"] }),
  ]);
  assert.deepEqual(codesOf(tasks), [
    null,
    "invalid_settings_typo_tolerance",
    null,
    "vector_embedding_error",
    "invalid_document_fields",
    null,
  ]);
  const { body } = await server.request<Record<string, unknown>>("GET", `${index}/settings`);
  assert.deepEqual(body["stopWords"], ["the"]);
  assert.deepEqual(body["synonyms"], { a: ["b"] });
  assert.deepEqual(body["sortableAttributes"], ["title"]);
  for (const name of ["dictionary", "separatorTokens", "nonSeparatorTokens"]) assert.deepEqual(body[name], [], name);
  assert.deepEqual(Object.keys(body["embedders"] as object), ["it"]);
});

test("settings tasks that all fail leave the index as it was", { timeout: 180_000 }, async () => {
  const updatedAt = async () => (await server.request<{ updatedAt: string }>("GET", index)).body.updatedAt;
  const before = await updatedAt();
  const wrong = { typoTolerance: { minWordSizeForTypos: { oneTypo: 20 } } };
  const failed = await Promise.all([1, 2].map(() => server.write("PATCH", `${index}/settings`, wrong)));
  assert.deepEqual(codesOf(failed), Array(2).fill("invalid_settings_typo_tolerance"));
  assert.equal(await updatedAt(), before);
});

test("a text that the provider refuses fails its own task", { timeout: 180_000 }, async () => {
  Object.assign(embedder, { failure: 400, failsOn: /poison/ });
  const tasks = await inOneBatch(["a", "b", "poison", "c"].map((title, i) => added(i + 1, title)));
  assert.deepEqual(codesOf(tasks), [null, null, "vector_embedding_error", null]);
  assert.deepEqual(await titles(), { 0: "first", 1: "a", 2: "b", 4: "c" });
});

for (const [name, failure] of Object.entries({ "is down": 500, "wants another key": 401 })) {
  test(`a provider that ${name} is not asked again task by task`, { timeout: 180_000 }, async () => {
    Object.assign(embedder, { failure, failsOn: /title/ });
    const tasks = await inOneBatch(Array.from({ length: 8 }, (_, i) => added(i + 1, `title ${i}`)));
    assert.deepEqual(codesOf(tasks), Array(8).fill("vector_embedding_error"));
    assert.equal(new Set(tasks.map(({ batchUid }) => batchUid)).size, 1);
  });
}

function added(id: number, title: string): Write {
  return ["POST", "/documents", [{ id, title }]];
}
