/**
 * Bodies as long as their routes take them, of tasks that keep and show what was sent: whatever is done with them as a whole is not done
 * by the front. It takes in bytes, and passes on pieces.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import test, { after, before } from "node:test";
import type { JsonObject } from "../../src/base/json/value.ts";
import { limits } from "../../src/base/limits.ts";
import { HealthProbe, quantile } from "../lib/health-probe.ts";
import { within } from "../lib/patience.ts";
import { type Task, TestServer } from "../lib/server.ts";

const PIECE_BYTES = 256 * 1024;
/** What a slice takes, and room for a collection of garbage; whatever is done with all of the bytes takes 25 to 110. */
const FRONT_MS_MAX = 12;
/** What happens by chance does not happen every time. */
const TIMES = 3;
const BYTES = limits.shownBodyBytes - 1000;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
  await server.request("PATCH", "/experimental-features", { editDocumentsByFunction: true });
  await server.write("POST", "/indexes/films/documents", [{ id: 1 }]);
  await server.write("PATCH", "/indexes/films/settings", { filterableAttributes: ["id"] });
});
after(() => server.dispose());

async function answerTo(request: http.ClientRequest): Promise<{ status: number; bytes: Buffer }> {
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { status: response.statusCode ?? 0, bytes: Buffer.concat(pieces) };
}

/** Piece by piece: the next one when the front has come round. All at once, the kernel would hold it and the front take it in one go. */
async function send(method: string, path: string, body: Buffer): Promise<Task> {
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const request = http.request(server.base + path, { method, headers, agent: false });
  const answered = answerTo(request);
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    request.write(body.subarray(at, at + PIECE_BYTES));
    await server.request("GET", "/health");
  }
  request.end();
  const { status, bytes } = await within(answered, () => `an answer to ${path}`);
  assert.equal(status, 202, bytes.toString("utf8", 0, 300));
  return server.waitTask((JSON.parse(bytes.toString()) as { taskUid: number }).taskUid);
}

async function shown<T>(path: string): Promise<T> {
  const { status, bytes } = await answerTo(http.get(server.base + path, { agent: false }));
  assert.equal(status, 200);
  return JSON.parse(bytes.toString()) as T;
}

/** The longest work of the front that a question waited for, in the best of several times. */
async function frontMs(what: string, work: () => Promise<unknown>): Promise<void> {
  const seen: number[] = [];
  while (seen.length < TIMES && !seen.some((ms) => ms < FRONT_MS_MAX)) {
    const probe = new HealthProbe(server.base, server.pid);
    await work();
    seen.push(quantile((await probe.stop()).frontMs, 1));
  }
  assert.ok(Math.min(...seen) < FRONT_MS_MAX, `${what}: the front worked ${seen} ms`);
}

/** Few, but long: what the words mean to the index is another matter. */
const words = (bytes: number): string[] =>
  Array.from({ length: Math.floor(bytes / 1004) }, (_, i) => `${i}`.padEnd(1001, "x"));

const TASKS: Record<string, [method: string, path: string, body: JsonObject | string[], member: string]> = {
  "stop words": ["PUT", "/indexes/films/settings/stop-words", words(BYTES), "stopWords"],
  settings: [
    "PATCH",
    "/indexes/films/settings",
    { dictionary: words(BYTES / 2), synonyms: { a: words(BYTES / 2) } },
    "synonyms",
  ],
  "a deletion by filter": [
    "POST",
    "/indexes/films/documents/delete",
    { filter: words(BYTES).map((word) => `id = ${word}`.slice(0, 1000)) },
    "originalFilter",
  ],
  "an edition": [
    "POST",
    "/indexes/films/documents/edit",
    { function: "doc.x = 1", filter: "id = 100", context: { a: "x".repeat(BYTES) } },
    "context",
  ],
};

for (const [name, [method, path, body, member]] of Object.entries(TASKS)) {
  test(name, async () => {
    const bytes = Buffer.from(JSON.stringify(body));
    assert.ok(bytes.length > 0.95 * BYTES && bytes.length < limits.shownBodyBytes);
    let task: Task | null = null;
    await frontMs("stored", async () => {
      task = await send(method, path, bytes);
      assert.equal(task.status, "succeeded", JSON.stringify(task.error));
    });
    const { uid, batchUid } = task as unknown as Task;
    const ways: [string, (answer: JsonObject) => JsonObject][] = [
      [`/tasks/${uid}`, (answer) => answer],
      [`/tasks?limit=1&from=${uid}`, ({ results }) => (results as JsonObject[])[0]!],
      [`/batches/${batchUid}`, (answer) => answer],
      [`/batches?limit=1&from=${batchUid}`, ({ results }) => (results as JsonObject[])[0]!],
    ];
    for (const [way, one] of ways) {
      await frontMs(way, async () => {
        const { details } = one(await shown<JsonObject>(way));
        assert.ok(JSON.stringify((details as JsonObject)[member]).length > 0.45 * BYTES, way);
      });
    }
    await frontMs("a document", () => server.write("POST", "/indexes/films/documents", [{ id: 2 }]));
  });
}
