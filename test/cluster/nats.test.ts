/** Three NATS servers, of which one goes: what was acknowledged stays; and servers that start only where acknowledged means durable. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { atNats, idle, mustHoldTheSame, startNode } from "./cluster.ts";
import { ending } from "./ending.ts";
import { Clients, growsOn, mustHaveAll } from "./writing.ts";

test(
  "one of three NATS servers is killed, comes back, and the next one stops answering",
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
    await servers.kill(0);
    await grows();
    // One that starts while one of three is gone does so with the others.
    assert.equal(await nodes[1]!.stop(), 0, nodes[1]!.output);
    nodes[1] = await startNode(place, "two", nodes[1]!.directory);
    clients.servers = [...nodes];
    await grows();
    servers.run(0);
    await servers.ready();
    servers.signal(1, "SIGSTOP");
    await grows();
    servers.signal(1, "SIGCONT");
    await grows();
    const taken = await clients.stop();
    for (const node of nodes) await idle(node);
    await mustHaveAll(nodes, taken);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
    const tables = await mustHoldTheSame(place, nodes);
    console.log(`${taken.length} documents were taken; longest gap ${Math.round(clients.longestGap)} ms; ${tables}`);
  }),
);

test(
  "records larger than a message go by the shared files",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    const place = atNats(servers);
    const nodes = [await startNode(place, "one"), await startNode(place, "two")];
    // All of a task is stored in one transaction, in however many pieces: here more than the megabyte of a message.
    const words = Array.from({ length: 200_000 }, (_, i) => `${i}`);
    for (const node of nodes) await node.write("PUT", "/indexes/all/settings/stop-words", words);
    assert.ok(readdirSync(join(place.blobs, "records")).length > 0);
    for (const node of nodes) await idle(node);
    for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
    await mustHoldTheSame(place, nodes);
  }),
);

test(
  "NATS servers that would lose what they acknowledge, or that are not there, are refused",
  {
    skip: withoutNats,
  },
  ending(async () => {
    const start = (args: string[]) => startNode({ args }, "one");
    const blobs = ["--cluster-blobs", `file:${temporaryDirectory()}`];
    const lazy = await NatsServers.start(1, { sync: "2m" });
    await assert.rejects(
      start(["--cluster", lazy.address("tests"), ...blobs]),
      /needs jetstream \{ sync_interval: always \}/,
    );
    const unseen = lazy.address("tests").replace(/monitor=\d+/, "monitor=1");
    await assert.rejects(start(["--cluster", unseen, ...blobs]), /cannot be seen at/);
    await lazy.stop();
    await assert.rejects(start(["--cluster", lazy.address("tests"), ...blobs]), /no NATS server answers at/);
    const none = await NatsServers.start(1, { jetstream: false });
    const alone = none.address("tests").replace(/monitor=\d+/, "monitor=none");
    await assert.rejects(start(["--cluster", alone, ...blobs]), /has no JetStream/);
    const small = await NatsServers.start(1, { more: "max_payload: 64KB" });
    await assert.rejects(start(["--cluster", small.address("tests"), ...blobs]), /set max_payload/);
  }),
);
