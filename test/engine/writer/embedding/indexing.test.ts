import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";
import { until } from "../../../lib/patience.ts";
import { type Task, TestServer } from "../../../lib/server.ts";
import { temporaryDirectory } from "../../../lib/temporary.ts";
import { DIMENSIONS, type TestEmbedder, vectorOf } from "./embedder.ts";
import { closeStage, GIVEN, made, openStage, REACH_ALL, type Shown, shownVectors, succeeded } from "./stage.ts";

let server: TestServer;
let embedder: TestEmbedder;
let count = 0;
let uid = "";

before(async () => {
  const features = { multimodal: true, editDocumentsByFunction: true };
  const env = { MEILI_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: "1" };
  ({ server, embedder } = await openStage(features, env));
});

after(() => closeStage({ server, embedder }));

beforeEach(() => {
  uid = `index-${count++}`;
  embedder.takeAsked();
});

const TEMPLATE = { documentTemplate: "{{doc.title}}" };

async function setEmbedders(embedders: Record<string, unknown>): Promise<Task> {
  return server.write("PATCH", `/indexes/${uid}/settings`, { embedders });
}

async function ready(changes: Record<string, unknown> = TEMPLATE): Promise<void> {
  succeeded(await setEmbedders({ it: embedder.settings(changes) }));
}

async function add(documents: unknown, method = "POST"): Promise<Task> {
  return server.write(method, `/indexes/${uid}/documents`, documents);
}

/** The uid of a task whose embedder was asked, and holds its answer back. */
async function addUntilAsked(title: string, to = server, indexUid = uid): Promise<number> {
  embedder.hold();
  const { body } = await to.request<{ taskUid: number }>("POST", `/indexes/${indexUid}/documents`, [{ id: 1, title }]);
  await until(
    () => embedder.asked.length > 0,
    () => "the embedder is asked",
  );
  return body.taskUid;
}

async function vectors(id: number, name = "it"): Promise<Shown | undefined> {
  return (await shownVectors(server, uid, id))[name];
}

test("documents are embedded when they come, and shown with their vectors when that is asked for", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "red fox" },
      { id: 2, title: "blue whale" },
    ]),
  );
  assert.deepEqual(embedder.takeAsked(), ["blue whale", "red fox"]);
  assert.deepEqual(await vectors(1), made("red fox"));
  const { body } = await server.request<{ results: object[] }>("GET", `/indexes/${uid}/documents`);
  assert.deepEqual(body.results, [
    { id: 1, title: "red fox" },
    { id: 2, title: "blue whale" },
  ]);
  const stats = await server.request<Record<string, unknown>>("GET", `/indexes/${uid}/stats`);
  assert.equal(stats.body["numberOfEmbeddings"], 2);
  assert.equal(stats.body["numberOfEmbeddedDocuments"], 2);
});

test("only what changes of the rendered text is embedded again", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "red fox", year: 1 },
      { id: 2, title: "blue whale", year: 1 },
    ]),
  );
  embedder.takeAsked();
  succeeded(await add([{ id: 1, year: 2 }], "PUT"));
  succeeded(await add([{ id: 2, title: "blue whale", year: 2 }]));
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual(await vectors(1), made("red fox"));
  succeeded(await add([{ id: 1, title: "grey fox" }], "PUT"));
  assert.deepEqual(embedder.takeAsked(), ["grey fox"]);
  assert.deepEqual(await vectors(1), made("grey fox"));
  assert.deepEqual(await vectors(2), made("blue whale"));
});

test("vectors of clients are kept, and only those that may be replaced ever are", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "a", _vectors: { it: GIVEN } },
      { id: 2, title: "b", _vectors: { it: { embeddings: GIVEN, regenerate: true } } },
      { id: 3, title: "c", _vectors: { it: null } },
      { id: 4, title: "d", _vectors: { it: { regenerate: true } } },
      { id: 5, title: "e", _vectors: { it: { regenerate: false } } },
    ]),
  );
  assert.deepEqual(embedder.takeAsked(), ["d"]);
  assert.deepEqual(await vectors(1), { embeddings: [GIVEN], regenerate: false });
  assert.deepEqual(await vectors(2), { embeddings: [GIVEN], regenerate: true });
  assert.deepEqual(await vectors(3), { embeddings: [], regenerate: false });
  assert.deepEqual(await vectors(4), made("d"));
  assert.deepEqual(await vectors(5), { embeddings: [], regenerate: false });

  const unchanged = [1, 2, 3, 4, 5].map((id) => ({ id, year: 1 }));
  succeeded(await add(unchanged, "PUT"));
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual(await vectors(2), { embeddings: [GIVEN], regenerate: true });

  const changed = [1, 2, 3, 4, 5].map((id) => ({ id, title: `new ${id}` }));
  succeeded(await add(changed, "PUT"));
  assert.deepEqual(embedder.takeAsked(), ["new 2", "new 4"]);
  assert.deepEqual(await vectors(1), { embeddings: [GIVEN], regenerate: false });
  assert.deepEqual(await vectors(2), made("new 2"));
  assert.deepEqual(await vectors(3), { embeddings: [], regenerate: false });
});

// The interface, _vectors: "`regenerate` (mandatory boolean): when true the service (re)generates the embedding immediately and at each
// update"
test("a document that comes with regenerate: true is embedded at each update, others only when their text changes", async () => {
  await ready();
  const regenerate = { it: { regenerate: true } };
  const both = [
    { id: 1, title: "a", _vectors: regenerate },
    { id: 2, title: "b" },
  ];
  succeeded(await add(both));
  assert.deepEqual(embedder.takeAsked(), ["a", "b"]);
  for (const method of ["POST", "PUT"]) {
    succeeded(await add(both, method));
    assert.deepEqual(embedder.takeAsked(), ["a"], method);
  }
  succeeded(await add([{ id: 2, _vectors: regenerate }], "PUT"));
  assert.deepEqual(embedder.takeAsked(), ["b"]);
  assert.deepEqual(await vectors(2), made("b"));
  succeeded(
    await add(
      [1, 2].map((id) => ({ id, year: 1 })),
      "PUT",
    ),
  );
  assert.deepEqual(embedder.takeAsked(), []);
  succeeded(await server.write("PATCH", `/indexes/${uid}/settings`, { filterableAttributes: ["year"] }));
  assert.deepEqual(embedder.takeAsked(), []);
});

test("a replacement that says nothing about vectors leaves those of the client as they are", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "a", _vectors: { it: GIVEN } },
      { id: 2, title: "b", _vectors: { it: null } },
      { id: 3, title: "c" },
    ]),
  );
  embedder.takeAsked();
  succeeded(await add([1, 2, 3].map((id) => ({ id, title: `new ${id}` }))));
  assert.deepEqual(embedder.takeAsked(), ["new 3"]);
  assert.deepEqual(await vectors(1), { embeddings: [GIVEN], regenerate: false });
  assert.deepEqual(await vectors(2), { embeddings: [], regenerate: false });
  assert.deepEqual(await vectors(3), made("new 3"));
});

test("vectors that are not to be made again become those of the client", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "a" },
      { id: 2, title: "b" },
    ]),
  );
  embedder.takeAsked();
  const keep = { it: { regenerate: false } };
  succeeded(await add([{ id: 1, title: "other", _vectors: keep }]));
  succeeded(await add([{ id: 2, title: "other", _vectors: keep }], "PUT"));
  assert.deepEqual(embedder.takeAsked(), []);
  assert.deepEqual(await vectors(1), { embeddings: [vectorOf("a")], regenerate: false });
  assert.deepEqual(await vectors(2), { embeddings: [vectorOf("b")], regenerate: false });
  succeeded(await add([{ id: 1, title: "third" }], "PUT"));
  assert.deepEqual(await vectors(1), { embeddings: [vectorOf("a")], regenerate: false });
  succeeded(await add([{ id: 1, _vectors: { it: { regenerate: true } } }], "PUT"));
  assert.deepEqual(await vectors(1), made("third"));
});

test("an embedder of clients' own vectors keeps them too", async () => {
  succeeded(await setEmbedders({ it: { source: "userProvided", dimensions: DIMENSIONS } }));
  succeeded(await add([{ id: 1, _vectors: { it: GIVEN } }]));
  succeeded(await add([{ id: 1, title: "new", _vectors: { it: { regenerate: false } } }]));
  assert.deepEqual(await vectors(1), { embeddings: [GIVEN], regenerate: false });
});

test("an edit by a function embeds what it changed, a deletion takes the vectors along", async () => {
  await ready();
  succeeded(
    await add([
      { id: 1, title: "a" },
      { id: 2, title: "b" },
      { id: 3, title: "c" },
    ]),
  );
  embedder.takeAsked();
  succeeded(
    await server.write("POST", `/indexes/${uid}/documents/edit`, {
      function: 'if doc.id == 1 { doc.title = "z" } else { doc.year = 3 }',
    }),
  );
  assert.deepEqual(embedder.takeAsked(), ["z"]);
  assert.deepEqual(await vectors(1), made("z"));
  assert.deepEqual(await vectors(2), made("b"));
  succeeded(await server.write("DELETE", `/indexes/${uid}/documents/2`));
  const { body } = await server.request<Record<string, unknown>>("GET", `/indexes/${uid}/stats`);
  assert.equal(body["numberOfEmbeddings"], 2);
});

test("a template that names what no document has fails the task and changes nothing", async () => {
  await ready({ documentTemplate: "{{doc.headline}}" });
  const task = await add([
    { id: 1, title: "a" },
    { id: 2, name: "b" },
  ]);
  assert.equal(task.status, "failed");
  assert.equal(task.error?.code, "invalid_document_fields");
  assert.match(task.error!.message, /`1`.*`doc\.headline`/);
  assert.deepEqual(embedder.takeAsked(), []);
  const { body } = await server.request<{ total: number }>("GET", `/indexes/${uid}/documents`);
  assert.equal(body.total, 0);
});

test("an embedder that fails, fails the tasks, and the index stays as it was", async () => {
  await ready();
  succeeded(await add([{ id: 1, title: "a" }]));
  embedder.failure = 400;
  const task = await add([
    { id: 1, title: "b" },
    { id: 2, title: "c" },
  ]);
  embedder.failure = null;
  assert.equal(task.status, "failed");
  assert.equal(task.error?.code, "vector_embedding_error");
  assert.match(task.error!.message, new RegExp(`^Index \`${uid}\`: `));
  const { body } = await server.request<{ results: object[] }>("GET", `/indexes/${uid}/documents`);
  assert.deepEqual(body.results, [{ id: 1, title: "a" }]);
  const batches = await server.request<{ results: { stats: { embedderRequests?: { failed: number } } }[] }>(
    "GET",
    `/batches?indexUids=${uid}&limit=1`,
  );
  assert.equal(batches.body.results[0]!.stats.embedderRequests?.failed, 1);
});

test("requests that failed show while their batch still runs", async () => {
  await ready();
  const taskUid = await addUntilAsked("later");
  embedder.failure = 500;
  embedder.release();
  // The next try waits again.
  embedder.hold();
  interface Listed {
    results: { finishedAt: string | null; stats: { embedderRequests?: { failed: number; lastError: string } } }[];
  }
  let batch: Listed["results"][number] | undefined;
  await until(
    async () => {
      const { body: listed } = await server.request<Listed>("GET", `/batches?statuses=processing&indexUids=${uid}`);
      batch = listed.results[0];
      return batch?.stats.embedderRequests !== undefined;
    },
    () => "the batch tells of its requests",
  );
  assert.equal(batch?.finishedAt, null);
  assert.equal(batch.stats.embedderRequests?.failed, 1);
  assert.match(batch.stats.embedderRequests.lastError, /500/);
  embedder.failure = null;
  embedder.release();
  succeeded(await server.waitTask(taskUid));
});

test("a cancelation ends the calls of a running batch", async () => {
  await ready();
  const taskUid = await addUntilAsked("slow");
  const canceled = await server.write("POST", `/tasks/cancel?uids=${taskUid}`);
  succeeded(canceled);
  embedder.release();
  assert.equal((await server.waitTask(taskUid)).status, "canceled");
  succeeded(await add([{ id: 2, title: "next" }]));
});

test("dimensions that are not given are found by a trial, once", async () => {
  await ready({ ...TEMPLATE, dimensions: null });
  assert.equal(embedder.takeAsked().length, 1);
  succeeded(await add([{ id: 1, title: "a" }]));
  assert.deepEqual(await vectors(1), made("a"));
  const wrong = await add([{ id: 2, title: "b", _vectors: { it: [1, 2] } }]);
  assert.equal(wrong.error?.code, "invalid_vector_dimensions");
  embedder.takeAsked();
  succeeded(await setEmbedders({ it: { apiKey: "secret" } }));
  assert.deepEqual(embedder.takeAsked(), []);
  embedder.failure = 401;
  const other = await setEmbedders({ second: embedder.settings({ dimensions: null }) });
  embedder.failure = null;
  assert.equal(other.error?.code, "vector_embedding_error");
});

test("several embedders and many documents at once", async () => {
  const long = {
    it: embedder.settings(TEMPLATE),
    also: embedder.settings({ documentTemplate: "also {{doc.title | downcase}}" }),
  };
  succeeded(await setEmbedders(long));
  const documents = Array.from({ length: 3000 }, (_, id) => ({ id, title: `number ${id}`, filler: "x".repeat(200) }));
  succeeded(await add(documents));
  assert.equal(embedder.takeAsked().length, 6000);
  assert.deepEqual(await vectors(2999), made("number 2999"));
  assert.deepEqual(await vectors(1234, "also"), made("also number 1234"));
  succeeded(await add(documents.map(({ id, title }) => ({ id, title: id === 77 ? "changed" : title }))));
  assert.deepEqual(embedder.takeAsked(), ["also changed", "changed"]);
  assert.deepEqual(await vectors(1234, "also"), made("also number 1234"));
  assert.deepEqual(await vectors(77), made("changed"));
});

test("a server that is stopped while it embeds does the rest when it is back", { timeout: 180_000 }, async () => {
  const directory = temporaryDirectory();
  const args = REACH_ALL;
  const first = await TestServer.start({ directory, args });
  const settings = { embedders: { it: embedder.settings(TEMPLATE) } };
  succeeded(await first.write("PATCH", "/indexes/one/settings", settings));
  const taskUid = await addUntilAsked("a", first, "one");
  assert.equal(await first.stop(), 0);
  embedder.release();
  const second = await TestServer.start({ directory, args });
  succeeded(await second.waitTask(taskUid));
  const stats = await second.request<Record<string, unknown>>("GET", "/indexes/one/stats");
  assert.equal(stats.body["numberOfEmbeddings"], 1);
  await second.dispose();
});

// The interface, task object, duration: "time spent in `processing`"
test("a task that is canceled while it is embedded keeps when it started", { timeout: 180_000 }, async () => {
  await ready();
  const taskUid = await addUntilAsked("a");
  const shown = async () =>
    (await server.request<Task & { startedAt: string; finishedAt: string }>("GET", `/tasks/${taskUid}`)).body;
  const { status, startedAt } = await shown();
  assert.equal(status, "processing");
  const cancelation = await server.write("POST", `/tasks/cancel?uids=${taskUid}`);
  embedder.release();
  assert.deepEqual(cancelation.details?.["canceledTasks"], 1);
  const canceled = await shown();
  assert.deepEqual([canceled.status, canceled.startedAt], ["canceled", startedAt]);
  assert.ok(canceled.finishedAt > canceled.startedAt);
});

test("failures can be ignored: then documents go without vectors", { timeout: 180_000 }, async () => {
  const lenient = await TestServer.start({
    args: REACH_ALL,
    env: {
      MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES: "ignore_document_template_failures,ignore_embedder_failures",
    },
  });
  const settings = { embedders: { it: embedder.settings({ documentTemplate: "{{doc.on.title}}" }) } };
  const titled = (id: number, title: string) => ({ id, on: { title } });
  succeeded(await lenient.write("PATCH", "/indexes/one/settings", settings));
  succeeded(await lenient.write("POST", "/indexes/one/documents", [titled(1, "a"), { id: 2 }]));
  embedder.failure = 400;
  succeeded(await lenient.write("POST", "/indexes/one/documents", [titled(3, "c")]));
  embedder.failure = null;
  const stats = await lenient.request<Record<string, unknown>>("GET", "/indexes/one/stats");
  assert.equal(stats.body["numberOfDocuments"], 3);
  assert.equal(stats.body["numberOfEmbeddings"], 1);
  succeeded(await lenient.write("POST", "/indexes/one/documents", [titled(3, "c")]));
  const later = await lenient.request<Record<string, unknown>>("GET", "/indexes/one/stats");
  assert.equal(later.body["numberOfEmbeddings"], 2);
  await lenient.dispose();
});

test("an embedder that suddenly gives vectors of another size fails the tasks", async () => {
  await ready({ ...TEMPLATE, dimensions: null });
  embedder.dimensions = 3;
  const task = await add([{ id: 1, title: "a" }]);
  embedder.dimensions = DIMENSIONS;
  assert.equal(task.error?.code, "vector_embedding_error");
});
