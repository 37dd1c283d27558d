import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import test, { after, before } from "node:test";
import type { TaskRecord } from "../../../src/base/contract/task.ts";
import { internalError } from "../../../src/base/errors/errors.ts";
import { TaskWaits } from "../../../src/server/front/live/task-waits.ts";
import { failBatch, finishBatch, startBatch } from "../../../src/storage/tasks/results.ts";
import { until } from "../../lib/patience.ts";
import { stored } from "../../storage/tasks/samples.ts";
import { type Api, startApi } from "./services.ts";
import { forEachTransport, uwsMissing } from "./transports.ts";

const MASTER = "a master key of some length";
const asMaster = { authorization: `Bearer ${MASTER}` };

forEachTransport((transport) => {
  let api: Api;
  before(async () => {
    api = await startApi(transport, MASTER);
  });
  after(() => api.stop());

  /** What the writer would do. */
  async function finish(uid: number, isGood = true): Promise<void> {
    const task = api.store.tasks.get(uid) as TaskRecord;
    const batch = { kind: "indexCreation" as const, indexUid: task.indexUid!, tasks: [task], strategy: "because" };
    const started = startBatch(batch, uid, task.enqueuedAt + 1);
    const now = task.enqueuedAt + 1000;
    const error = internalError(new Error("no")).body();
    const finished = isGood
      ? finishBatch(batch, started, [{ status: "succeeded" }], now)
      : failBatch(batch, started, error, now);
    api.tasks.onFinished(await stored(api.store, finished));
  }

  const newest = () => api.tasks.table.walk(null, false).next().value as number;

  async function waiting(count = 1): Promise<void> {
    await until(
      () => api.waits.clients >= count,
      () => `${count} clients wait`,
    );
  }

  const create = (prefer: string, uid = "movies") =>
    api.call("POST", "/indexes", { uid }, { ...asMaster, prefer, "content-type": "application/json" });

  test("a write that waits is answered with its finished task, whatever became of it", async () => {
    for (const isGood of [true, false]) {
      const asked = create("respond-async, wait=100");
      await waiting();
      await finish(newest(), isGood);
      const { status, body, headers } = await asked;
      assert.deepEqual([status, headers.get("preference-applied")], [200, "wait=100"]);
      assert.deepEqual(body, (await api.call("GET", `/tasks/${body.uid}`, undefined, asMaster)).body);
      assert.equal(body.status, isGood ? "succeeded" : "failed");
      assert.equal(api.waits.clients, 0);
    }
  });

  test("when time is up the answer is the one that it would have been, but always 202", async () => {
    const { status, body, headers } = await create("wait=0");
    assert.deepEqual([status, body.status, headers.get("preference-applied")], [202, "enqueued", "wait=0"]);
    const canceled = await api.call("POST", "/tasks/cancel?uids=0", undefined, { ...asMaster, prefer: "wait=0" });
    assert.deepEqual([canceled.status, canceled.body.type], [202, "taskCancelation"]);
    const plain = await api.call("POST", "/tasks/cancel?uids=0", undefined, asMaster);
    assert.deepEqual([plain.status, plain.headers.get("preference-applied")], [200, null]);
    assert.equal((await create("wait=soon")).headers.get("preference-applied"), null);
    assert.equal((await create("wait=0")).status, 202);
  });

  test("every route that makes a task can wait for it", async () => {
    const { body } = await api.call("GET", "/openapi.json", undefined, asMaster);
    let routes = 0;
    for (const [path, methods] of Object.entries(body.paths as Record<string, Record<string, { responses: object }>>)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        if (!("202" in responses) || path.includes("dynamic-search-rules") || path.endsWith("/edit")) continue;
        const target =
          path.replaceAll(/\{\w+\}/g, "movies") + (path === "/tasks" || path.endsWith("cancel") ? "?uids=1" : "");
        const reply = await api.call(method.toUpperCase(), target, bodyFor(path, method), {
          ...asMaster,
          prefer: "wait=0",
        });
        assert.equal(
          reply.headers.get("preference-applied"),
          "wait=0",
          `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`,
        );
        assert.equal(reply.status, 202);
        routes++;
      }
    }
    assert.ok(routes > 60, `${routes} routes`);
  });

  test("a key that may write may wait, without being allowed to see tasks", async () => {
    const ring = api.services.keys!;
    const record = await ring.create({
      uid: null,
      name: null,
      description: null,
      actions: ["indexes.create"],
      indexes: ["own"],
      expiresAt: null,
    });
    const headers = { authorization: `Bearer ${ring.valueOf(record)}`, prefer: "wait=100" };
    const asked = api.call("POST", "/indexes", { uid: "own" }, headers);
    await waiting();
    await finish(newest());
    assert.equal((await asked).body.status, "succeeded");
  });

  test("a client that leaves is forgotten, and two headers are one", async () => {
    const { port } = new URL(api.base);
    const socket = connect(Number(port), "127.0.0.1");
    const body = '{"uid":"x"}';
    socket.write(
      `POST /indexes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${MASTER}\r\nContent-Type: application/json\r\n` +
        `Prefer: respond-async\r\nPrefer: wait=100\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await waiting();
    socket.destroy();
    await until(
      () => api.waits.clients === 0,
      () => "the client is forgotten",
    );
  });
});

function bodyFor(path: string, method: string): unknown {
  if (method === "delete" || /\/(compact|dumps|snapshots|cancel)$/.test(path)) return undefined;
  if (path === "/indexes") return { uid: "movies" };
  if (path === "/swap-indexes") return [{ indexes: ["a", "b"] }];
  if (path === "/export") return { url: "http://127.0.0.1:1", indexes: { "*": {} } };
  if (path.endsWith("/documents")) return [{ id: 1 }];
  if (path.endsWith("/delete-batch")) return [1];
  if (path.endsWith("/delete")) return { filter: "a = 1" };
  if (path === "/indexes/{index_uid}") return { primaryKey: "id" };
  return path.endsWith("/settings") ? {} : "null";
}

test("beyond the bound nobody waits, and after a stop neither", () => {
  const tasks = { observe() {}, get: () => null, table: { columns: () => null } };
  const waits = new TaskWaits(tasks as unknown as ConstructorParameters<typeof TaskWaits>[0], 2);
  waits.wait(1, 100);
  assert.equal(waits.hasRoom, true);
  waits.wait(2, 100);
  assert.equal(waits.hasRoom, false);
  waits.stop();
  assert.deepEqual([waits.clients, waits.hasRoom], [0, false]);
});

test("thousands wait in little memory, and others are served meanwhile", { timeout: 180_000 }, async (t) => {
  const api = await startApi(uwsMissing ? "node" : "uws");
  const clients = 4000;
  const body = `[{"id":1,"text":"${"x".repeat(60_000)}"}]`;
  const head =
    "POST /indexes/a/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
    `Prefer: wait=100\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { port } = new URL(api.base);
  const sockets: Socket[] = [];
  const answers: Promise<string>[] = [];
  const memory = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().rss;
  };
  const before = memory();
  while (sockets.length < clients) {
    for (let i = 0; i < 100; i++) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(head + body);
      answers.push(new Promise((resolve) => socket.once("data", (chunk) => resolve(String(chunk)))));
      sockets.push(socket);
    }
    await until(
      () => api.waits.clients >= sockets.length,
      () => `${sockets.length} clients wait`,
    );
  }
  const perClient = (memory() - before) / clients;
  t.diagnostic(`${Math.round(perClient)} bytes a client, both ends of the connection counted`);
  assert.ok(perClient < 50_000, `${perClient} bytes a client`);
  assert.equal((await api.call("GET", "/health")).status, 200);
  await api.stop();
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 202 /);
  for (const socket of sockets) socket.destroy();
});
