import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { until } from "../lib/patience.ts";
import { TestServer } from "../lib/server.ts";

const ALLOW = ["--experimental-allowed-ip-networks", "127.0.0.1/32"];
const KEY = "a-master-key-of-16";
const documents = Array.from({ length: 2000 }, (_, id) => ({ id, title: `title ${id}`, year: 1900 + (id % 100) }));

let server: TestServer;
before(async () => {
  server = await TestServer.start({ args: ALLOW });
  await server.write("PATCH", "/indexes/books/settings", { filterableAttributes: ["year"], stopWords: ["the"] });
  await server.write("POST", "/indexes/books/documents", documents);
  await server.write("POST", "/indexes/boots/documents", [{ name: "a", key_id: 1 }]);
  await server.write("POST", "/indexes/cars/documents", [{ id: 1 }]);
});
after(() => server.dispose());

async function settled(remote: TestServer): Promise<void> {
  await until(
    async () => {
      const { body } = await remote.request<{ total: number }>("GET", "/tasks?statuses=enqueued,processing");
      return body.total === 0;
    },
    () => "no task is left",
  );
}

interface Call {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A remote that notes its calls and answers as told. */
async function fakeRemote(
  answer: (call: Call) => number | Promise<number>,
): Promise<{ url: string; calls: Call[]; close(): void }> {
  const calls: Call[] = [];
  const fake = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const call = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      calls.push(call);
      response.writeHead(await answer(call), { "content-type": "application/json", location: "/elsewhere" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => fake.listen(0, "127.0.0.1", resolve));
  const { port } = fake.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, close: () => fake.close() };
}

test("indexes arrive at another server with settings, primary key and documents", { timeout: 180_000 }, async () => {
  const remote = await TestServer.start({ key: KEY });
  const task = await server.write("POST", "/export", {
    url: `${remote.base}/`,
    apiKey: KEY,
    indexes: { "bo*": { overrideSettings: true }, books: { filter: "year < 1910" }, "none*": {} },
  });
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  assert.deepEqual(task.details?.["indexes"], {
    "bo*": { filter: null, overrideSettings: true, matchedDocuments: 1 },
    books: { filter: "year < 1910", overrideSettings: false, matchedDocuments: 200 },
    "none*": { filter: null, overrideSettings: false, matchedDocuments: 0 },
  });
  assert.equal(JSON.stringify(task.details).includes(KEY), false);
  await settled(remote);
  const { body } = await remote.request<{ results: object[] }>("GET", "/indexes/books/documents?limit=5000");
  assert.deepEqual(
    body.results,
    documents.filter(({ year }) => year < 1910),
  );
  const settings = await remote.request<{ stopWords: string[] }>("GET", "/indexes/books/settings");
  assert.deepEqual(settings.body.stopWords, ["the"]);
  assert.equal((await remote.request<{ primaryKey: string }>("GET", "/indexes/boots")).body.primaryKey, "key_id");
  assert.equal((await remote.request("GET", "/indexes/cars")).status, 404);

  // The second time the index is there: its own settings stay unless they are to be overridden.
  await remote.write("PATCH", "/indexes/books/settings", { stopWords: ["own"] });
  await server.write("POST", "/export", { url: remote.base, apiKey: KEY, indexes: { books: {} } });
  await settled(remote);
  const kept = await remote.request<{ stopWords: string[] }>("GET", "/indexes/books/settings");
  assert.deepEqual(kept.body.stopWords, ["own"]);
  const stats = await remote.request<{ numberOfDocuments: number }>("GET", "/indexes/books/stats");
  assert.equal(stats.body.numberOfDocuments, 2000);

  const refused = await server.write("POST", "/export", { url: remote.base, apiKey: "wrong" });
  assert.equal(refused.error?.code, "remote_invalid_api_key");
  await remote.dispose();
});

test("documents travel gzipped in bodies of the size asked for", { timeout: 180_000 }, async () => {
  const remote = await fakeRemote(() => 200);
  const request = { url: remote.url, apiKey: "secret", payloadSize: "10 KiB", indexes: { books: {} } };
  const task = await server.write("POST", "/export", request);
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  const posts = remote.calls.filter(({ url }) => url.startsWith("/indexes/books/documents"));
  assert.ok(posts.length > 5);
  const lines: string[] = [];
  for (const { headers, body, url } of posts) {
    assert.equal(headers.authorization, "Bearer secret");
    assert.equal(headers["content-type"], "application/x-ndjson");
    assert.equal(headers["content-encoding"], "gzip");
    assert.equal(url, "/indexes/books/documents?primaryKey=id");
    const text = gunzipSync(body).toString();
    assert.ok(text.length <= 10 * 1024);
    lines.push(...text.trimEnd().split("\n"));
  }
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    documents,
  );
  remote.close();
});

test("what the remote refuses, what redirects, and filters that cannot be used fail the task", {
  timeout: 180_000,
}, async () => {
  for (const [status, code] of [
    [400, "remote_bad_request"],
    [307, "remote_bad_response"],
  ] as const) {
    const remote = await fakeRemote(() => status);
    const task = await server.write("POST", "/export", { url: remote.url });
    assert.equal(task.error?.code, code);
    assert.equal(remote.calls.length, 1);
    remote.close();
  }
  const remote = await fakeRemote(() => 200);
  const task = await server.write("POST", "/export", { url: remote.url, indexes: { cars: { filter: "secret = 1" } } });
  assert.equal(task.error?.code, "invalid_document_filter");
  const foreign = { cars: { filter: "_foreign(owner, name = Ann)" } };
  const refused = await server.write("POST", "/export", { url: remote.url, indexes: foreign });
  assert.equal(refused.error?.code, "feature_not_enabled");
  remote.close();
  assert.equal((await server.write("POST", "/export", { url: "nonsense" })).error?.code, "invalid_export_url");
});

test("a remote that fails for a moment is asked again; a cancelation ends the waiting", {
  timeout: 180_000,
}, async () => {
  let failures = 2;
  const remote = await fakeRemote(() => (failures-- > 0 ? 503 : 200));
  const task = await server.write("POST", "/export", { url: remote.url, indexes: { cars: {} } });
  assert.equal(task.status, "succeeded");
  remote.close();

  const broken = await fakeRemote(() => 500);
  const { body } = await server.request<{ taskUid: number }>("POST", "/export", { url: broken.url });
  await until(
    () => broken.calls.length > 0,
    () => "the remote has failed once",
  );
  await server.write("POST", `/tasks/cancel?uids=${body.taskUid}`);
  assert.equal((await server.waitTask(body.taskUid)).status, "canceled");
  broken.close();
});

test("a remote that does not answer keeps the index on its way waiting, later exports, and nothing else", {
  timeout: 180_000,
}, async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const remote = await fakeRemote(async ({ url }) => {
    if (url.startsWith("/indexes/books/documents")) await released;
    return 200;
  });
  const enqueued = async (method: string, url: string, body?: unknown): Promise<number> =>
    (await server.request<{ taskUid: number }>(method, url, body)).body.taskUid;
  const status = async (uid: number): Promise<string> =>
    (await server.request<{ status: string }>("GET", `/tasks/${uid}`)).body.status;
  const slow = await enqueued("POST", "/export", { url: remote.url, indexes: { books: {}, cars: {} } });
  await until(
    () => remote.calls.some(({ url }) => url.includes("/documents")),
    () => "documents are sent",
  );
  const behind = await enqueued("POST", "/indexes/books/documents", [{ id: 5000, title: "late" }]);
  const later = await enqueued("POST", "/export", { url: remote.url, indexes: { boots: {} } });
  assert.equal((await server.write("POST", "/indexes/cars/documents", [{ id: 2 }])).status, "succeeded");
  assert.equal((await server.write("POST", "/dumps")).status, "succeeded");
  assert.deepEqual(await Promise.all([slow, behind, later].map(status)), ["processing", "enqueued", "enqueued"]);
  release();
  for (const uid of [slow, behind, later]) assert.equal((await server.waitTask(uid)).status, "succeeded");
  const sent = (uid: string): string[] =>
    remote.calls
      .filter(({ method, url }) => method === "POST" && url.startsWith(`/indexes/${uid}/documents`))
      .flatMap(({ body }) => gunzipSync(body).toString().trimEnd().split("\n"));
  assert.equal(sent("books").length, 2000, "as the index was when its turn came");
  assert.equal(sent("cars").length, 2, "what came while another index was on its way");
  remote.close();
});

test("an export that waits for its remote can be canceled, and is not begun twice", { timeout: 180_000 }, async () => {
  const remote = await fakeRemote(() => new Promise(() => {}));
  const { body } = await server.request<{ taskUid: number }>("POST", "/export", { url: remote.url });
  await until(
    () => remote.calls.length > 0,
    () => "the remote is called",
  );
  await server.write("POST", "/indexes/other/documents", [{ id: 1 }]);
  assert.equal((await server.write("POST", `/tasks/cancel?uids=${body.taskUid}`)).status, "succeeded");
  assert.equal((await server.waitTask(body.taskUid)).status, "canceled");
  assert.equal(remote.calls.length, 1);
  remote.close();
});

test("private addresses are refused unless they were allowed", { timeout: 180_000 }, async () => {
  const closed = await TestServer.start();
  await closed.write("POST", "/indexes/a/documents", [{ id: 1 }]);
  const remote = await fakeRemote(() => 200);
  for (const url of [remote.url, remote.url.replace("127.0.0.1", "localhost")]) {
    const task = await closed.write("POST", "/export", { url });
    assert.equal(task.error?.code, "remote_could_not_send_request");
    assert.match(task.error?.message ?? "", /not public/);
  }
  assert.equal(remote.calls.length, 0);
  remote.close();
  await closed.dispose();
});
