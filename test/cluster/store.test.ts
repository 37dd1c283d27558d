/** The files of indexes in an S3-compatible store, which is slow, fails, and cuts off what it sends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestServer } from "../lib/server.ts";
import { startVersity, withoutVersity } from "../lib/versity.ts";
import { ask, idle, inDirectory, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";
import { atLoopbackStore, atStore } from "./stores.ts";

const BATCHES = 12;
const DOCUMENTS = 300;

async function write(nodes: readonly TestServer[]): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch++) {
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
      id: batch * DOCUMENTS + i,
      text: `document ${i} of ${batch}`,
    }));
    await nodes[batch % nodes.length]!.write("POST", "/indexes/all/documents", documents);
  }
}

async function found(node: TestServer): Promise<number> {
  const { body } = await ask<{ hits: unknown[] }>(node, "POST", "/indexes/all/search", { q: "first" });
  return body.hits.length;
}

async function mustHaveAll(place: MeetingPlace, nodes: readonly TestServer[]): Promise<void> {
  for (const node of nodes) {
    await idle(node);
    await until("all documents", async () => {
      const { body } = await node.request<{ numberOfDocuments: number }>("GET", "/indexes/all/stats");
      return body.numberOfDocuments === BATCHES * DOCUMENTS;
    });
  }
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
  await mustHoldTheSame(place, nodes);
}

test(
  "segments go to versitygw, and a server joins from a checkpoint there",
  { skip: withoutVersity },
  ending(async () => {
    const store = await startVersity();
    const place = atStore(inDirectory(), store.place);
    const often = ["--cluster-checkpoint-interval", "1"];
    const nodes = [await startNode(place, "one", undefined, often), await startNode(place, "two", undefined, often)];
    await write(nodes);
    await until("a checkpoint", async () => nodes.some(({ output }) => /a checkpoint is made/.test(output)));
    nodes.push(await startNode(place, "three"));
    await mustHaveAll(place, nodes);
  }),
);

test(
  "a store that fails, hangs up and cuts off: commits wait, searches go on, nothing damaged is taken",
  ending(async () => {
    const { place, store } = await atLoopbackStore(inDirectory());
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    await nodes[0]!.write("POST", "/indexes/all/documents", [{ id: 0, text: "first" }]);
    /** How often each was asked for: the first time is always wrong. */
    const calls = new Map<string, number>();
    let cut = 0;
    store.fault = ({ method, key }) => {
      const call = `${method} ${key}`;
      calls.set(call, (calls.get(call) ?? 0) + 1);
      if (calls.get(call) !== 1) return null;
      if (method === "HEAD") return "hang up";
      if (method === "PUT") return { status: 503 };
      // As long as it should be and wrong, or right and too short.
      const right = store.objects.get(key) ?? Buffer.of();
      const body = cut++ % 2 === 0 ? Buffer.alloc(right.length, 7) : right.subarray(0, right.length >> 1);
      return { status: 200, body };
    };
    let isOver = false;
    const times: number[] = [];
    const searching = (async () => {
      while (!isOver) {
        const before = performance.now();
        const { status } = await nodes[1]!.request("POST", "/indexes/all/search", { q: "first" });
        assert.equal(status, 200);
        times.push(performance.now() - before);
        await new Promise((resume) => setTimeout(resume, 5));
      }
    })();
    await write(nodes);
    isOver = true;
    await searching;
    times.sort((a, b) => a - b);
    console.log(
      `${times.length} searches, p99 ${times[Math.floor(times.length * 0.99)]!.toFixed(1)} ms; ${cut} damaged answers`,
    );
    assert.ok(cut > 0);
    store.fault = () => null;
    await mustHaveAll(place, nodes);
  }),
);

test(
  "a store that is slow: batches wait for it, tasks are taken and searches answered meanwhile",
  ending(async () => {
    const { place, store } = await atLoopbackStore(inDirectory());
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    await nodes[0]!.write("POST", "/indexes/all/documents", [{ id: 0, text: "first" }]);
    await until("the document on both", async () => (await Promise.all(nodes.map(found))).join() === "1,1");
    let goOn = (): void => {};
    const held = new Promise<null>((resolve) => {
      goOn = () => resolve(null);
    });
    let waiting = 0;
    store.fault = ({ method }) => {
      if (method === "PUT") waiting++;
      return held;
    };
    const tasks: number[] = [];
    const take = async (node: TestServer): Promise<void> => {
      const documents = [{ id: tasks.length + 1, text: "first and more" }];
      const { status, body } = await node.request<{ taskUid: number }>("POST", "/indexes/all/documents", documents);
      assert.equal(status, 202);
      tasks.push(body.taskUid);
    };
    for (const node of nodes) await take(node);
    await until("a batch that waits", async () => waiting > 0);
    for (const node of nodes) await take(node);
    for (const node of nodes) {
      assert.equal(await found(node), 1);
      const { body } = await node.request<{ total: number }>("GET", `/tasks?uids=${tasks}&statuses=succeeded,failed`);
      assert.equal(body.total, 0);
    }
    goOn();
    for (const uid of tasks) assert.equal((await nodes[0]!.waitTask(uid)).status, "succeeded");
    await until("all of it on both", async () => (await Promise.all(nodes.map(found))).join() === "5,5");
    for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
    await mustHoldTheSame(place, nodes);
  }),
);
