/** Three servers of which each holds some of the indexes: all answer the same, whoever is asked and whoever is gone. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Answer, TestServer } from "../lib/server.ts";
import { ask, idle, inDirectory, leads, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { ending } from "./ending.ts";

const INDEXES = Array.from({ length: 6 }, (_, i) => `index-${i}`);
const ONE_COPY = ["--cluster-copies", "1"];

interface Found {
  hits: object[];
  results: { hits: object[] }[];
}

function foldersOn(server: TestServer): string[] {
  const folder = join(server.directory, "db", "indexes");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

const search = (server: TestServer, uid: string): Promise<Answer<Found>> =>
  ask(server, "POST", `/indexes/${uid}/search`, { q: "word", sort: ["n:desc"], limit: 3 });

/** Reads of all kinds, as each server answers them. */
async function answersOf(server: TestServer): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const uid of INDEXES) {
    const found = await search(server, uid);
    assert.equal(found.status, 200, JSON.stringify(found.body));
    answers.push(found.body.hits);
    for (const url of ["documents/3", "documents?limit=2", "settings", "stats"]) {
      const { status, body } = await ask(server, "GET", `/indexes/${uid}/${url}`);
      assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
      answers.push(body);
    }
  }
  const queries = INDEXES.map((indexUid) => ({ indexUid, q: "word", limit: 2 }));
  const several = await ask<Found>(server, "POST", "/multi-search", { queries });
  assert.equal(several.status, 200, JSON.stringify(several.body));
  answers.push(several.body.results.map(({ hits }) => hits));
  // So long that the front does not read it by itself.
  const attributesToRetrieve = Array.from({ length: 1000 }, (_, i) =>
    i === 0 ? "title" : `none-${i}`.padEnd(100, "-"),
  );
  const long = await ask<Found>(server, "POST", "/multi-search", {
    queries: [{ ...queries[0]!, attributesToRetrieve }],
  });
  assert.equal(long.status, 200, JSON.stringify(long.body));
  assert.deepEqual(Object.keys(long.body.results[0]!.hits[0]!), ["title"]);
  answers.push(long.body.results[0]!.hits);
  answers.push((await ask(server, "GET", "/indexes?limit=100")).body);
  return answers;
}

test(
  "indexes on some of three servers",
  ending(async () => {
    const place = inDirectory();
    const names = ["one", "two", "three"];
    const nodes: TestServer[] = [];
    for (const name of names) {
      const more = name === "three" ? [...ONE_COPY, "--cluster-never-leads"] : ONE_COPY;
      nodes.push(await startNode(place, name, undefined, more));
    }
    const [one, two, three] = nodes as [TestServer, TestServer, TestServer];
    for (const [i, uid] of INDEXES.entries()) {
      const documents = Array.from({ length: 8 }, (_, id) => ({ id, n: (id * 7) % 8, title: `word ${uid}` }));
      // On a busy machine a search that is late would be cut short, and be another one.
      const settings = { sortableAttributes: ["n"], searchCutoffMs: 100_000 };
      await nodes[i % 3]!.write("PATCH", `/indexes/${uid}/settings`, settings);
      await nodes[i % 3]!.write("POST", `/indexes/${uid}/documents`, documents);
    }
    for (const node of nodes) await idle(node);
    // On a busy machine it may have passed from one to the other.
    await until("a leader that has all indexes", async () =>
      [one, two].some((node) => leads(node) && foldersOn(node).length === INDEXES.length),
    );
    assert.ok(foldersOn(three).length < INDEXES.length, foldersOn(three).join());
    const expected = await answersOf(one);
    for (const node of [two, three]) {
      for (const [i, answer] of (await answersOf(node)).entries()) assert.deepEqual(answer, expected[i]);
    }
    const askedOf = new Set<string | null>();
    for (const uid of INDEXES) askedOf.add((await search(three, uid)).headers.get("x-sabre-node"));
    assert.ok(askedOf.size > 1, [...askedOf].join());
    // An index that is nowhere, and a key that may not read one, are refused as ever.
    assert.equal((await search(three, "none")).status, 404);
    const stranger = await ask(three, "POST", "/indexes/index-0/search", {}, { authorization: "Bearer nobody" });
    assert.equal(stranger.status, 403);

    // Who may lead is gone: the other one brings what it lacks, and leads; reads go on meanwhile.
    await one.kill();
    await until("another leader", async () => leads(two));
    await two.write("POST", "/indexes/index-0/documents", [{ id: 100, n: 100, title: "word" }]);
    assert.equal(leads(three), false);
    assert.equal(foldersOn(two).length, INDEXES.length);
    const later = await answersOf(two);
    await until("the same answers of who follows", async () => {
      const found = await search(three, "index-0");
      return found.status === 200 && (found.body.hits[0] as { id: number }).id === 100;
    });
    await idle(three);
    assert.deepEqual(await answersOf(three), later);
    for (const node of [two, three]) assert.equal(await node.stop(), 0, node.output);
    await mustHoldTheSame(place, [two, three]);
  }),
);
