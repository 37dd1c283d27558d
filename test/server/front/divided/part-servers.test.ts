/** Who is asked for a part of an index, when another one is, and what comes of it when nobody answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingRequest, PassedAnswer } from "../../../../src/base/net/outgoing.ts";
import { decodeFramed } from "../../../../src/engine/link/framed.ts";
import type { PartCall } from "../../../../src/engine/parts/questions.ts";
import type { Member } from "../../../../src/server/front/cluster-view.ts";
import { PARTS_SECRET, PartServers, partsSecret } from "../../../../src/server/front/divided/part-servers.ts";

const CALL: PartCall = { indexUid: "films", id: "1", settingsVersion: 3, shards: [2, 5], leftMs: 100 };
const QUESTION = Buffer.from("a question");
const NEVER = new AbortController().signal;

function member(name: string): Member {
  return { name, url: `http://${name}`, isLive: true } as Member;
}

function answer(status: number, text: string): PassedAnswer {
  return { status, chunks: [Buffer.from(text)], isCut: false, headers: { "x-sabre-seq": "7" } };
}

/** By server, what it does with each request. */
function serversWith(behaviour: Record<string, (request: OutgoingRequest) => Promise<PassedAnswer>>): {
  servers: PartServers;
  asked: string[];
} {
  const asked: string[] = [];
  const servers = new PartServers({
    name: "here",
    secret: partsSecret("key"),
    outgoing: {
      pass(request) {
        const { hostname } = new URL(request.url);
        asked.push(hostname);
        return behaviour[hostname]!(request);
      },
    },
    here: async () => {
      asked.push("here");
      return { status: 200, contentType: "application/json", body: Buffer.from("from here") };
    },
  });
  return { servers, asked };
}

test("a part that is here is asked here, another one with the secret of all", async () => {
  const { servers, asked } = serversWith({
    two: async ({ body, headers, url }) => {
      assert.equal(new URL(url).pathname, "/cluster/parts");
      assert.equal(headers?.[PARTS_SECRET], partsSecret("key"));
      assert.notEqual(headers?.[PARTS_SECRET], partsSecret("another key"));
      assert.equal(headers?.["x-sabre-min-seq"], "12");
      const { head, rest } = decodeFramed<PartCall>(body as Buffer);
      assert.deepEqual(head, CALL);
      assert.equal(Buffer.from(rest()).toString(), "a question");
      return answer(200, "from two");
    },
  });
  const here = await servers.ask([null, member("two")], CALL, QUESTION, 12, NEVER);
  assert.deepEqual(here, { status: 200, body: Buffer.from("from here"), sequence: 0 });
  const there = await servers.ask([member("two")], CALL, QUESTION, 12, NEVER);
  assert.equal(Buffer.from(there["body"] as unknown as Uint8Array).toString(), "from two");
  assert.equal(there["sequence"], 7);
  assert.deepEqual(asked, ["here", "two"]);
});

test("where one is gone or cannot answer, the next is asked at once; a lost connection is tried again", async () => {
  let calls = 0;
  const { servers, asked } = serversWith({
    one: () => Promise.reject(new Error("refused")),
    two: async () => answer(503, ""),
    three: async () => {
      calls++;
      if (calls === 1) throw new Error("socket hang up");
      return answer(200, "from three");
    },
  });
  const found = await servers.ask([member("one"), member("two"), member("three")], CALL, QUESTION, 0, NEVER);
  assert.equal(found["status"], 200);
  assert.deepEqual(asked, ["one", "two", "three", "one", "three"]);
});

test("where one takes long, the next is asked as well, and the first answer counts", async () => {
  let isOver = false;
  const { servers } = serversWith({
    slow: ({ signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener("abort", () => {
          isOver = true;
          reject(signal!.reason);
        });
      }),
    quick: async () => answer(200, "from quick"),
  });
  const found = await servers.ask([member("slow"), member("quick")], CALL, QUESTION, 0, NEVER);
  assert.equal(found["status"], 200);
  assert.equal(isOver, true);
});

test("when nobody answers, each says why; what a client did wrong is an answer", async () => {
  const { servers } = serversWith({
    one: () => Promise.reject(new Error("refused")),
    two: async () => answer(404, ""),
    three: async () => answer(400, "{}"),
  });
  const errors = await servers.ask([member("one"), member("two")], CALL, QUESTION, 0, NEVER);
  assert.deepEqual(Object.keys(errors).sort(), ["one", "two"]);
  assert.equal((errors as Record<string, { code: string }>)["one"]!.code, "remote_could_not_send_request");
  assert.equal((errors as Record<string, { code: string }>)["two"]!.code, "remote_remote_error");
  const refused = await servers.ask([member("three"), member("one")], CALL, QUESTION, 0, NEVER);
  assert.equal(refused["status"], 400);
});
