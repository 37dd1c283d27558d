/** Servers that come when the beginning of the journal is forgotten: they begin with a checkpoint, and then hold the same. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DirectoryBlobs } from "../../src/storage/blobs/directory.ts";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { ask, atNats, idle, inDirectory, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

const OFTEN = ["--cluster-checkpoint-interval", "1"];

async function hits(server: TestServer): Promise<unknown> {
  const { body } = await ask<{ hits: unknown }>(server, "POST", "/indexes/films/search", { q: "word", limit: 1000 });
  return body.hits;
}

async function joinLate(place: MeetingPlace): Promise<void> {
  const one = await startNode(place, "one", undefined, OFTEN);
  const away = await startNode(place, "away", undefined, OFTEN);
  let id = 0;
  const write = async (): Promise<void> => {
    const documents = Array.from({ length: 4 }, () => ({ id: id++, title: `word number ${id}` }));
    const task = await one.write("POST", "/indexes/films/documents", documents);
    assert.equal(task.status, "succeeded");
  };
  await write();
  await idle(away);
  assert.equal(await away.stop(), 0);
  const forgets = async (record: number): Promise<boolean> => {
    await write();
    const said = [...one.output.matchAll(/a checkpoint is made .*journalFrom=(\d+)/g)].map(([, from]) => Number(from));
    return (said.at(-1) ?? 0) > record;
  };
  await until("checkpoints after which the journal forgets", () => forgets(12));
  // Only the journal leads from the last checkpoint to here.
  await write();
  const late = await startNode(place, "late", undefined, OFTEN);
  assert.match(late.output, /begun with a checkpoint/);
  const back = await startNode(place, "away", away.directory, OFTEN);
  assert.match(back.output, /begun with a checkpoint/);
  const expected = await hits(one);
  assert.equal((expected as unknown[]).length, id);
  assert.deepEqual(await hits(late), expected);
  assert.deepEqual(await hits(back), expected);

  // One that has joined leads as well as any other.
  assert.equal(await one.stop(), 0);
  const task = await late.write("POST", "/indexes/films/documents", [{ id: 0, title: "another word" }]);
  assert.equal(task.status, "succeeded");
  await idle(back);
  for (const server of [late, back]) assert.equal(await server.stop(), 0, server.output);
  const tables = await mustHoldTheSame(place, [late, back]);
  assert.match(tables, new RegExp(`tasks ${id / 4 + 1},`));

  const blobs = await new DirectoryBlobs(place.blobs).list("");
  const kept = new Set(
    blobs.filter(({ name }) => name.startsWith("checkpoints/")).map(({ name }) => name.split("/")[1]),
  );
  // The last two, one that was put since, and the first of the hour, or of two.
  assert.ok(kept.size >= 2 && kept.size <= 5, [...kept].join());
  assert.ok(!existsSync(join(late.directory, "db", "store.joining")));
}

test(
  "in a directory: a server that is new, and one that was away for too long",
  ending(() => joinLate(inDirectory())),
);

test(
  "at NATS: the same",
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    await joinLate(atNats(servers));
  }),
);
