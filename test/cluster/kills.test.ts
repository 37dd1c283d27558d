/** Servers are killed and paused again and again while clients write: what was answered with 202 is there once, the same everywhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { atNats, idle, inDirectory, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { Clients, countOn, mustHaveAll } from "./writing.ts";

/** As many rounds as `CLUSTER_KILLS` says: what is random, and takes minutes, is tried by whoever wants to know. */
const ROUNDS = Number(process.env["CLUSTER_KILLS"] ?? 0);
const NAMES = ["one", "two", "three"] as const;
/** Beyond what a leader may be silent. */
const PAUSE_MS = 4000;

test("killed and paused at random", { skip: ROUNDS === 0 && "set CLUSTER_KILLS=ROUNDS" }, async (t) => {
  const servers = withoutNats === false ? await NatsServers.start(1) : null;
  const place = servers === null ? inDirectory() : atNats(servers);
  const nodes: TestServer[] = [];
  for (const name of NAMES) nodes.push(await startNode(place, name));
  const clients = new Clients(8, nodes);
  t.after(() => clients.stop());
  for (let round = 0; round < ROUNDS; round++) {
    const victim = Math.floor(Math.random() * nodes.length);
    const others = nodes.filter((_, i) => i !== victim);
    clients.servers = others;
    if (round % 4 === 3) {
      process.kill(nodes[victim]!.pid, "SIGSTOP");
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      process.kill(nodes[victim]!.pid, "SIGCONT");
    } else {
      // Often in the middle of something: the time is as random as the victim.
      await new Promise((resume) => setTimeout(resume, Math.random() * 1000));
      await nodes[victim]!.kill();
      nodes[victim] = await startNode(place, NAMES[victim]!, nodes[victim]!.directory);
    }
    clients.servers = nodes;
    const before = await countOn(others[0]!);
    await until("more documents", async () => (await countOn(others[0]!)) > before);
  }
  const taken = await clients.stop();
  await mustHaveAll(nodes, taken);
  for (const node of nodes) await idle(node);
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
  const tables = await mustHoldTheSame(place, nodes);
  const gap = Math.round(clients.longestGap);
  console.log(`${ROUNDS} rounds, ${taken.length} documents were taken; longest gap ${gap} ms; ${tables}`);
  await servers?.stop();
});
