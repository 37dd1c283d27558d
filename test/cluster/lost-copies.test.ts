/** NATS servers that come back without what they had stored: one of three is made whole by the others; two of three are too many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { atNats, idle, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";
import { Clients, growsOn, mustHaveAll } from "./writing.ts";

async function lose(servers: NatsServers, places: readonly number[]): Promise<void> {
  for (const place of places) await servers.kill(place);
  for (const place of places) servers.forget(place);
  for (const place of places) servers.run(place);
}

const hasStopped = ({ output }: TestServer): boolean => /no longer follows its cluster/.test(output);

test(
  "one of three NATS servers loses its directory, then two do: nothing is lost without a word",
  {
    skip: withoutNats,
  },
  ending(async () => {
    const servers = await NatsServers.start(3);
    const place = atNats(servers);
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    const clients = new Clients(3, nodes);
    const grows = (): Promise<void> => growsOn(nodes[1]!);
    await grows();
    await lose(servers, [0]);
    await grows();
    const taken = await clients.stop();
    for (const node of nodes) await idle(node);
    await mustHaveAll(nodes, taken);
    // It has everything again before the next ones lose it.
    await servers.ready();

    await lose(servers, [0, 1]);
    const isTaken = async (node: TestServer): Promise<boolean> =>
      (await node.request("POST", "/indexes/all/documents", [{ id: -1 }]).catch(() => null))?.status === 202;
    await until("an end that is told, or that all goes on", async () => {
      if (nodes.every(hasStopped)) return true;
      return !nodes.some(hasStopped) && (await isTaken(nodes[0]!)) && (await isTaken(nodes[1]!));
    });
    if (nodes.every(hasStopped)) {
      for (const { output } of nodes) assert.match(output, /has lost records|does not follow what is stored/);
    } else {
      await mustHaveAll(nodes, taken);
      for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
      await mustHoldTheSame(place, nodes);
    }
    console.log(nodes.every(hasStopped) ? "both servers have stopped" : "the third NATS server had all of it");
  }),
);
