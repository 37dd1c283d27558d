/** Two servers write at random, and hold the same in the end, byte for byte, as does a store made of the journal alone. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../lib/temporary.ts";
import { emptyStore, idle, startNode, tablesAtEnd } from "./cluster.ts";
import { RandomWrites } from "./random-writes.ts";

/** `SABRE_REPLAY_WRITES=10000` for the long one. */
const WRITES = Number(process.env["SABRE_REPLAY_WRITES"] ?? 250);
const SEED = Number(process.env["SABRE_REPLAY_SEED"] ?? (Date.now() % 1e9) + 1);
const AT_ONCE = 4;

test(`after ${WRITES} random writes all tables are the same, byte for byte (seed ${SEED})`, async () => {
  const place = temporaryDirectory();
  const nodes = [await startNode(place, "one"), await startNode(place, "two")];
  const writes = new RandomWrites(nodes, SEED);
  const outcomes = new Map<string, number>();
  const work = async (): Promise<void> => {
    for (let i = 0; i < WRITES / AT_ONCE; i++) {
      const outcome = await writes.write();
      const status = outcome.slice(outcome.lastIndexOf(" ") + 1);
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
      assert.ok(Number(status) < 500 || status === "503", outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const node of nodes) await idle(node);
  const answers: unknown[] = [];
  for (const node of nodes) {
    const search = {
      queries: ["films", "books", "songs", "people"].map((indexUid) => ({ indexUid, q: "am", limit: 50 })),
    };
    const shown: unknown[] = [];
    for (const query of search.queries) {
      const { body } = await node.request<{ hits?: unknown; code?: string }>(
        "POST",
        `/indexes/${query.indexUid}/search`,
        query,
      );
      shown.push(body.hits ?? body.code);
    }
    const list = await node.request<{ results: unknown; total: number }>("GET", "/tasks?limit=1000");
    const keys = await node.request("GET", "/keys?limit=1000");
    answers.push([shown, list.body.total, list.body.results, keys.body]);
  }
  assert.deepEqual(answers[1], answers[0]);
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
  const [first, second, replayed] = [
    await tablesAtEnd(place, join(nodes[0]!.directory, "db", "store")),
    await tablesAtEnd(place, join(nodes[1]!.directory, "db", "store")),
    await tablesAtEnd(place, emptyStore()),
  ];
  const records = Object.entries(first).map(([name, list]) => `${name} ${list.length}`);
  console.log(`answers ${JSON.stringify([...outcomes])}; records: ${records.join(", ")}`);
  assert.ok(first["tasks"]!.length > WRITES / 4);
  assert.deepEqual(second, first);
  assert.deepEqual(replayed, first);
});
