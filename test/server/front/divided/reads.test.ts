/** Requests that are done anew with what parts have answered: round by round, without parts that are missing, and from one state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiError } from "../../../../src/base/errors/errors.ts";
import {
  answersIn,
  encodeWanted,
  OTHER_STATE,
  type PartAsk,
  type Told,
} from "../../../../src/engine/link/part-asks.ts";
import type { ReaderAnswer } from "../../../../src/engine/reader/pool.ts";
import type { PartServers } from "../../../../src/server/front/divided/part-servers.ts";
import { DividedReads } from "../../../../src/server/front/divided/reads.ts";

const ID = "4";

function ask(group: number, question: string): PartAsk {
  const body = Buffer.from(question);
  return {
    key: `${ID}/${group} ${question}`,
    id: ID,
    indexUid: "films",
    settingsVersion: 1,
    group,
    leftMs: null,
    body,
  };
}

function wanting(asks: PartAsk[], more: { groups?: boolean; beginsAnew?: boolean } = {}): ReaderAnswer {
  const groups = more.groups === true ? [{ id: ID, indexUid: "films" }] : [];
  const body = encodeWanted({ beginsAnew: more.beginsAnew === true, groups, asks });
  return { status: 200, contentType: "application/octet-stream", body, wants: "parts" };
}

const WHOLE: ReaderAnswer = { status: 200, contentType: "application/json", body: Buffer.from("{}") };

interface Round {
  told: Told;
  keys: string[];
  answers: string;
}

/** A reader that answers the rounds of one request, and what it was told in each. */
function readsWith(
  rounds: ReaderAnswer[],
  answer: (shards: readonly number[], question: string) => ReturnType<PartServers["ask"]>,
): { reads: DividedReads; told: Round[]; waited: number[] } {
  const told: Round[] = [];
  const waited: number[] = [];
  const reads = new DividedReads({
    readers: {
      admit: () => {},
      noteGiven: () => {},
      async request(kind, header, payload) {
        if (kind === "told") {
          const { told: own, payloadBytes } = header as { told: Told; payloadBytes: number };
          const answers = [...answersIn(Buffer.from(payload!.subarray(payloadBytes)))];
          told.push({
            told: structuredClone(own),
            keys: answers.map(({ key }) => key),
            answers: answers.map(({ body }) => Buffer.from(body).toString("utf8")).join(""),
          });
        }
        return rounds.shift()!;
      },
    },
    division: {
      groupsOf: () => [
        { shards: [0, 2], names: ["one"], holders: [null] },
        { shards: [1], names: ["two", "three"], holders: [null] },
      ],
    },
    servers: { ask: (_holders, { shards }, question) => answer(shards, Buffer.from(question).toString("utf8")) },
    cluster: {
      shown: 5,
      async ready(sequence) {
        waited.push(sequence);
        return true;
      },
    },
  });
  return { reads, told, waited };
}

const reply = (text: string, status = 200, sequence = 0): Awaited<ReturnType<PartServers["ask"]>> => {
  return { status, body: Buffer.from(text), sequence };
};

const search = (reads: DividedReads): Promise<ReaderAnswer> =>
  reads.request("documents.get", { indexUid: "films", id: "1", fields: null, retrieveVectors: false }, null, null);

test("what is wanted is asked of all parts, until the request is whole", async () => {
  const { reads, told } = readsWith(
    [wanting([], { groups: true }), wanting([ask(0, "a"), ask(1, "a")]), wanting([ask(1, "b")]), WHOLE],
    async (shards, question) => reply(`<${question} of ${shards.join("+")}>`, 200, 7 + (shards.length % 2)),
  );
  const answer = await search(reads);
  assert.equal(answer.body, WHOLE.body);
  assert.deepEqual(
    told.map(({ answers }) => answers),
    ["", "<a of 0+2><a of 1>", "<a of 0+2><a of 1><b of 1>"],
  );
  assert.equal(answer.sequence, 8);
  assert.deepEqual(told.at(-1)!.keys, ["4/0 a", "4/1 a", "4/1 b"]);
});

test("a part that nobody has is missing from then on, and the others are asked anew", async () => {
  const errors = { two: apiError("remote_timeout", "too late").body() };
  const { reads, told } = readsWith(
    [wanting([], { groups: true }), wanting([ask(0, "a"), ask(1, "a")]), wanting([ask(0, "a")]), WHOLE],
    async (shards, question) => (shards.includes(1) ? errors : reply(question)),
  );
  assert.equal((await search(reads)).body, WHOLE.body);
  assert.deepEqual(told[1]!.keys, []);
  const missing = told[1]!.told.groups[ID]![1]!.missing!;
  assert.deepEqual(missing["two"], errors.two);
  assert.deepEqual(Object.keys(missing), ["two", "three"]);
  assert.equal(told[1]!.told.groups[ID]![0]!.missing, null);
  assert.equal(told[2]!.answers, "a");
});

test("many things are asked a few at a time, and no more of them once they are of no use", async () => {
  const asks = Array.from({ length: 1000 }, (_, i) => ask(i % 2, `question ${i}`));
  let [underWay, most, asked] = [0, 0, 0];
  const answering = async (question: string, isLost: boolean): ReturnType<PartServers["ask"]> => {
    asked++;
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    return isLost ? {} : reply(question);
  };
  const whole = readsWith([wanting([], { groups: true }), wanting(asks), WHOLE], (_shards, question) =>
    answering(question, false),
  );
  assert.equal((await search(whole.reads)).body, WHOLE.body);
  assert.equal(new Set(whole.told.at(-1)!.keys).size, 1000);
  assert.equal(most, 64);
  asked = 0;
  const lost = readsWith([wanting([], { groups: true }), wanting(asks), WHOLE], (_shards, question) =>
    answering(question, question === "question 100"),
  );
  assert.equal((await search(lost.reads)).body, WHOLE.body);
  assert.ok(asked < 300, String(asked));
});

test("a part of which nobody has all is asked for shard by shard", async () => {
  const errors = { one: apiError("remote_remote_error", "The server answered with status 503.").body() };
  const { reads, told } = readsWith(
    [wanting([], { groups: true }), wanting([ask(0, "a"), ask(1, "a")]), wanting([ask(0, "b"), ask(1, "c")]), WHOLE],
    async (shards, question) => (shards.length > 1 || question === "c" ? errors : reply(question)),
  );
  assert.equal((await search(reads)).body, WHOLE.body);
  assert.equal(told[1]!.answers, "");
  const groups = told[1]!.told.groups[ID]!;
  assert.deepEqual(
    groups,
    [0, 2, 1].map((shard) => ({ shards: [shard], missing: null })),
  );
  // One that nobody has is missing then.
  assert.deepEqual(told[2]!.told.groups[ID]![1], { shards: [2], missing: errors });
});

test("of another state: this server catches up, and begins anew; not for ever", async () => {
  let isBehind = true;
  const first = wanting([], { groups: true });
  const { reads, told, waited } = readsWith(
    [first, wanting([ask(0, "a")]), wanting([ask(0, "a")]), WHOLE],
    async () => {
      const answer = isBehind ? reply("", OTHER_STATE, 9) : reply("a");
      isBehind = false;
      return answer;
    },
  );
  assert.equal((await search(reads)).body, WHOLE.body);
  assert.deepEqual(waited, [9]);
  assert.deepEqual(
    told.map(({ told: { tries } }) => tries),
    [0, 1, 1],
  );
  const rounds = Array.from({ length: 20 }, () => wanting([ask(0, "a")], { groups: true }));
  const restless = readsWith(rounds, async () => reply("", OTHER_STATE, 9));
  await assert.rejects(search(restless.reads), { status: 503 });
});
