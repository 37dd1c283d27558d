import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessagePort } from "node:worker_threads";
import { limits } from "../../../../src/base/limits.ts";
import { clockMs } from "../../../../src/base/time/clock.ts";
import { EmbedClient } from "../../../../src/engine/vector/embed/client.ts";
import type { FromEmbedThread, ToEmbedThread } from "../../../../src/engine/vector/embed/messages.ts";
import { noRequests } from "../../../../src/engine/vector/embed/messages.ts";
import { promised, restSettings, texts } from "./lib.ts";

const embedder = { name: "mine", settings: restSettings("http://a.example") };
const never = new AbortController().signal;

/** A client, and what its thread would see. */
function clientWith(answer: (message: ToEmbedThread, tell: (message: FromEmbedThread) => void) => void) {
  const ports: MessagePort[] = [];
  const client = new EmbedClient((port) => {
    ports.push(port);
    port.on("message", (message: ToEmbedThread) => answer(message, (reply) => port.postMessage(reply)));
  });
  return { client, ports };
}

function vectorsFor(message: Extract<ToEmbedThread, { kind: "embed" }>): FromEmbedThread {
  const values = Float32Array.from(message.inputs.flatMap(({ text }) => [text!.length, 0]));
  return { kind: "vectors", number: message.number, values, dimensions: 2, counts: noRequests() };
}

test("documents go over in parts, a few at a time, and come back in order", async () => {
  let under = 0;
  let most = 0;
  const sizes: number[] = [];
  const { client } = clientWith((message, tell) => {
    if (message.kind !== "embed") return;
    sizes.push(message.inputs.length);
    most = Math.max(most, ++under);
    setImmediate(() => {
      under--;
      tell(vectorsFor(message));
    });
  });
  const asked = Array.from({ length: 2345 }, (_, i) => "x".repeat(i % 97));
  const vectors = await client.embedDocuments(embedder, texts(...asked), never);
  assert.deepEqual(
    vectors.map(([length]) => length),
    asked.map((text) => text.length),
  );
  assert.ok(most > 1 && most <= 4, `${most} parts at once`);
  assert.equal(Math.max(...sizes), 200);
  assert.deepEqual(await client.embedDocuments(embedder, [], never), []);
  client.close();
});

test("requests are counted while a call is under way and when it fails; errors name the embedder", async () => {
  const { client } = clientWith(({ number }, tell) => {
    tell({ kind: "counts", number, counts: { total: 3, failed: 1, lastError: "first" } });
    const error = {
      kind: "runtime",
      problem: "broken",
      retryable: true,
      code: "vector_embedding_error",
      isOfInput: false,
    } as const;
    tell({ kind: "failed", number, error, counts: { total: 1, failed: 1, lastError: "second" } });
  });
  const counts = noRequests();
  await assert.rejects(client.embedDocuments(embedder, texts("a"), never, counts), {
    name: "ApiError",
    kind: "runtime",
    retryable: true,
    status: 400,
    message: "Error while generating embeddings: runtime error: embedder `mine`: broken",
  });
  assert.deepEqual(counts, { total: 4, failed: 2, lastError: "second" });
  client.close();
});

test("a query is answered or given up by its deadline, and the thread is told", async () => {
  const seen: ToEmbedThread[] = [];
  const told = promised<void>();
  const { client } = clientWith((message) => {
    seen.push(message);
    if (message.kind === "cancel") told.resolve(undefined);
  });
  const [input] = texts("slow");
  const call = client.embedQuery(embedder, input!, clockMs() + 20);
  await assert.rejects(call, {
    message: /embedder `mine`: the query was not embedded in the time that a search has/,
    retryable: true,
  });
  await told.promise;
  assert.deepEqual(
    seen.map(({ kind, number }) => [kind, number]),
    [
      ["embed", 0],
      ["cancel", 0],
    ],
  );
  client.close();
});

test("a call that is called off rejects at once with its reason; its late answer is not missed", async () => {
  const asked = promised<() => void>();
  const { client } = clientWith((message, tell) => {
    if (message.kind === "embed" && message.number === 0) asked.resolve(() => tell(vectorsFor(message)));
    else if (message.kind === "embed") tell(vectorsFor(message));
  });
  const stop = new AbortController();
  const call = client.embedDocuments(embedder, texts("a"), stop.signal);
  const answerLate = await asked.promise;
  stop.abort(new Error("the task was canceled"));
  await assert.rejects(call, /the task was canceled/);
  answerLate();
  assert.equal((await client.embedDocuments(embedder, texts("b"), never)).length, 1);
  await assert.rejects(client.embedDocuments(embedder, texts("c"), stop.signal), /the task was canceled/);
  const [input] = texts("q");
  await assert.rejects(client.embedQuery(embedder, input!, null, stop.signal), /the task was canceled/);
  client.close();
});

test("queries do not pile up without end", async () => {
  const { client } = clientWith(() => {});
  const [input] = texts("q");
  const waiting = Array.from({ length: limits.queuedRequests }, () => client.embedQuery(embedder, input!, null));
  await assert.rejects(client.embedQuery(embedder, input!, null), { code: "too_many_search_requests", status: 503 });
  client.close();
  for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, "rejected");
});

test("a thread that goes away fails the calls under way, and the next call connects anew", async () => {
  const { client, ports } = clientWith((message, tell) => {
    if (message.kind !== "embed") return;
    if (message.inputs[0]!.text === "die") ports.at(-1)!.close();
    else tell(vectorsFor(message));
  });
  await assert.rejects(client.embedDocuments(embedder, texts("die"), never), {
    message: /embedder `mine`: the embedding thread ended before it answered/,
    retryable: true,
  });
  assert.equal((await client.embedDocuments(embedder, texts("live"), never)).length, 1);
  assert.equal(ports.length, 2);
  client.close();
});
