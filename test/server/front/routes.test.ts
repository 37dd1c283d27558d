import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { type Api, indexNamed, startApi } from "./services.ts";
import { forEachTransport } from "./transports.ts";

forEachTransport((transport) => {
  let api: Api;
  before(async () => {
    api = await startApi(transport);
    api.indexes.set("movies", indexNamed("movies"));
    api.indexes.set(
      "books",
      indexNamed("books", { documentCount: 0, fieldDistribution: {}, documentBytes: 0, liveDocumentBytes: 0 }),
    );
  });
  after(() => api.stop());

  const summarized = ["taskUid", "indexUid", "status", "type", "enqueuedAt"];

  test("health, version, and what a server without a page says", async () => {
    assert.deepEqual((await api.call("GET", "/health")).body, { status: "available" });
    assert.equal((await api.call("GET", "/version")).body.pkgVersion, "1.50.0");
    assert.deepEqual((await api.call("GET", "/")).body, { status: "Meilisearch is running" });
    for (const path of ["/page/index", "/docs", "/docs/readme", "/docs/reference/routes"]) {
      assert.equal((await api.call("GET", path)).status, 404, path);
    }
  });

  test("indexes are listed by uid, page by page", async () => {
    const { body } = await api.call("GET", "/indexes?limit=1&offset=1");
    assert.deepEqual(body, {
      results: [
        { uid: "movies", createdAt: "2023-11-14T22:13:20Z", updatedAt: "2023-11-14T22:13:20.5Z", primaryKey: "id" },
      ],
      offset: 1,
      limit: 1,
      total: 2,
    });
    assert.equal((await api.call("GET", "/indexes/nope")).body.code, "index_not_found");
    assert.equal((await api.call("GET", "/indexes/not%20a%20uid")).body.code, "invalid_index_uid");
  });

  test("statistics show an index of any name", async () => {
    api.indexes.set("__proto__", indexNamed("__proto__"));
    const { body } = await api.call("GET", "/stats");
    api.indexes.delete("__proto__");
    assert.ok(Object.hasOwn(body.indexes, "__proto__"));
  });

  test("statistics count documents by top-level field", async () => {
    const { body } = await api.call("GET", "/stats");
    assert.deepEqual(Object.keys(body), ["databaseSize", "usedDatabaseSize", "lastUpdate", "indexes"]);
    assert.deepEqual(body.indexes.movies, {
      numberOfDocuments: 2,
      rawDocumentDbSize: 4096,
      avgDocumentSize: 2040,
      isIndexing: false,
      numberOfEmbeddings: 0,
      numberOfEmbeddedDocuments: 0,
      fieldDistribution: { id: 2, title: 1 },
    });
    const human = await api.call("GET", "/indexes/movies/stats?sizeFormat=human&showInternalDatabaseSizes=true");
    assert.equal(human.body.rawDocumentDbSize, "4 KiB");
    assert.equal(human.body.avgDocumentSize, "1.99 KiB");
    assert.equal(human.body.internalDatabaseSizes.documents, "1000 B");
  });

  test("writes become tasks: summarized in the answer, listed afterwards", async () => {
    const created = await api.call("POST", "/indexes", { uid: "new", primaryKey: "key" });
    assert.equal(created.status, 202);
    assert.deepEqual(Object.keys(created.body), summarized);
    assert.equal(created.body.type, "indexCreation");
    const task = (await api.call("GET", `/tasks/${created.body.taskUid}`)).body;
    assert.equal(task.status, "enqueued");
    assert.deepEqual(task.details, { primaryKey: "key" });
    const list = (await api.call("GET", "/tasks?types=indexCreation")).body;
    assert.deepEqual(Object.keys(list), ["results", "total", "limit", "from", "next"]);
    assert.equal(list.results[0].uid, created.body.taskUid);
  });

  test("the other writes on indexes", async () => {
    const expected: [string, string, unknown, string][] = [
      ["PATCH", "/indexes/movies", { primaryKey: "x" }, "indexUpdate"],
      ["DELETE", "/indexes/movies", undefined, "indexDeletion"],
      ["POST", "/indexes/movies/compact", undefined, "indexCompaction"],
      ["POST", "/swap-indexes", [{ indexes: ["movies", "books"] }], "indexSwap"],
      ["POST", "/dumps", undefined, "dumpCreation"],
      ["POST", "/snapshots", undefined, "snapshotCreation"],
      ["DELETE", "/indexes/movies/documents", undefined, "documentDeletion"],
      ["DELETE", "/indexes/movies/documents/1", undefined, "documentDeletion"],
      ["POST", "/indexes/movies/documents/delete-batch", [1, "b"], "documentDeletion"],
      ["POST", "/indexes/movies/documents/delete", { filter: "a = 1" }, "documentDeletion"],
      ["PATCH", "/indexes/movies/settings", { stopWords: ["the"] }, "settingsUpdate"],
      ["DELETE", "/indexes/movies/settings", undefined, "settingsUpdate"],
      ["PUT", "/indexes/movies/settings/ranking-rules", ["words"], "settingsUpdate"],
      ["PATCH", "/indexes/movies/settings/typo-tolerance", { enabled: false }, "settingsUpdate"],
      ["DELETE", "/indexes/movies/settings/distinct-attribute", undefined, "settingsUpdate"],
    ];
    for (const [method, path, body, type] of expected) {
      const answer = await api.call(method, path, body);
      assert.equal(answer.status, 202, `${method} ${path} ${JSON.stringify(answer.body)}`);
      assert.equal(answer.body.type, type);
    }
    const exported = await api.call("POST", "/export", { url: "http://localhost:1" });
    assert.deepEqual([exported.status, exported.body.type], [200, "export"]);
  });

  test("settings are shown whole and one by one", async () => {
    const whole = (await api.call("GET", "/indexes/movies/settings")).body;
    assert.deepEqual(whole.rankingRules, ["words", "typo", "proximity", "attribute", "sort", "exactness"]);
    assert.deepEqual((await api.call("GET", "/indexes/movies/settings/ranking-rules")).body, whole.rankingRules);
    assert.equal((await api.call("GET", "/indexes/nope/settings/faceting")).status, 404);
    assert.equal((await api.call("POST", "/indexes/movies/settings/faceting", {})).status, 405);
    assert.equal(
      (await api.call("PUT", "/indexes/movies/settings/ranking-rules", ["nonsense"])).body.code,
      "invalid_settings_ranking_rules",
    );
  });

  test("documents are added in three formats, with the payload in the store", async () => {
    const bodies: [string, string, number][] = [
      ["application/json", '[{"id":1},{"id":2}]', 2],
      ["application/x-ndjson; charset=utf-8", '{"id":1}\n{"id":2}\n{"id":3}', 3],
      ["text/csv", "id,name\n1,a\n", 1],
    ];
    for (const [type, body, received] of bodies) {
      const answer = await api.call("POST", "/indexes/movies/documents?primaryKey=id", body, { "content-type": type });
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      const task = (await api.call("GET", `/tasks/${answer.body.taskUid}`)).body;
      assert.deepEqual(task.details, { receivedDocuments: received, indexedDocuments: null });
      assert.ok(api.store.payloads.get(String(answer.body.taskUid)));
    }
  });

  test("a large body goes through a file", async () => {
    const large = JSON.stringify([{ id: 1, text: "x".repeat(300_000) }]);
    const answer = await api.call("PUT", "/indexes/movies/documents", large);
    const record = api.store.tasks.get(answer.body.taskUid);
    assert.ok(record?.content.type === "documentAdditionOrUpdate");
    assert.deepEqual([record.content.payload.kind, record.content.method], ["file", "update"]);
  });

  test("what is wrong with a body of documents is said in order", async () => {
    const path = "/indexes/movies/documents";
    const code = async (query: string, type: string | null, body: string): Promise<[number, string]> => {
      const headers = type === null ? undefined : { "content-type": type };
      const sent = await fetch(`${api.base}${path}${query}`, {
        method: "POST",
        headers,
        body: Buffer.from(body),
      } as RequestInit);
      return [sent.status, ((await sent.json()) as { code: string }).code];
    };
    assert.deepEqual(await code("?nonsense=1", null, ""), [400, "bad_request"]);
    assert.deepEqual(await code("", null, ""), [415, "missing_content_type"]);
    assert.deepEqual(await code("", "text/plain", ""), [415, "invalid_content_type"]);
    assert.deepEqual(await code("?csvDelimiter=;", "application/json", ""), [415, "invalid_content_type"]);
    assert.deepEqual(await code("", "application/json", ""), [400, "missing_payload"]);
    assert.deepEqual(await code("", "application/json", "nonsense"), [400, "malformed_payload"]);
  });

  test("reading documents is asked of the readers", async () => {
    api.asked.length = 0;
    await api.call("GET", "/indexes/movies/documents?limit=3&fields=id,title");
    await api.call("POST", "/indexes/movies/documents/fetch", { ids: [1] });
    await api.call("GET", "/indexes/movies/documents/7?fields=id");
    assert.deepEqual(
      api.asked.map(({ kind }) => kind),
      ["documents.list", "documents.list", "documents.get"],
    );
    assert.deepEqual(api.asked[2]?.header, { indexUid: "movies", id: "7", fields: ["id"], retrieveVectors: false });
    for (const word of ["fetch", "edit", "delete", "delete-batch"]) {
      assert.equal((await api.call("GET", `/indexes/movies/documents/${word}`)).status, 405);
    }
  });

  test("a filter that cannot be read is refused before there is a task", async () => {
    const answer = await api.call("POST", "/indexes/movies/documents/delete", { filter: "a = = 1" });
    assert.deepEqual([answer.status, answer.body.code], [400, "invalid_document_filter"]);
  });

  test("canceling and deleting tasks need a filter, and match at once", async () => {
    assert.equal((await api.call("POST", "/tasks/cancel")).body.code, "missing_task_filters");
    const canceled = await api.call("POST", "/tasks/cancel?types=dumpCreation");
    assert.deepEqual([canceled.status, canceled.body.type], [200, "taskCancelation"]);
    const task = (await api.call("GET", `/tasks/${canceled.body.taskUid}`)).body;
    assert.deepEqual(task.details, { matchedTasks: 1, canceledTasks: null, originalFilter: "?types=dumpCreation" });
    assert.equal((await api.call("DELETE", "/tasks?statuses=*")).body.type, "taskDeletion");
    assert.equal((await api.call("GET", "/tasks/99999")).body.code, "task_not_found");
    assert.equal((await api.call("GET", "/tasks/x")).body.code, "invalid_task_uids");
    assert.equal((await api.call("GET", "/batches/99999")).body.code, "batch_not_found");
    assert.deepEqual((await api.call("GET", "/batches")).body.results, []);
  });

  test("the documents of a waiting task can be read while the feature is on", async () => {
    const added = await api.call("POST", "/indexes/movies/documents", [{ id: 1 }, { id: 2 }]);
    const path = `/tasks/${added.body.taskUid}/documents`;
    assert.equal((await api.call("GET", path)).body.code, "feature_not_enabled");
    await api.call("PATCH", "/experimental-features", { getTaskDocumentsRoute: true });
    assert.equal((await api.call("GET", path)).body, '{"id":1}\n{"id":2}\n');
    const other = await api.call("POST", "/dumps");
    assert.equal((await api.call("GET", `/tasks/${other.body.taskUid}/documents`)).body.code, "task_file_not_found");
  });

  test("listing fields is asked of the readers", async () => {
    const filter = { attributePatterns: ["ti*"] };
    await api.call("POST", "/indexes/movies/fields", { limit: 3, filter });
    assert.deepEqual(api.asked.at(-1), {
      kind: "fields",
      header: { indexUid: "movies", offset: 0, limit: 3, filter },
    });
  });

  test("keys need a master key", async () => {
    assert.deepEqual(
      [(await api.call("GET", "/keys")).status, (await api.call("GET", "/keys")).body.code],
      [401, "missing_master_key"],
    );
  });
});
