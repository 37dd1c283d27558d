/** A journal that is gone while servers run: they stop and say so, and do not begin anew with what they have. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { connect, jetstreamManager } from "../../src/storage/journal/nats-clients.ts";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import { atNats, inDirectory, type MeetingPlace, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

async function loseJournal(place: MeetingPlace, lose: () => Promise<void>): Promise<void> {
  const nodes = [await startNode(place, "one"), await startNode(place, "two")];
  await nodes[0]!.write("POST", "/indexes/all/documents", [{ id: 1 }]);
  await lose();
  for (const node of nodes) {
    await until("the end of the server", async () => /no longer follows its cluster/.test(node.output));
    assert.match(node.output, /has lost records/);
    await assert.rejects(startNode(place, "one", node.directory), /ends with record 0/);
  }
}

test(
  "in a directory",
  ending(() => {
    const place = inDirectory();
    const folder = place.args[1]!.replace("file:", "").concat("/journal");
    return loseJournal(place, async () => rmSync(folder, { recursive: true }));
  }),
);

test(
  "at NATS, where the stream is gone",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    await loseJournal(atNats(servers), async () => {
      const connection = await connect({ servers: `127.0.0.1:${servers.ports[0]}` });
      await (await jetstreamManager(connection)).streams.delete("sabre_tests_journal");
      await connection.close();
    });
  }),
);
