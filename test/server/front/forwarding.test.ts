/** Whom a server asks for what it does not hold, and whose answer counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Member } from "../../../src/server/front/cluster-view.ts";
import { Forwarding } from "../../../src/server/front/forwarding.ts";
import type { ClientRequest } from "../../../src/server/front/request.ts";
import { ELSEWHERE } from "../../../src/storage/index/publish.ts";

type Parts = ConstructorParameters<typeof Forwarding>[0];

const request = {
  route: { path: "/indexes/{index_uid}/stats", paramNames: ["index_uid"], action: "stats.get", body: "ignored" },
  head: { method: "GET", path: "/indexes/films/stats", query: "", others: null },
  passedOnBy: "",
  minSequence: 0,
  param: () => "films",
  onAbort: () => {},
} as unknown as ClientRequest<null>;

/** A server that holds nothing, among others with these answers; null for one that is gone. */
function among(others: Record<string, number | null>, own: object = {}): { forwarding: Forwarding; asked: string[] } {
  const asked: string[] = [];
  const index = { id: "1", problem: ELSEWHERE, shards: 1, settings: { foreignKeys: [] }, ...own };
  const parts = {
    readers: {},
    indexes: { pin: () => ({ index: () => index, release: () => {} }) },
    cluster: {
      name: "here",
      askable: { holders: () => Object.keys(others).map((name) => ({ name, url: `http://${name}` }) as Member) },
    },
    outgoing: {
      pass: async ({ url }: { url: string }) => {
        const name = new URL(url).hostname;
        asked.push(name);
        if (others[name] === null) throw new Error("gone");
        return { status: others[name], headers: {}, chunks: [Buffer.from(name)], isCut: false };
      },
    },
  };
  return { forwarding: new Forwarding(parts as unknown as Parts), asked };
}

async function answerAmong(others: Record<string, number | null>): Promise<unknown> {
  const { forwarding, asked } = among(others);
  const { status, body } = (await forwarding.answer(request, () => assert.fail("it is not here")))!;
  return { status, by: status === 200 ? `${body}` : null, asked: asked.join() };
}

test("one that is gone, or cannot answer now, is passed over", async () => {
  assert.deepEqual(await answerAmong({ a: 200, b: 200 }), { status: 200, by: "a", asked: "a" });
  assert.deepEqual(await answerAmong({ a: null, b: 200 }), { status: 200, by: "b", asked: "a,b" });
  assert.deepEqual(await answerAmong({ a: 503, b: 200 }), { status: 200, by: "b", asked: "a,b" });
  assert.deepEqual(await answerAmong({ a: 503, b: null, c: 200 }), { status: 200, by: "c", asked: "a,b,c" });
  assert.deepEqual(await answerAmong({ a: 404, b: 200 }), { status: 404, by: null, asked: "a" });
});

test("where nobody can answer, that is told, and who said so is not asked again", async () => {
  assert.deepEqual(await answerAmong({ a: 503, b: 503 }), { status: 503, by: null, asked: "a,b" });
  assert.deepEqual(await answerAmong({ a: null, b: 503 }), { status: 503, by: null, asked: "a,b,a" });
  assert.deepEqual(await answerAmong({}), { status: 503, by: null, asked: "" });
});

test("shards of an index are asked for here, but for what is counted or followed where all of them are", async () => {
  const route = { path: "/indexes/{index_uid}/search", paramNames: ["index_uid"], action: "search", body: "wanted" };
  const search = { ...request, route, head: { ...request.head, method: "POST" } } as unknown as ClientRequest<null>;
  const { forwarding, asked } = among({ a: 200 }, { shards: 4 });
  assert.equal(
    forwarding.answer(search, () => assert.fail("later")),
    null,
  );
  assert.equal((await forwarding.answer(request, () => assert.fail("not here")))?.status, 200);
  assert.deepEqual(asked, ["a"]);
  const foreignKeys = [{ fieldName: "maker", foreignIndexUid: "makers" }];
  const joined = among({ a: 200 }, { shards: 4, settings: { foreignKeys } });
  assert.equal((await joined.forwarding.answer(search, () => assert.fail("not here")))?.status, 200);
});
