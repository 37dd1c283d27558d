/** Clients write to one server, wait on another and search on a third: what they were told of is there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { Task, TestServer } from "../lib/server.ts";
import { ask, atNats, idle, inDirectory, type MeetingPlace, startNode, until } from "./cluster.ts";
import { withDiagnosis } from "./diagnosis.ts";
import { ending } from "./ending.ts";

/** As many as `CLUSTER_READS` says; few are enough to see that it works, many that it always does. */
const READS = Number(process.env["CLUSTER_READS"] ?? 40);
/** Many are not to take hours. */
const CLIENTS = READS > 1000 ? 16 : 1;
/** Whoever waits for many, as the runner of tests does, is told so often how far it is. */
const NEWS = 250;

interface Found {
  hits: { id: number }[];
}

async function waitHereSearchThere(place: MeetingPlace): Promise<void> {
  const nodes: TestServer[] = [];
  for (const name of ["one", "two", "three"]) nodes.push(await startNode(place, name));
  await until("all members", async () => (await membersOf(nodes[0]!)) === 3);
  // On a busy machine a search that is late would be cut short, and be another one.
  await nodes[0]!.write("PATCH", "/indexes/all/settings", { searchCutoffMs: 100_000 });
  const times: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < READS) {
      times.push(await writeWaitSearch(nodes, next++));
      if (times.length % NEWS === 0) console.log(`${times.length} of ${READS} reads`);
    }
  };
  await withDiagnosis(nodes, async () => void (await Promise.all(Array.from({ length: CLIENTS }, client))));
  times.sort((a, b) => a - b);
  console.log(
    `${READS} waits on another server; p50 ${times[READS >> 1]!.toFixed(1)} ms, longest ${times.at(-1)!.toFixed(0)} ms`,
  );
  await withMinSequence(nodes);
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
}

/** Resolves with how long it took until the task was seen to be done. */
async function writeWaitSearch(nodes: readonly TestServer[], id: number): Promise<number> {
  const [writes, waits, searches] = [0, 1, 2].map((i) => nodes[(id + i) % 3]!) as [TestServer, TestServer, TestServer];
  const before = performance.now();
  const documents = [{ id, word: `w${id}` }];
  const { body: task } = await ask<{ taskUid: number }>(writes, "POST", "/indexes/all/documents", documents);
  await until("the end of the task", async () => {
    const { body, status } = await waits.request<Task>("GET", `/tasks/${task.taskUid}`);
    assert.notEqual(status, 404, "a task that was taken is known everywhere");
    return status === 200 && body.status === "succeeded";
  });
  const took = performance.now() - before;
  const { body } = await ask<Found>(searches, "POST", "/indexes/all/search", { q: `w${id}`, limit: 1 });
  assert.deepEqual(
    body.hits?.map((hit) => hit.id),
    [id],
    JSON.stringify(body),
  );
  return took;
}

async function membersOf(server: TestServer): Promise<number> {
  const { body } = await server.request<{ remotes: Record<string, unknown> }>("GET", "/network");
  return Object.keys(body.remotes ?? {}).length + 1;
}

async function withMinSequence(nodes: readonly TestServer[]): Promise<void> {
  const { headers } = await nodes[0]!.request("POST", "/indexes/all/documents", [{ id: 1_000_000 }]);
  await idle(nodes[0]!);
  const answer = await nodes[0]!.request("GET", "/tasks?limit=1");
  const sequence = Number(answer.headers.get("x-sabre-seq"));
  assert.ok(sequence > Number(headers.get("x-sabre-seq")));
  const names = new Set<string | null>();
  for (const node of nodes) {
    const ask = (least: string) =>
      node.request("GET", "/indexes/all/documents/1000000", undefined, { "x-sabre-min-seq": least });
    const found = await ask(String(sequence));
    assert.equal(found.status, 200);
    names.add(found.headers.get("x-sabre-node"));
    assert.equal((await ask("many")).status, 400);
  }
  assert.deepEqual([...names].sort(), ["one", "three", "two"]);
  const late = await nodes[0]!.request("GET", "/indexes/all/stats", undefined, {
    "x-sabre-min-seq": String(sequence + 1_000_000),
  });
  assert.equal(late.status, 503);
  assert.ok(late.headers.get("retry-after"));
}

test(
  "in a directory: wait here, search there",
  ending(() => waitHereSearchThere(inDirectory())),
);

test(
  "at NATS: the same",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    await waitHereSearchThere(atNats(servers));
  }),
);
