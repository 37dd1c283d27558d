/** Indexes in parts on three servers: whoever is asked answers like one server that has all of it, and goes on when one is gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { idle, inDirectory, optionsOf, until } from "./cluster.ts";
import { answerTo, documents, type Question, questions, SETTINGS } from "./divided-questions.ts";
import { ending } from "./ending.ts";

const QUESTIONS = Number(process.env["CLUSTER_QUESTIONS"] ?? 30);
const PARTS = process.env["CLUSTER_PARTS"] ?? "4";
const UID = "index";
const NAMES = ["one", "two", "three"];

async function fill(server: TestServer, batches: ReturnType<typeof documents>[]): Promise<void> {
  await server.write("PATCH", `/indexes/${UID}/settings`, SETTINGS);
  for (const batch of batches) await server.write("POST", `/indexes/${UID}/documents`, batch);
  await server.write("POST", `/indexes/${UID}/documents/delete-batch`, [1, 7, 31]);
}

async function started(): Promise<{ alone: TestServer; nodes: TestServer[] }> {
  const batches = [documents(40), documents(30, 40), documents(8, 20)];
  const alone = await TestServer.start({ key: "a key of tests", args: ["--readers", "1"] });
  const place = inDirectory();
  const nodes: TestServer[] = [];
  for (const name of NAMES) {
    nodes.push(await TestServer.start({ ...optionsOf(place, name), env: { SABRE_SEARCH_PARTS: PARTS } }));
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
  "parts of an index on three servers, of which one is killed and one does not answer",
  ending(async () => {
    const { alone, nodes } = await started();
    await mustAnswerAlike(alone, nodes, questions(UID, QUESTIONS));

    const [one, two, three] = nodes as [TestServer, TestServer, TestServer];
    const searches = questions(UID, 12);
    const running = mustAnswerAlike(alone, [one, two], searches);
    await three.kill();
    await running;
    await mustAnswerAlike(alone, [one, two], questions(UID, 6));

    process.kill(two.pid, "SIGSTOP");
    await mustAnswerAlike(alone, [one], questions(UID, 3));
    process.kill(two.pid, "SIGCONT");
  }),
);
