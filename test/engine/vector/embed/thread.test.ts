import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { threadFile } from "../../../../src/base/bundle/threads.ts";
import type { JsonObject } from "../../../../src/base/json/value.ts";
import { clockMs } from "../../../../src/base/time/clock.ts";

import { connectThrough, EmbedClient } from "../../../../src/engine/vector/embed/client.ts";
import {
  type EmbedThread,
  type EmbedThreadOptions,
  startEmbedThread,
} from "../../../../src/engine/vector/embed/host.ts";
import { noRequests } from "../../../../src/engine/vector/embed/messages.ts";
import { plain, promised, type Reply, restReply, restSettings, startProvider, texts, vectorFor } from "./lib.ts";

const never = new AbortController().signal;

function startThread(t: TestContext, change: Partial<EmbedThreadOptions> = {}) {
  const failures: unknown[] = [];
  const thread = startEmbedThread({
    allowedIpNetworks: ["127.0.0.1"],
    cacheEntries: 0,
    modelsDir: null,
    modelsDownload: false,
    log: { error: (_module, _message, fields) => failures.push(fields?.["cause"]), info: () => {} },
    env: {},
    ...change,
  });
  t.after(() => thread.stop());
  return { thread, failures, client: clientOf(t, thread) };
}

function clientOf(t: TestContext, thread: EmbedThread): EmbedClient {
  const client = new EmbedClient((port) => thread.take(port));
  t.after(() => client.close());
  return client;
}

const embedder = (settings: JsonObject) => ({ name: "mine", settings });
const query = (text: string) => texts(text)[0]!;

test("the front and another thread are served side by side", async (t) => {
  const provider = await startProvider(t, restReply);
  const { thread, client } = startThread(t);
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  thread.serve(port1);
  const writer = new EmbedClient(connectThrough(port2));
  t.after(() => writer.close());
  const mine = embedder(restSettings(provider.url));
  const counts = noRequests();
  const asked = Array.from({ length: 450 }, (_, i) => "x".repeat(i + 1));
  const [dimensions, vector, vectors] = await Promise.all([
    client.dimensions(mine),
    client.embedQuery(mine, query("ask"), null),
    writer.embedDocuments(mine, texts(...asked), never, counts),
  ]);
  assert.equal(dimensions, 3);
  assert.deepEqual([...vector], vectorFor("ask"));
  assert.deepEqual(plain(vectors), asked.map(vectorFor));
  assert.deepEqual(counts, { total: 45, failed: 0, lastError: null });
});

test("failures keep their kind and words, and fail only their call", async (t) => {
  const provider = await startProvider(t, () => ({ status: 401, json: "who are you" }));
  const { client } = startThread(t);
  const counts = noRequests();
  const call = client.embedDocuments(embedder(restSettings(provider.url)), texts("a"), never, counts);
  await assert.rejects(call, { kind: "user", message: /embedder `mine`: .*status 401.*who are you/, retryable: false });
  assert.equal(counts.failed, 1);
  assert.match(counts.lastError!, /status 401/);
  await assert.rejects(client.dimensions(embedder({ source: "userProvided", dimensions: 3 })), { kind: "user" });
  const refused = startThread(t, { allowedIpNetworks: [] }).client.embedQuery(
    embedder(restSettings(provider.url)),
    query("a"),
    null,
  );
  await assert.rejects(refused, /is not public/);
});

test("recent queries are not asked twice, where the cache is on", async (t) => {
  const provider = await startProvider(t, restReply);
  const { client } = startThread(t, { cacheEntries: 10 });
  const mine = embedder(restSettings(provider.url, { documentTemplate: "one" }));
  const first = await client.embedQuery(mine, query("ask"), null);
  const second = await client.embedQuery(
    embedder(restSettings(provider.url, { documentTemplate: "two" })),
    query("ask"),
    null,
  );
  assert.deepEqual(second, first);
  assert.equal(provider.received.length, 1);
  await client.embedQuery(embedder(restSettings(provider.url, { apiKey: "other" })), query("ask"), null);
  await client.embedDocuments(mine, texts("ask"), never);
  const long = "x".repeat(3000);
  await client.embedQuery(mine, query(long), null);
  await client.embedQuery(mine, query(long), null);
  assert.equal(provider.received.length, 5);
  await client.dimensions(mine);
  await client.embedQuery(mine, query("ask"), null);
  assert.equal(provider.received.length, 7);

  const without = startThread(t).client;
  await without.embedQuery(mine, query("ask"), null);
  await without.embedQuery(mine, query("ask"), null);
  assert.equal(provider.received.length, 9);
});

test("queries are answered while documents keep the provider busy", async (t) => {
  const held: (() => void)[] = [];
  const provider = await startProvider(t, (asked): Reply => {
    const reply = restReply(asked) as { json: object };
    if ((asked.body["input"] as string[])[0] === "ask") return restReply(asked);
    return (response) => held.push(() => response.end(JSON.stringify(reply.json)));
  });
  const { thread, client } = startThread(t);
  const mine = embedder(restSettings(provider.url));
  const documents = clientOf(t, thread).embedDocuments(mine, texts(...Array<string>(800).fill("document")), never);
  await provider.cameTo(40);
  assert.deepEqual([...(await client.embedQuery(mine, query("ask"), clockMs() + 5000))], vectorFor("ask"));
  assert.equal(held.length, 40);
  for (const answer of held.splice(0)) answer();
  await provider.cameTo(81);
  for (const answer of held) answer();
  assert.equal((await documents).length, 800);
});

test("a canceled call hangs up on the provider", async (t) => {
  const hungUp = promised<unknown>();
  const provider = await startProvider(t, () => (_, request) => {
    once(request.socket, "close").then(hungUp.resolve);
  });
  const { client } = startThread(t);
  const stop = new AbortController();
  const call = client.embedDocuments(embedder(restSettings(provider.url)), texts("a"), stop.signal);
  await provider.cameTo(1);
  stop.abort(new Error("the task was canceled"));
  await assert.rejects(call, /the task was canceled/);
  await hungUp.promise;
});

test("a crash fails the calls under way, is logged, and the next call starts the thread anew", async (t) => {
  const provider = await startProvider(t, (asked): Reply => {
    return (asked.body["input"] as string[])[0] === "slow" ? () => {} : restReply(asked);
  });
  const file = threadFile(import.meta.url, "./crashing-thread");
  const { thread, client, failures } = startThread(t, { file });
  const writer = clientOf(t, thread);
  const mine = embedder(restSettings(provider.url));
  const waiting = writer.embedDocuments(mine, texts("slow"), never);
  await provider.cameTo(1);
  const gone = { message: /the embedding thread ended before it answered/, retryable: true };
  await Promise.all([
    assert.rejects(client.embedQuery(mine, query("crash"), null), gone),
    assert.rejects(waiting, gone),
  ]);
  assert.deepEqual([...(await client.embedQuery(mine, query("again"), null))], vectorFor("again"));
  assert.equal((await writer.embedDocuments(mine, texts("again"), never)).length, 1);
  assert.equal(failures.length, 1);
  assert.match(String(failures[0]), /crashed/);
});

test("a thread that cannot start fails the call, and a stopped one takes no more", async (t) => {
  const file = threadFile(import.meta.url, "./no-such-thread");
  const broken = startThread(t, { file });
  const mine = embedder(restSettings("http://127.0.0.1:1"));
  await assert.rejects(broken.client.embedQuery(mine, query("a"), null), /the embedding thread ended/);
  const { thread, client } = startThread(t);
  await thread.stop();
  await assert.rejects(client.dimensions(mine), /the embedding thread ended/);
});
