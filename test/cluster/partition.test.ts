/** A server that is cut off from the others, in one direction or both: it takes no writes and answers no reads until it is back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CuttableLine, type Direction } from "../lib/cuttable.ts";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import { atNats, idle, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";
import { Clients, countOn, mustHaveAll } from "./writing.ts";

test(
  "cut off in any direction: no 202, no reads; and all is there afterwards",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    const place = atNats(servers);
    const line = await CuttableLine.start(servers.ports[0]!);
    atEnd(() => line.close());
    const cut = place.args.map((arg) => arg.replace(`:${servers.ports[0]}`, `:${line.port}`));
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    const apart = await startNode({ args: cut }, "apart");
    const clients = new Clients(3, nodes);
    const ways: Direction[][] = [["there", "back"], ["there"], ["back"]];
    for (const directions of ways) {
      line.cut(...directions);
      await until("that it is not well", async () => (await apart.request("GET", "/health")).status === 503);
      const before = await countOn(nodes[0]!);
      const { status } = await apart.request("POST", "/indexes/all/documents", [{ id: 77, client: "apart" }]);
      assert.equal(status, 503);
      assert.equal((await apart.request("POST", "/indexes/all/search", {})).status, 503);
      await until("more documents elsewhere", async () => (await countOn(nodes[0]!)) > before + 5);
      line.mend();
      await until("that it is well", async () => (await apart.request("GET", "/health")).status === 200);
    }
    const all = [...nodes, apart];
    clients.servers = all;
    const taken = await clients.stop();
    await mustHaveAll(all, taken);
    for (const node of all) await idle(node);
    for (const node of all) assert.equal(await node.stop(), 0, node.output);
    const tables = await mustHoldTheSame(place, all);
    console.log(`${taken.length} documents were taken; longest gap ${Math.round(clients.longestGap)} ms; ${tables}`);
  }),
);
