/** An embedder that does not answer keeps its own index waiting, and no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until, within } from "../../../lib/patience.ts";
import { type Task, TestServer } from "../../../lib/server.ts";
import { TestEmbedder } from "./embedder.ts";
import { closeStage, made, openStage, REACH_ALL, type Stage, shownVectors, succeeded } from "./stage.ts";

/** Less than the time after which an embedder is given up. */
const SOON = { seconds: 20 };

async function withStage(act: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage({});
  try {
    const embedders = { it: stage.embedder.settings({ documentTemplate: "{{doc.title}}" }) };
    succeeded(await stage.server.write("PATCH", "/indexes/slow/settings", { embedders }));
    succeeded(await stage.server.write("POST", "/indexes/quick/documents", [{ id: 0, title: "before" }]));
    await act(stage);
  } finally {
    await closeStage(stage);
  }
}

async function enqueued(server: TestServer, method: string, url: string, body?: unknown): Promise<number> {
  const answer = await server.request<{ taskUid: number }>(method, url, body);
  assert.equal(answer.status, url.startsWith("/tasks") ? 200 : 202, JSON.stringify(answer.body));
  return answer.body.taskUid;
}

const taskOf = async (server: TestServer, uid: number) => (await server.request<Task>("GET", `/tasks/${uid}`)).body;

/** Resolves with the task of the slow index once its documents wait for the embedder. */
async function waiting({ server, embedder }: Stage, id: number, title: string): Promise<number> {
  embedder.hold();
  const uid = await enqueued(server, "POST", "/indexes/slow/documents", [{ id, title }]);
  await until(
    () => embedder.asked.includes(title),
    () => `the embedder is asked for ${title}`,
  );
  return uid;
}

/** Not for luck: a task that has to wait for the embedder would wait for ever. */
async function soon(server: TestServer, uid: number): Promise<Task> {
  let task = await taskOf(server, uid);
  await until(
    async () => {
      task = await taskOf(server, uid);
      return task.status !== "enqueued" && task.status !== "processing";
    },
    () => `task ${uid} still waits`,
    SOON,
  );
  return task;
}

test("batches of other indexes go on while one waits for its embedder, and all shows as it is", () =>
  withStage(async (stage) => {
    const { server, embedder } = stage;
    const slow = await waiting(stage, 1, "first");
    const behind = await enqueued(server, "POST", "/indexes/slow/documents", [{ id: 2, title: "second" }]);
    const quick = await enqueued(server, "POST", "/indexes/quick/documents", [{ id: 1, title: "quick" }]);
    succeeded(await soon(server, quick));
    const { batchUid, status } = await taskOf(server, slow);
    assert.equal(status, "processing");
    assert.equal((await taskOf(server, behind)).status, "enqueued");
    assert.notEqual((await taskOf(server, quick)).batchUid, batchUid);
    const running = await server.request<{ results: { uid: number; progress: unknown }[] }>(
      "GET",
      "/batches?statuses=processing",
    );
    assert.deepEqual(
      running.body.results.map(({ uid }) => uid),
      [batchUid],
    );
    assert.notEqual(running.body.results[0]!.progress, null);
    const stats = await server.request<{ indexes: Record<string, { isIndexing: boolean }> }>("GET", "/stats");
    assert.equal(stats.body.indexes["slow"]!.isIndexing, true);
    assert.equal(stats.body.indexes["quick"]!.isIndexing, false);
    for (const path of ["/dumps", "/snapshots"]) succeeded(await soon(server, await enqueued(server, "POST", path)));
    assert.equal((await taskOf(server, slow)).status, "processing");
    embedder.release();
    succeeded(await soon(server, slow));
    succeeded(await soon(server, behind));
    assert.deepEqual((await shownVectors(server, "slow", 1))["it"], made("first"));
    assert.deepEqual((await shownVectors(server, "slow", 2))["it"], made("second"));
    const batches = await server.request<{ results: { uid: number }[] }>("GET", "/batches?limit=100&reverse=true");
    for (const [position, { uid }] of batches.body.results.entries()) assert.equal(uid, position);
  }));

test("what touches the index that waits keeps its place: swaps, deletions, and what comes after them", () =>
  withStage(async (stage) => {
    const { server, embedder } = stage;
    const slow = await waiting(stage, 1, "first");
    const swap = await enqueued(server, "POST", "/swap-indexes", [{ indexes: ["slow", "quick"] }]);
    const after = await enqueued(server, "POST", "/indexes/quick/documents", [{ id: 5, title: "after the swap" }]);
    const other = await enqueued(server, "POST", "/indexes/other/documents", [{ id: 1 }]);
    succeeded(await soon(server, other));
    for (const uid of [swap, after]) assert.equal((await taskOf(server, uid)).status, "enqueued");
    assert.equal((await server.request("GET", "/indexes/quick/documents/5")).status, 404);
    embedder.release();
    for (const uid of [slow, swap, after]) succeeded(await soon(server, uid));
    // The data of the slow index has the other name now, and the later document came to it.
    assert.deepEqual((await shownVectors(server, "quick", 1))["it"], made("first"));
    assert.deepEqual((await shownVectors(server, "quick", 5))["it"], made("after the swap"));
    assert.equal((await server.request("GET", "/indexes/slow/documents/0")).status, 200);
  }));

test("a cancelation reaches a batch that waits, and nothing of it is left", () =>
  withStage(async (stage) => {
    const { server, embedder } = stage;
    const slow = await waiting(stage, 1, "first");
    const behind = await enqueued(server, "POST", "/indexes/slow/documents", [{ id: 2, title: "second" }]);
    succeeded(await soon(server, await enqueued(server, "POST", "/indexes/quick/documents", [{ id: 9 }])));
    const cancelation = await enqueued(server, "POST", `/tasks/cancel?uids=${slow}`);
    succeeded(await soon(server, cancelation));
    const { status, canceledBy } = await taskOf(server, slow);
    assert.deepEqual([status, canceledBy], ["canceled", cancelation]);
    embedder.release();
    succeeded(await soon(server, behind));
    assert.equal((await server.request("GET", "/indexes/slow/documents/1")).status, 404);
    assert.deepEqual((await shownVectors(server, "slow", 2))["it"], made("second"));
  }));

test("a server that is killed while a batch waits has lost nothing, and nothing of it is there in part", async () => {
  const embedder = await TestEmbedder.start();
  let server = await TestServer.start({ args: REACH_ALL });
  try {
    const embedders = { it: embedder.settings({ documentTemplate: "{{doc.title}}" }) };
    succeeded(await server.write("PATCH", "/indexes/slow/settings", { embedders }));
    const slow = await waiting({ server, embedder }, 1, "first");
    const quick = await enqueued(server, "POST", "/indexes/quick/documents", [{ id: 1 }]);
    succeeded(await soon(server, quick));
    await server.kill();
    server = await TestServer.start({ directory: server.directory, args: REACH_ALL });
    assert.equal((await server.request("GET", "/indexes/quick/documents/1")).status, 200);
    assert.equal((await server.request("GET", "/indexes/slow/documents/1")).status, 404);
    embedder.release();
    succeeded(await soon(server, slow));
    assert.deepEqual((await shownVectors(server, "slow", 1))["it"], made("first"));
  } finally {
    await server.dispose();
    await embedder.stop();
  }
});

test("the trial of an embedder in new settings keeps nobody waiting, either, nor does a server that stops", () =>
  withStage(async ({ server, embedder }) => {
    embedder.hold();
    const { dimensions: _, ...settings } = embedder.settings();
    const uid = await enqueued(server, "PATCH", "/indexes/slow/settings", { embedders: { other: settings } });
    await until(
      () => embedder.asked.length > 0,
      () => "the embedder is asked",
    );
    succeeded(await soon(server, await enqueued(server, "POST", "/indexes/quick/documents", [{ id: 1 }])));
    assert.equal((await taskOf(server, uid)).status, "processing");
    assert.equal(await within(server.stop(), () => "a stop without the embedder", SOON.seconds), 0);
  }));

test("however many indexes wait for embedders, others go on, and all are done in the end", () =>
  withStage(async (stage) => {
    const { server, embedder } = stage;
    const embedders = { it: embedder.settings({ documentTemplate: "{{doc.title}}" }) };
    const uids = Array.from({ length: 20 }, (_, i) => `slow${i}`);
    for (const uid of uids) succeeded(await server.write("PATCH", `/indexes/${uid}/settings`, { embedders }));
    embedder.hold();
    const waiting: number[] = [];
    for (const uid of uids) {
      waiting.push(await enqueued(server, "POST", `/indexes/${uid}/documents`, [{ id: 1, title: uid }]));
    }
    succeeded(await server.write("POST", "/indexes/quick/documents", [{ id: 1, title: "quick" }]));
    const stillWaiting = async (): Promise<Task[]> => Promise.all(waiting.map((uid) => taskOf(server, uid)));
    for (const { status } of await stillWaiting()) assert.ok(status === "processing" || status === "enqueued", status);
    embedder.release();
    for (const uid of waiting) succeeded(await server.waitTask(uid));
    for (const uid of uids) assert.deepEqual((await shownVectors(server, uid, 1))["it"], made(uid));
  }));
