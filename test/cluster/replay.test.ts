/** Two servers write at random, and hold the same in the end, byte for byte, as does a store made of the journal alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { NatsServers, withoutNats } from "../lib/nats.ts";
import type { TestServer } from "../lib/server.ts";
import { atNats, idle, inDirectory, type MeetingPlace, mustHoldTheSame, startNode, until } from "./cluster.ts";
import { withDiagnosis } from "./diagnosis.ts";
import { ending } from "./ending.ts";
import { RandomWrites } from "./random-writes.ts";

/** `SABRE_REPLAY_WRITES=10000` for the long one. */
const WRITES = Number(process.env["SABRE_REPLAY_WRITES"] ?? 250);
const SEED = Number(process.env["SABRE_REPLAY_SEED"] ?? (Date.now() % 1e9) + 1);
/** The long one is not to take hours. */
const AT_ONCE = WRITES > 1000 ? 32 : 4;
/** Whoever waits for the long one, as the runner of tests does, is told so often how far it is. */
const NEWS = 500;
const INDEXES = ["films", "books", "songs", "people"];

async function writeAtRandom(place: MeetingPlace): Promise<void> {
  const nodes = [await startNode(place, "one"), await startNode(place, "two")];
  const writes = new RandomWrites(nodes, SEED);
  const outcomes = new Map<string, number>();
  let written = 0;
  const work = async (): Promise<void> => {
    for (let i = 0; i < WRITES / AT_ONCE; i++) {
      const outcome = await writes.write();
      const status = outcome.slice(outcome.lastIndexOf(" ") + 1);
      outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
      assert.ok(Number(status) < 500 || status === "503" || status === "lost", outcome);
      if (++written % NEWS === 0) console.log(`${written} of ${WRITES} writes`);
    }
  };
  await withDiagnosis(nodes, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // Of thousands of tasks most are still to be run when the last one is taken.
    let told = WRITES;
    const tell = (left: number): void => {
      if (told - left < NEWS) return;
      told = left;
      console.log(`${left} tasks left`);
    };
    for (const node of nodes) await idle(node, tell);
  });
  assert.ok((outcomes.get("lost") ?? 0) <= WRITES / 20, JSON.stringify([...outcomes]));
  // One may be behind the other for a while.
  await until("the same answers of both servers", async () => {
    const [first, second] = await Promise.all(nodes.map(answersOf));
    return isDeepStrictEqual(second, first);
  });
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
  const tables = await mustHoldTheSame(place, nodes);
  assert.ok(Number(/tasks (\d+)/.exec(tables)![1]) > WRITES / 4, tables);
  console.log(`answers ${JSON.stringify([...outcomes])}; ${tables}`);
}

async function answersOf(node: TestServer): Promise<unknown[]> {
  const shown: unknown[] = [];
  for (const index of INDEXES) {
    const query = { q: "am", limit: 50 };
    const { body } = await node.request<{ hits?: unknown; code?: string }>("POST", `/indexes/${index}/search`, query);
    shown.push(body.hits ?? body.code);
  }
  for (const list of ["/tasks?limit=1000", "/keys?limit=1000", "/experimental-features", "/webhooks", "/chats"]) {
    shown.push((await node.request("GET", list)).body);
  }
  return shown;
}

test(
  `in a directory, ${WRITES} random writes leave the same bytes everywhere (seed ${SEED})`,
  ending(() => writeAtRandom(inDirectory())),
);

test(
  `at NATS, too (seed ${SEED})`,
  { skip: withoutNats },
  ending(async () => {
    const servers = await NatsServers.start(1);
    await writeAtRandom(atNats(servers));
  }),
);
