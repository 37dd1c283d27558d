/** Servers of a cluster are killed and paused while clients write: whatever was answered with 202 is there once, everywhere. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { emptyStore, idle, startNode, tablesAtEnd, until } from "./cluster.ts";

const PAUSE_MS = 4000;

interface Found {
  results: { id: number }[];
  total: number;
}

/** Sends documents with ids of their own until it is told to stop; gives the ids that were taken. */
function writeOn(servers: () => readonly TestServer[], client: number): { stop(): Promise<number[]> } {
  const taken: number[] = [];
  let isStopped = false;
  const run = async (): Promise<number[]> => {
    for (let i = 0; !isStopped; i++) {
      const id = client * 1_000_000 + i;
      const list = servers();
      const server = list[(client + i) % list.length]!;
      const answer = await server.request("POST", "/indexes/all/documents", [{ id, client }]).catch(() => null);
      if (answer?.status === 202) taken.push(id);
      // One that is being killed takes nothing; it is not asked a thousand times a second.
      else await new Promise((resume) => setTimeout(resume, 20));
    }
    return taken;
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      return running;
    },
  };
}

async function idsOn(server: TestServer): Promise<number[]> {
  const { body } = await server.request<Found>("GET", "/indexes/all/documents?limit=100000&fields=id");
  return body.results.map(({ id }) => id).sort((a, b) => a - b);
}

const leads = (server: TestServer): boolean =>
  (server.output.match(/a server leads .*/g) ?? []).at(-1)?.includes("isThisOne=true") === true;

test("a leader that is killed, and one that is paused and wakes up, cost nothing that was answered with 202", async () => {
  const place = temporaryDirectory();
  let one = await startNode(place, "one");
  const two = await startNode(place, "two");
  let reachable: TestServer[] = [one, two];
  const clients = [1, 2, 3].map((client) => writeOn(() => reachable, client));
  await until("some documents", async () => (await two.request<Found>("GET", "/indexes/all/documents")).body.total > 5);

  reachable = [two];
  const directory = one.directory;
  await one.kill();
  await until("another leader", async () => leads(two));
  one = await startNode(place, "one", directory);
  reachable = [one, two];

  process.kill(two.pid, "SIGSTOP");
  reachable = [one];
  await until("another leader", async () => leads(one));
  await new Promise((resume) => setTimeout(resume, PAUSE_MS / 2));
  process.kill(two.pid, "SIGCONT");
  await until("the end of the one before", async () => !leads(two));
  reachable = [one, two];

  const taken = (await Promise.all(clients.map((client) => client.stop()))).flat().sort((a, b) => a - b);
  for (const server of reachable) await idle(server);
  const [onOne, onTwo] = [await idsOn(one), await idsOn(two)];
  assert.deepEqual(onTwo, onOne);
  // One whose answer was lost may be there as well.
  const there = new Set(onOne);
  assert.deepEqual(
    taken.filter((id) => !there.has(id)),
    [],
  );
  assert.equal(there.size, onOne.length);
  const { body } = await one.request<{ total: number }>("GET", "/tasks?statuses=failed");
  assert.equal(body.total, 0);
  assert.equal(await one.stop(), 0, one.output);
  assert.equal(await two.stop(), 0, two.output);
  const tables = [
    await tablesAtEnd(place, join(one.directory, "db", "store")),
    await tablesAtEnd(place, join(two.directory, "db", "store")),
    await tablesAtEnd(place, emptyStore()),
  ];
  assert.deepEqual(tables[1], tables[0]);
  assert.deepEqual(tables[2], tables[0]);
  console.log(`${taken.length} documents were taken, ${onOne.length} are there`);
});
