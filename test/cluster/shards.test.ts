/** An index whose shards lie on several servers: each has the files of its own, whoever comes brings what it is to hold, and all answer the same. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shardOf } from "../../src/storage/index/shards.ts";
import type { TestServer } from "../lib/server.ts";
import { open } from "../storage/segment/support.ts";
import { ask, idle, inDirectory, leads, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

const SHARDS = 8;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const OPTIONS = ["--cluster-copies", "1", "--cluster-shards", String(SHARDS)];
const FOLLOWS = [...OPTIONS, "--cluster-never-leads"];

/** Names the folder of the second index that is made. */
const INDEX = "1";

interface Network {
  leader: string;
  shards: Record<string, { remotes: string[] }>;
}

/** The shards whose documents are in files of a server, by the files themselves. */
function shardsOn({ directory }: TestServer): number[] {
  const folder = join(directory, "db", "indexes", INDEX);
  const shards = new Set<number>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const shard = shardIn(join(folder, file));
    if (shard !== null) shards.add(shard);
  }
  return [...shards].sort((a, b) => a - b);
}

/** Null for one that is gone by now: it was merged. */
function shardIn(file: string): number | null {
  try {
    const reader = open(file);
    const id = Buffer.from(reader.externalId(0));
    reader.close();
    return shardOf(id, 0, id.length, SHARDS);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw problem;
  }
}

const networkOf = async (server: TestServer): Promise<Network> => (await ask<Network>(server, "GET", "/network")).body;

/** The shards that a server is to hold. */
function shardsOf({ shards }: Network, name: string): number[] {
  return ALL.filter((i) => shards[`all/${i}`]!.remotes.includes(name));
}

async function answersOf(server: TestServer): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const q of ["word", "n7", ""]) {
    const search = { q, sort: ["n:desc"], facets: ["n"], limit: 50 };
    const { status, body } = await ask<{ hits: object[]; facetDistribution: object }>(
      ...([server, "POST", "/indexes/all/search", search] as const),
    );
    assert.equal(status, 200, JSON.stringify(body));
    answers.push(body.hits, body.facetDistribution);
  }
  for (const url of ["documents?limit=1000", "documents/33", "stats"]) {
    const { status, body } = await ask(server, "GET", `/indexes/all/${url}`);
    assert.equal(status, 200, JSON.stringify(body));
    answers.push(body);
  }
  return answers;
}

test(
  "a divided index on three servers, and a fourth that joins",
  ending(async () => {
    const place = inDirectory();
    const one = await startNode(place, "one", undefined, OPTIONS);
    const two = await startNode(place, "two", undefined, FOLLOWS);
    const three = await startNode(place, "three", undefined, FOLLOWS);
    const nodes = [one, two, three];
    await one.write("POST", "/indexes", { uid: "earlier" });
    await until("all know of all", async () => {
      const networks = await Promise.all(nodes.map(networkOf));
      const named = networks.map(({ shards }) => JSON.stringify(shards));
      return new Set(named).size === 1 && ["one", "two", "three"].every((name) => named[0]!.includes(name));
    });
    // On a busy machine a search that is late would be cut short, and be another one.
    const settings = { sortableAttributes: ["n"], filterableAttributes: ["n"], searchCutoffMs: 100_000 };
    await one.write("PATCH", "/indexes/all/settings", settings);
    for (let first = 0; first < 400; first += 100) {
      const documents = Array.from({ length: 100 }, (_, i) => ({
        id: first + i,
        n: (first + i) % 13,
        title: `word n${i % 13}`,
      }));
      await nodes[(first / 100) % 3]!.write("POST", "/indexes/all/documents", documents);
    }
    await two.write("DELETE", "/indexes/all/documents/7");
    for (const node of nodes) await idle(node);
    assert.equal(leads(one), true);
    const expected = await answersOf(one);
    for (const node of [two, three]) assert.deepEqual(await answersOf(node), expected);

    // Who follows has the files of its shards, and no others; who leads has all.
    const network = await networkOf(three);
    assert.deepEqual((await networkOf(one)).shards, network.shards);
    for (const { remotes } of Object.values(network.shards)) assert.equal(remotes.length, 1);
    const own = shardsOf(network, "three");
    assert.ok(own.length > 0 && own.length < SHARDS, own.join());
    assert.deepEqual(shardsOn(three), own);
    assert.deepEqual(shardsOn(one), ALL);

    // After a restart it has what it had, also where it is back before others that were stopped with it.
    for (const node of [two, three]) assert.equal(await node.stop(), 0, node.output);
    const again = await startNode(place, "three", three.directory, FOLLOWS);
    assert.deepEqual(shardsOn(again), own);
    assert.deepEqual(await answersOf(again), expected);
    const second = await startNode(place, "two", two.directory, FOLLOWS);

    // One that joins brings what it is to hold, while the others answer, and follows it from then on.
    const four = await startNode(place, "four", undefined, FOLLOWS);
    const its = shardsOf(await networkOf(four), "four");
    assert.ok(its.length > 0 && its.length < SHARDS, its.join());
    assert.deepEqual(shardsOn(four), its);
    const all = [one, second, again, four];
    for (const node of all) assert.deepEqual(await answersOf(node), expected);
    await four.write("POST", "/indexes/all/documents", [{ id: 1000, n: 100, title: "word" }]);
    const later = await answersOf(four);
    for (const node of all) assert.deepEqual(await answersOf(node), later);
    for (const node of all) assert.equal(await node.stop(), 0, node.output);
    await mustHoldTheSame(place, all);
  }),
);
