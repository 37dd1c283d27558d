/** An index in shards on three servers: whoever is asked answers like one server that has all of it, and goes on when one is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PARTS_PATH, PARTS_SECRET, partsSecret } from "../../src/server/front/divided/part-servers.ts";
import { TestServer } from "../lib/server.ts";
import { idle, inDirectory, KEY, startNode, until } from "./cluster.ts";
import { answerTo, documents, type Question, questions, SETTINGS } from "./divided-questions.ts";
import { ending } from "./ending.ts";

const QUESTIONS = Number(process.env["CLUSTER_QUESTIONS"] ?? 30);
const SHARDS = process.env["CLUSTER_SHARDS"] ?? "4";
const UID = "index";
const NAMES = ["one", "two", "three"];

interface Found {
  hits: object[];
  estimatedTotalHits: number;
  remoteErrors?: Record<string, { code: string }>;
}

async function fill(server: TestServer, batches: ReturnType<typeof documents>[]): Promise<void> {
  await server.write("PATCH", `/indexes/${UID}/settings`, SETTINGS);
  for (const batch of batches) await server.write("POST", `/indexes/${UID}/documents`, batch);
  await server.write("POST", `/indexes/${UID}/documents/delete-batch`, [1, 7, 31]);
}

async function started(copies: string): Promise<{ alone: TestServer; nodes: TestServer[] }> {
  const batches = [documents(40), documents(30, 40), documents(8, 20)];
  const alone = await TestServer.start({ key: "a key of tests", args: ["--readers", "1"] });
  const place = inDirectory();
  const nodes: TestServer[] = [];
  for (const name of NAMES) {
    const more = name === "one" ? [] : ["--cluster-never-leads"];
    const options = ["--cluster-copies", copies, "--cluster-shards", SHARDS, ...more];
    nodes.push(await startNode(place, name, undefined, options));
  }
  await fill(alone, batches);
  await fill(nodes[0]!, batches);
  for (const node of nodes) await idle(node);
  await until("three servers that know each other", async () => {
    const { body } = await nodes[2]!.request<{ remotes: object }>("GET", "/network");
    return Object.keys(body.remotes ?? {}).length === NAMES.length - 1;
  });
  return { alone, nodes };
}

async function mustAnswerAlike(
  alone: TestServer,
  nodes: readonly TestServer[],
  asked: readonly Question[],
): Promise<void> {
  for (const [i, question] of asked.entries()) {
    const expected = await answerTo(alone, question);
    const found = await answerTo(nodes[i % nodes.length]!, question);
    assert.deepEqual(found, expected, JSON.stringify(question));
  }
}

test(
  "an index whose shards lie on three servers, of which one does not answer, then is gone, and then two are",
  ending(async () => {
    const { alone, nodes } = await started("1");
    const [one, two, three] = nodes as [TestServer, TestServer, TestServer];
    await mustAnswerAlike(alone, [two, three], questions(UID, QUESTIONS));

    // What servers ask each other is nobody else's to ask, whatever key they have.
    assert.equal((await two.request("POST", PARTS_PATH, {})).status, 403);
    // Nor may they send anything.
    const known = { [PARTS_SECRET]: partsSecret(KEY) };
    assert.equal((await two.request("POST", PARTS_PATH, { indexUid: UID }, known)).status, 400);

    // Who leads has all of it, and is asked where another one is late.
    process.kill(three.pid, "SIGSTOP");
    await mustAnswerAlike(alone, [two], questions(UID, 4));
    process.kill(three.pid, "SIGCONT");

    const running = mustAnswerAlike(alone, [two], questions(UID, 12));
    await three.kill();
    await running;
    await mustAnswerAlike(alone, [two, one], questions(UID, 6));

    // What nobody is left for is missing, and is said to be.
    await one.kill();
    await until("an answer that lacks parts", async () => {
      const { status, body } = await two.request<Found>("POST", `/indexes/${UID}/search`, { limit: 100 });
      if (status !== 200 || body.remoteErrors === undefined) return false;
      assert.deepEqual(
        Object.keys(body.remoteErrors).filter((name) => !NAMES.includes(name)),
        [],
      );
      assert.ok(body.hits.length > 0 && body.hits.length < 75, String(body.hits.length));
      assert.equal(body.estimatedTotalHits, body.hits.length);
      return true;
    });
  }),
);

test(
  "two copies of each shard: nothing is missing when one server is gone, the one that leads too",
  ending(async () => {
    const { alone, nodes } = await started("2");
    const [one, two, three] = nodes as [TestServer, TestServer, TestServer];
    const { body } = await two.request<{ shards: Record<string, { remotes: string[] }> }>("GET", "/network");
    const holders = Object.values(body.shards).map(({ remotes }) => remotes);
    assert.deepEqual(new Set(holders.map(({ length }) => length)), new Set([2]));
    await mustAnswerAlike(alone, nodes, questions(UID, QUESTIONS));

    process.kill(one.pid, "SIGSTOP");
    await mustAnswerAlike(alone, [two, three], questions(UID, 4));
    process.kill(one.pid, "SIGCONT");

    const running = mustAnswerAlike(alone, [two, three], questions(UID, 12));
    await one.kill();
    await running;
    await mustAnswerAlike(alone, [two, three], questions(UID, 6));
  }),
);
