/** Searches need nobody to lead NATS: every server answers on, whichever of the NATS servers is gone or stands still, and for however long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { atNats, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

/** Longer than a server answers without having seen its own note, and less than NATS takes to choose another one that leads. */
const GONE_MS = 5000;
/** Where this process itself stood still for so long, the servers may have as well. */
const STANDSTILL_MS = 1000;
/** A server may have to find out that the NATS server that it is connected to stands still. */
const WAIT_MS_MAX = 1000;
const TRIES_MAX = 5;
const PAUSE_MS = 20;

interface Watched {
  refused: string[];
  /** Longest wait for an answer. */
  waitedMs: number;
  standstillMs: number;
}

interface Harm {
  does(servers: NatsServers, place: number): Promise<void> | void;
  undoes(servers: NatsServers, place: number): void;
}

const KILLED: Harm = { does: (servers, place) => servers.kill(place), undoes: (servers, place) => servers.run(place) };
const STOPPED: Harm = {
  does: (servers, place) => servers.signal(place, "SIGSTOP"),
  undoes: (servers, place) => servers.signal(place, "SIGCONT"),
};

/** Asks each server again and again until it is over; one that is not ready says so at once, where a search would wait. */
async function watched(nodes: readonly TestServer[], isOver: () => boolean): Promise<Watched> {
  const seen: Watched = { refused: [], waitedMs: 0, standstillMs: 0 };
  const begin = performance.now();
  let last = begin;
  const clock = setInterval(() => {
    const now = performance.now();
    seen.standstillMs = Math.max(seen.standstillMs, now - last);
    last = now;
  }, PAUSE_MS);
  const ask = async (node: TestServer, method: string, path: string): Promise<void> => {
    while (!isOver()) {
      const asked = performance.now();
      const { status } = await node.request(method, path, method === "POST" ? {} : undefined);
      seen.waitedMs = Math.max(seen.waitedMs, performance.now() - asked);
      if (status !== 200) seen.refused.push(`${path} after ${Math.round(performance.now() - begin)} ms`);
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  };
  await Promise.all(nodes.flatMap((node) => [ask(node, "GET", "/health"), ask(node, "POST", "/indexes/all/search")]));
  clearInterval(clock);
  return seen;
}

async function mustAnswerOn(
  nodes: readonly TestServer[],
  servers: NatsServers,
  gone: readonly number[],
  harm: Harm = KILLED,
): Promise<void> {
  for (let left = TRIES_MAX; ; left--) {
    for (const place of gone) await harm.does(servers, place);
    let isOver = false;
    const watching = watched(nodes, () => isOver);
    await new Promise((resume) => setTimeout(resume, GONE_MS));
    for (const place of gone) harm.undoes(servers, place);
    await servers.ready();
    isOver = true;
    const { refused, waitedMs, standstillMs } = await watching;
    if (refused.length === 0 && waitedMs <= WAIT_MS_MAX) return;
    const found = `without ${gone}: waited for ${Math.round(waitedMs)} ms; refused: ${refused.slice(0, 5)}`;
    assert.ok(standstillMs > STANDSTILL_MS && left > 1, found);
    await allAnswer(nodes);
  }
}

async function allAnswer(nodes: readonly TestServer[]): Promise<void> {
  for (const node of nodes) {
    await until("a server that is ready", async () => (await node.request("GET", "/health")).status === 200);
  }
}

async function threeAt(servers: NatsServers): Promise<TestServer[]> {
  const place = atNats(servers);
  const nodes: TestServer[] = [];
  for (const name of ["one", "two", "three"]) nodes.push(await startNode(place, name));
  await nodes[0]!.write("POST", "/indexes/all/documents", [{ id: 1 }]);
  await allAnswer(nodes);
  return nodes;
}

test(
  "every server answers on while one of the NATS servers stands still, also those that are connected to it",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(3);
    const nodes = await threeAt(servers);
    for (const place of [0, 1, 2]) await mustAnswerOn(nodes, servers, [place], STOPPED);
    const task = await nodes[1]!.write("POST", "/indexes/all/documents", [{ id: 2 }]);
    assert.equal(task.status, "succeeded");
  }),
);

test(
  "every server answers on while one of the NATS servers is gone, whichever leads, and while most or all are, until they are back",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(3);
    const nodes = await threeAt(servers);
    for (const gone of [[0], [1], [2], [1, 2], [0, 1, 2]]) await mustAnswerOn(nodes, servers, gone);
    const task = await nodes[1]!.write("POST", "/indexes/all/documents", [{ id: 2 }]);
    assert.equal(task.status, "succeeded");
  }),
);
