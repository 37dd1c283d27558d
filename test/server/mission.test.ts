/** Lines of the interface as its users wrote it down, each with what a server does about it. */
import assert from "node:assert/strict";
import test, { after, before, beforeEach } from "node:test";
import { TestServer } from "../lib/server.ts";

let server: TestServer;
let count = 0;
let index = "";

before(async () => {
  server = await TestServer.start();
});

after(() => server.dispose());

beforeEach(() => {
  index = `/indexes/index-${count++}`;
});

async function written(method: string, path: string, body?: unknown): Promise<void> {
  const task = await server.write(method, index + path, body);
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
}

interface Found {
  hits: { id: number }[];
}

async function found(query: object): Promise<number[]> {
  const { body } = await server.request<Found>("POST", `${index}/search`, query);
  return body.hits.map(({ id }) => id);
}

// localized attribute object, locales: "empty array = auto-detect for the matched attributes"
test("attributes without locales are found as if nothing was said about them", async () => {
  await written("PATCH", "/settings", { localizedAttributes: [{ attributePatterns: ["*"], locales: [] }] });
  await written("POST", "/documents", [
    { id: 1, title: "the quick fox" },
    { id: 2, title: "関西国際空港" },
    { id: 3, title: "สวัสดีครับ" },
  ]);
  for (const [q, id] of Object.entries({ quick: 1, 国際: 2, สวัสดี: 3 })) assert.deepEqual(await found({ q }), [id], q);
});
