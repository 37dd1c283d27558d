/** Three machines with a server and a NATS server each, of which one is cut off, in one direction or both: it never answers 202. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Machines, withoutMachines } from "../lib/machines.ts";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { atNats, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";
import { Clients, countOn, mustHaveAll } from "./writing.ts";

const NAMES = ["one", "two", "three"] as const;
/** Each waits for ten seconds until it is refused. */
const WRITES = 2;

/** The one, and what does not get through: what it sends, what the others send to it, or both. */
const CUTS: [alone: number, there: boolean, back: boolean][] = [
  [0, true, true],
  [1, true, false],
  [2, false, true],
];

test(
  "one of three machines is cut off, in any direction",
  { skip: withoutNats || withoutMachines },
  ending(async () => {
    const machines = new Machines(NAMES.length);
    const nats = await NatsServers.start(3, { machines: machines.list });
    // When nothing runs in them any more.
    atEnd(async () => {
      await nats.stop();
      machines.remove();
    });
    const place = atNats(nats);
    const nodes: TestServer[] = [];
    for (const [i, name] of NAMES.entries()) {
      nodes.push(await startNode(place, name, undefined, [], machines.list[i]));
    }
    const clients = new Clients(3, nodes);
    for (const [alone, there, back] of CUTS) {
      const others = [0, 1, 2].filter((i) => i !== alone);
      for (const other of others) {
        if (there) machines.cut(alone, other);
        if (back) machines.cut(other, alone);
      }
      clients.servers = others.map((i) => nodes[i]!);
      for (let i = 0; i < WRITES; i++) {
        const documents = [{ id: -1 - i, client: "alone" }];
        const { status } = await nodes[alone]!.request("POST", "/indexes/all/documents", documents);
        assert.equal(status, 503);
      }
      const before = await countOn(nodes[others[0]!]!);
      await until("more documents elsewhere", async () => (await countOn(nodes[others[0]!]!)) > before + 5);
      machines.mend();
      await until("that it is well", async () => (await nodes[alone]!.request("GET", "/health")).status === 200);
      clients.servers = nodes;
    }
    const taken = await clients.stop();
    await mustHaveAll(nodes, taken);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
    const tables = await mustHoldTheSame(place, nodes);
    console.log(`${taken.length} documents were taken; longest gap ${Math.round(clients.longestGap)} ms; ${tables}`);
  }),
);
