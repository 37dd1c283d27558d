/**
 * The interface: "the service collects anonymous usage data and sends it in batches, every hour or when a batch
 * reaches 500 kb, whichever comes first. Telemetry can be deactivated. Collected data are counts, flags and configuration
 * indicators".
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { Log } from "../../../../src/base/log/log.ts";
import { AddressPolicy } from "../../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../../src/base/net/outgoing.ts";
import { decodeUsed, encodeUsed, parametersOf, usedBy } from "../../../../src/engine/ask/used-parameters.ts";
import { RequestMetrics } from "../../../../src/server/front/metrics.ts";
import { Telemetry, type TelemetrySetup } from "../../../../src/server/front/telemetry/telemetry.ts";
import { Usage } from "../../../../src/server/front/telemetry/usage.ts";
import { until } from "../../../lib/patience.ts";
import { TestServer } from "../../../lib/server.ts";
import { startApi } from "../services.ts";

const FACTS = { version: "1", options: {}, cores: 2, memoryBytes: 1, diskBytes: 1 };

interface Shown {
  isCollected: boolean;
  sentTo: string | null;
  batch: Record<string, never> & { requests: { received: number; failed: number; routes: Record<string, unknown> } };
  lastBatch: object | null;
}

test("counts and flags are shown to whoever runs the server, and say nothing of what was asked", async () => {
  const server = await TestServer.start({ key: "a master key of enough bytes", analytics: true });
  const call = (method: string, path: string, body?: unknown) => server.request<Shown>(method, path, body);
  try {
    await server.write("PATCH", "/indexes/secret-name/settings", {
      stopWords: ["hush"],
      embedders: { private: { source: "userProvided", dimensions: 2 } },
    });
    const search = { q: "my question", filter: null, limit: 3 };
    for (let i = 0; i < 3; i++) await call("POST", "/indexes/secret-name/search", search);
    await call("POST", "/multi-search", { federation: {}, queries: [{ indexUid: "secret-name", q: "again" }] });
    await call("GET", "/tasks?statuses=failed&indexUids=secret-name");
    await call("POST", "/indexes/nowhere/search", {});
    const { status, body } = await call("GET", "/telemetry");
    assert.equal(status, 200);
    assert.equal(body.isCollected, true);
    assert.equal(body.sentTo, null);
    const { batch } = body;
    assert.deepEqual(batch["searchParameters"], { q: 4, limit: 3 });
    assert.equal(batch["federatedSearches"], 1);
    assert.deepEqual(batch["taskFilters"], { statuses: 1, indexUids: 1 });
    assert.deepEqual(batch["settings"], { stopWords: 1, embedders: 1 });
    assert.deepEqual(batch["embedderSources"], { userProvided: 1 });
    assert.equal(batch["exports"], 0);
    assert.equal((batch["options"] as unknown as Record<string, boolean>)["masterKey"], true);
    assert.deepEqual(batch.requests.routes["POST /indexes/{index_uid}/search"], { succeeded: 3, failed: 1 });
    assert.ok(!/secret-name|hush|private|question|again|enough bytes/.test(JSON.stringify(body)));
    assert.equal((await fetch(`${server.base}/telemetry`)).status, 401);
  } finally {
    await server.dispose();
  }
});

// "search-parameter usage", "federation … use"
test("searches count in the same way when another thread reads their bodies", async () => {
  const server = await TestServer.start({ analytics: true });
  try {
    await server.write("PATCH", "/indexes/a/settings", { filterableAttributes: ["kind"] });
    const many = Array.from({ length: 9000 }, (_, i) => `"kind ${i}"`).join(", ");
    const search = { q: "long", filter: `kind IN [${many}]` };
    const answer = await server.request("POST", "/indexes/a/search", search);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const queries = [search, { q: "short" }].map((query) => ({ indexUid: "a", ...query }));
    assert.equal((await server.request("POST", "/multi-search", { federation: {}, queries })).status, 200);
    const { batch } = (await server.request<Shown>("GET", "/telemetry")).body;
    assert.deepEqual(batch["searchParameters"], { q: 3, filter: 2 });
    assert.equal(batch["federatedSearches"], 1);
  } finally {
    await server.dispose();
  }
});

test("what searches use crosses threads as it is", () => {
  for (const isFederated of [true, false]) {
    const used = usedBy([{}, { q: "a", limit: 3 }, { showRankingScore: true }], isFederated);
    assert.deepEqual(decodeUsed(encodeUsed(used)), used);
  }
});

test("it can be switched off", async () => {
  const server = await TestServer.start();
  try {
    const { body } = await server.request<Shown>("GET", "/telemetry");
    assert.deepEqual(body, { isCollected: false, sentTo: null, batch: null, lastBatch: null });
  } finally {
    await server.dispose();
  }
});

/** A telemetry over made-up parts, with bounds of its own. */
async function collecting(
  setup: Partial<TelemetrySetup>,
): Promise<{ usage: Usage; telemetry: Telemetry; stop(): Promise<void> }> {
  const api = await startApi("node");
  const usage = new Usage();
  const outgoing = new Outgoing(new AddressPolicy(["any"]));
  const log = new Log("off", "human", () => {});
  const metrics = new RequestMetrics([]);
  const telemetry = new Telemetry(
    { url: null, facts: FACTS, usage, outgoing, log, ...setup },
    { ...api.services, requestMetrics: () => metrics },
  );
  return {
    usage,
    telemetry,
    async stop() {
      telemetry.stop();
      outgoing.close();
      await api.stop();
    },
  };
}

test("of several servers those that do not lead send nothing", async () => {
  let isAsked = false;
  let sent = 0;
  const receiver = createServer((_, response) => {
    sent++;
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const leads = (): boolean => {
    isAsked = true;
    return false;
  };
  const bounds = { ms: 1, bytes: 1, lookMs: 2 };
  const { telemetry, stop } = await collecting({ url: `http://127.0.0.1:${port}/`, leads, bounds });
  await until(
    () => isAsked,
    () => "it is asked who leads",
  );
  assert.notEqual((await telemetry.view())["lastBatch"], null);
  await stop();
  receiver.close();
  assert.equal(sent, 0);
});

test("batches are sent to the address that is set when their time is over, and counts begin anew", async () => {
  const sent: Record<string, unknown>[] = [];
  const receiver = createServer((request, response) => {
    request.setEncoding("utf8");
    let text = "";
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      sent.push(JSON.parse(text) as Record<string, unknown>);
      response.end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/usage`;
  const { usage, telemetry, stop } = await collecting({ url, bounds: { ms: 50, bytes: 1e6, lookMs: 10 } });
  try {
    usage.search(parametersOf({ q: "x", facets: ["a"] }));
    const used = () => sent.map(({ searchParameters }) => searchParameters);
    const isUsed = (parameters: unknown) => Object.keys(parameters as object).length > 0;
    await until(
      () => used().some(isUsed) && !isUsed(used().at(-1)),
      () => "a batch with the search, and one after it",
    );
    assert.deepEqual(used().filter(isUsed), [{ q: 1, facets: 1 }]);
    assert.notEqual((await telemetry.view())["lastBatch"], null);
  } finally {
    await stop();
    receiver.close();
  }
});

test("a batch that has become large is complete before its time", async () => {
  const { usage, telemetry, stop } = await collecting({ bounds: { ms: 3_600_000, bytes: 200, lookMs: 5 } });
  try {
    assert.equal((await telemetry.view())["lastBatch"], null);
    usage.taskFilters(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`filter${i}`, 1])));
    await until(
      async () => (await telemetry.view())["lastBatch"] !== null,
      () => "a batch is complete",
    );
    assert.deepEqual(((await telemetry.view())["batch"] as Record<string, unknown>)["taskFilters"], {});
  } finally {
    await stop();
  }
});
