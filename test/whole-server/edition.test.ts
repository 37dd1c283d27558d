import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { TestServer } from "../lib/server.ts";

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await server.request("PATCH", "/experimental-features", { editDocumentsByFunction: true });
});
after(() => server.dispose());

async function fill(uid: string, documents: object[], settings: object = {}): Promise<void> {
  await server.write("PATCH", `/indexes/${uid}/settings`, settings);
  assert.equal((await server.write("POST", `/indexes/${uid}/documents`, documents)).status, "succeeded");
}

async function all(uid: string): Promise<Record<string, unknown>[]> {
  const { body } = await server.request<{ results: Record<string, unknown>[] }>(
    "GET",
    `/indexes/${uid}/documents?limit=100000`,
  );
  return body.results;
}

test("documents that pass the filter are edited or deleted, the others stay", async () => {
  const documents = [
    { id: 1, title: "emma", year: 1815 },
    { id: 2, title: "ulysses", year: 1922 },
    { id: 3, title: "orlando", year: 1928 },
  ];
  await fill("books", documents, { filterableAttributes: ["year"] });
  const task = await server.write("POST", "/indexes/books/documents/edit", {
    function: "if doc.id == 3 { doc = () } else { doc.title = doc.title + context.mark; doc.modern = true }",
    context: { mark: "!" },
    filter: "year > 1900",
  });
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  assert.equal(task.details?.["editedDocuments"], 1);
  assert.equal(task.details?.["deletedDocuments"], 1);
  assert.deepEqual(await all("books"), [documents[0], { id: 2, title: "ulysses!", year: 1922, modern: true }]);
  const stats = await server.request<{ numberOfDocuments: number; fieldDistribution: object }>(
    "GET",
    "/indexes/books/stats",
  );
  assert.equal(stats.body.numberOfDocuments, 2);
  assert.deepEqual(stats.body.fieldDistribution, { id: 2, modern: 1, title: 2, year: 2 });
});

test("a function that changes the id, makes no object or fails fails the task, and nothing changes", async () => {
  const documents = [
    { id: 1, n: 1 },
    { id: 2, n: 2 },
  ];
  await fill("kept", documents);
  for (const script of ["doc.id = doc.id + 10", "doc.remove(`id`)", "doc = 5", "doc.n = doc.n / 0", "throw `no`"]) {
    const task = await server.write("POST", "/indexes/kept/documents/edit", { function: script });
    assert.equal(task.status, "failed", script);
    assert.equal(task.error?.code, "edit_documents_by_function_error", script);
    assert.equal(task.details?.["editedDocuments"], 0);
  }
  assert.deepEqual(await all("kept"), documents);
});

test("a missing index and a filter on a field that is not filterable fail the task", async () => {
  const missing = await server.write("POST", "/indexes/nowhere/documents/edit", { function: "doc.a = 1" });
  assert.equal(missing.error?.code, "index_not_found");
  await fill("plain", [{ id: 1 }]);
  const filtered = await server.write("POST", "/indexes/plain/documents/edit", {
    function: "doc.a = 1",
    filter: "secret = 1",
  });
  assert.equal(filtered.error?.code, "invalid_document_filter");
});

test("many documents go through files, which are gone afterwards", { timeout: 180_000 }, async () => {
  const documents = Array.from({ length: 20_000 }, (_, id) => ({ id, text: `words ${id} `.repeat(5), n: id }));
  await fill("many", documents);
  const task = await server.write("POST", "/indexes/many/documents/edit", {
    function: "if doc.n % 2 == 0 { doc.n = doc.n * 10 }",
  });
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  assert.equal(task.details?.["editedDocuments"], 9999);
  const expected = documents.map((document) => ({
    ...document,
    n: document.n % 2 === 0 ? document.n * 10 : document.n,
  }));
  assert.deepEqual(await all("many"), expected);
  const payloads = path.join(server.directory, "db", "payloads");
  assert.deepEqual(existsSync(payloads) ? readdirSync(payloads) : [], []);
});
