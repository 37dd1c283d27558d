import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { Log } from "../../../src/base/log/log.ts";
import { AddressPolicy } from "../../../src/base/net/address-policy.ts";
import { Outgoing } from "../../../src/base/net/outgoing.ts";
import { type EndedTasks, WebhookDelivery } from "../../../src/server/front/state/webhook-delivery.ts";
import type { WebhookRecord } from "../../../src/storage/store/store.ts";
import { until, within } from "../../lib/patience.ts";

const WAITING_TASKS = 10_000;

test("webhooks get the finished tasks as gzipped lines", async (t) => {
  const { url, received, delivery, warnings } = await receiver(t);
  const headers = {
    Authorization: "Bearer x",
    "Content-Length": "3",
    "Transfer-Encoding": "identity",
    Expect: "wonders",
  };
  const hooks: [string, WebhookRecord][] = [
    ["a", { url, headers }],
    ["b", { url: "http://127.0.0.1:1/secret-path", headers: {} }],
  ];
  await delivery.tell(hooks, tasks(1, 2));
  assert.equal(received[0]?.text, '{"uid":1}\n{"uid":2}\n');
  const { authorization, "content-type": type } = received[0].headers;
  assert.deepEqual([authorization, type], ["Bearer x", "application/x-ndjson"]);
  const { "content-length": length, "transfer-encoding": transfer } = received[0].headers;
  assert.deepEqual([length, transfer], [undefined, "chunked"], "who names a header does not say where the body ends");
  assert.equal(warnings.length, 1);
  assert.ok(!warnings[0]?.includes("secret-path"));
});

test("a webhook that is slow is told by one call at a time, of everything, in order", async (t) => {
  const { url, received, delivery, answer } = await receiver(t, "holds");
  const hooks: [string, WebhookRecord][] = [["a", { url, headers: {} }]];
  const told = Array.from({ length: 50 }, (_, uid) => delivery.tell(hooks, tasks(uid)));
  await until(
    () => received.length === 1,
    () => "the first call comes",
  );
  assert.equal(received[0]?.text, '{"uid":0}\n', "nobody waits for others to come along");
  answer();
  await until(
    () => received.length === 2,
    () => "the second call comes",
  );
  answer();
  await within(Promise.all(told), () => "all are told", 20);
  const rest = Array.from({ length: 49 }, (_, i) => `{"uid":${i + 1}}\n`).join("");
  assert.deepEqual(
    received.map(({ text }) => text),
    ['{"uid":0}\n', rest],
  );
});

test("so many tasks wait for a webhook and no more, none for one that is gone", async (t) => {
  const { url, received, delivery, answer, warnings } = await receiver(t, "holds");
  const hooks: [string, WebhookRecord][] = [["a", { url, headers: {} }]];
  const many: EndedTasks = { count: WAITING_TASKS, lines: () => ["many\n"] };
  const first = delivery.tell(hooks, tasks(1));
  await until(
    () => received.length === 1,
    () => "the first call comes",
  );
  const others = [delivery.tell(hooks, { ...many, count: 2 * WAITING_TASKS }), delivery.tell(hooks, tasks(2, 3))];
  answer();
  await until(
    () => received.length === 2,
    () => "the second call comes",
  );
  assert.equal(received[1]?.text, "many\n", "one batch may be as large as it is");
  assert.match(warnings.join(""), /too slow.*missed=2/);
  void delivery.tell(hooks, tasks(4));
  await delivery.tell([], tasks(5));
  answer();
  await within(Promise.all([first, ...others]), () => "the calls end", 20);
  assert.equal(received.length, 2);
});

test("nothing is compressed for a webhook whose address is refused, and lines that fail end no more than the call", async (t) => {
  const { url, delivery, log, warnings } = await receiver(t, "holds");
  let asked = 0;
  const ended: EndedTasks = {
    count: 1,
    lines() {
      asked++;
      throw new Error("no such task");
    },
  };
  const refusing = new Outgoing(new AddressPolicy([]));
  await new WebhookDelivery(log, refusing).tell([["a", { url, headers: {} }]], ended);
  refusing.close();
  // A stream reads ahead in the next turn, if at all.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked, 0);
  await within(delivery.tell([["a", { url, headers: {} }]], ended), () => "the call ends", 20);
  assert.equal(asked, 1);
  assert.match(warnings.join(""), /no such task/);
});

function tasks(...uids: number[]): EndedTasks {
  return { count: uids.length, lines: () => uids.map((uid) => `{"uid":${uid}}\n`) };
}

/** Who is told. `holds`: whether it answers only when `answer` says so. */
async function receiver(t: TestContext, holds?: "holds") {
  const received: { headers: IncomingMessage["headers"]; text: string }[] = [];
  const held: ServerResponse[] = [];
  const warnings: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, text: gunzipSync(Buffer.concat(chunks)).toString() });
    if (holds === undefined) response.end();
    else held.push(response);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const log = new Log("warn", "human", (line) => warnings.push(line));
  const outgoing = new Outgoing(new AddressPolicy(["127.0.0.1"]));
  t.after(() => {
    outgoing.close();
    server.closeAllConnections();
    server.close();
  });
  const delivery = new WebhookDelivery(log, outgoing);
  const answer = (): void => {
    for (const response of held.splice(0)) response.end();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    delivery,
    log,
    warnings,
    answer,
  };
}
