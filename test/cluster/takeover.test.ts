/** Servers of a cluster are killed and paused while clients write: whatever was answered with 202 is there once, everywhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import { atNats, idle, inDirectory, leads, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";
import { Clients, countOn, mustHaveAll } from "./writing.ts";

/** Beyond what a leader may be silent. */
const PAUSE_MS = 4000;

async function killAndPause(place: MeetingPlace): Promise<void> {
  let one = await startNode(place, "one");
  const two = await startNode(place, "two");
  const clients = new Clients(3, [one, two]);
  await until("some documents", async () => (await countOn(two)) > 5);

  clients.servers = [two];
  await one.kill();
  await until("another leader", async () => leads(two));
  one = await startNode(place, "one", one.directory);
  clients.servers = [one, two];

  process.kill(two.pid, "SIGSTOP");
  clients.servers = [one];
  await until("another leader", async () => leads(one));
  await new Promise((resume) => setTimeout(resume, PAUSE_MS / 2));
  process.kill(two.pid, "SIGCONT");
  await until("the end of the one before", async () => !leads(two));
  clients.servers = [one, two];

  const taken = await clients.stop();
  for (const server of [one, two]) await idle(server);
  await mustHaveAll([one, two], taken);
  for (const server of [one, two]) assert.equal(await server.stop(), 0, server.output);
  const tables = await mustHoldTheSame(place, [one, two]);
  console.log(`${taken.length} documents were taken; longest gap ${Math.round(clients.longestGap)} ms; ${tables}`);
}

test(
  "in a directory: a leader killed, one paused and woken up, and nothing that was answered with 202 is lost",
  ending(() => killAndPause(inDirectory())),
);

test(
  "at NATS: the same",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    await killAndPause(atNats(servers));
  }),
);
