/** The front thread is there for everybody: no body keeps it busy, whatever is in it. On both transports. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../src/base/json/value.ts";
import { mainThreadMs } from "../lib/cpu.ts";
import { type Task, TestServer } from "../lib/server.ts";

/** Far above what taking the bytes in costs, far below what reading them cost. */
const FRONT_MS_MAX = 200;

const list = (count: number, item: string): string => `[${Array(count).fill(item).join(",")}]`;
const SEARCH = "/indexes/films/search";
const HOSTILE: Record<string, [path: string, body: string, status: number]> = {
  "a filter of a million objects": [SEARCH, `{"filter":${list(1_000_000, "{}")}}`, 400],
  "a filter of many conditions": [SEARCH, `{"filter":[${list(60_000, '"id = 1"')}]}`, 200],
  "a long list of values": [SEARCH, `{"filter":"id IN ${list(60_000, "1")}"}`, 200],
  "twenty thousand queries": ["/multi-search", `{"queries":${list(20_000, '{"indexUid":"films"}')}}`, 400],
  "many queries": ["/multi-search", `{"queries":${list(900, '{"indexUid":"films","limit":0}')}}`, 200],
  "a vector of a million numbers": [SEARCH, `{"vector":${list(1_000_000, "0.5")},"hybrid":{"embedder":"x"}}`, 400],
  "a vector of 70,000 numbers": [SEARCH, `{"vector":${list(70_000, "0.5")},"hybrid":{"embedder":"x"}}`, 400],
  "a hundred thousand levels": [SEARCH, `{"filter":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 400],
  "two thousand levels": [SEARCH, `{"filter":${"[".repeat(2000)}${"]".repeat(2000)}}`, 400],
  "many names": [SEARCH, `{"attributesToRetrieve":${list(100_000, '"a"')}}`, 400],
  "a long tag": [SEARCH, `{"q":"a","highlightPreTag":"${"x".repeat(1_000_000)}"}`, 400],
  "many ids": ["/indexes/films/documents/fetch", `{"ids":${list(300_000, "7")}}`, 200],
  "a body of twenty-one megabytes": [SEARCH, `{"q":"${"x".repeat(21_000_000)}"}`, 413],
  "a key of many indexes": ["/keys", `{"actions":["*"],"expiresAt":null,"indexes":${list(60_000, '"a"')}}`, 400],
  "a script of half a megabyte": ["/indexes/films/documents/edit", `{"function":"${"x=1;".repeat(130_000)}"}`, 400],
  "a script of a quarter of a megabyte": [
    "/indexes/films/documents/edit",
    `{"function":"${"let x=1;".repeat(32_000)}","filter":"id = 100"}`,
    202,
  ],
  "an edition that is given ten megabytes": [
    "/indexes/films/documents/edit",
    `{"function":"doc.x = 1","filter":"id = 100","context":{"a":"${"x".repeat(10_000_000)}"}}`,
    413,
  ],
  "ids to delete": ["/indexes/none/documents/delete-batch", list(300_000, '"abcdef"'), 202],
};

for (const transport of ["auto", "node"]) {
  // What is in a body makes no difference to a transport; how it comes in does.
  const tried = Object.entries(HOSTILE).slice(0, transport === "auto" ? undefined : 2);
  test(`no body keeps the front busy (--http-transport ${transport})`, async () => {
    const server = await TestServer.start({ key: "a master key of it", args: ["--http-transport", transport] });
    try {
      await server.request("PATCH", "/experimental-features", { editDocumentsByFunction: true });
      await server.write("POST", "/indexes/films/documents", [{ id: 1, title: "one" }]);
      await server.write("PATCH", "/indexes/films/settings", { filterableAttributes: ["id"] });
      for (const [name, [path, body, status]] of tried) {
        const before = mainThreadMs(server.pid);
        const answer = await server.request("POST", path, body);
        const worked = mainThreadMs(server.pid) - before;
        assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body).slice(0, 200)}`);
        assert.ok(worked < FRONT_MS_MAX, `${name}: the front worked ${worked} ms`);
      }
    } finally {
      await server.dispose();
    }
  });
}

test("long settings are read, stored and shown without the front", async () => {
  const server = await TestServer.start();
  try {
    const synonyms = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`word${i}`, ["a b"]]));
    const worked: Record<string, number> = {};
    const measured = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const before = mainThreadMs(server.pid);
      const result = await work();
      worked[name] = Math.round(mainThreadMs(server.pid) - before);
      return result;
    };
    const task = await measured("set", () =>
      server.request<Task>("PUT", "/indexes/films/settings/synonyms", synonyms, { prefer: "wait=120" }),
    );
    assert.equal(task.body.status, "succeeded");
    assert.equal(Object.keys(task.body.details?.["synonyms"] ?? {}).length, 100_000);
    const { uid, batchUid } = task.body;
    const settings = await measured("settings", () => server.request<JsonObject>("GET", "/indexes/films/settings"));
    assert.deepEqual(settings.body["synonyms"], synonyms);
    const one = await measured("setting", () => server.request("GET", "/indexes/films/settings/synonyms"));
    assert.deepEqual(one.body, synonyms);
    const batch = await measured("batch", () => server.request<Task>("GET", `/batches/${batchUid}`));
    assert.deepEqual(batch.body.details, { synonyms });
    const tasks = await measured("task", () => server.request<Task>("GET", `/tasks/${uid}`));
    assert.deepEqual(tasks.body.details, { synonyms });
    const refused = await server.request("PUT", "/indexes/films/settings/stop-words", ["x".repeat(8_000_000)]);
    assert.equal(refused.status, 413);
    const found = await measured("search", () => server.request("POST", "/indexes/films/search", { q: "word7" }));
    assert.equal(found.status, 200);
    // Each answer took above a hundred when the front read what it shows, and to set them above seven hundred.
    for (const [name, ms] of Object.entries(worked)) {
      assert.ok(ms < (name === "set" ? FRONT_MS_MAX : 60), `${name}: ${JSON.stringify(worked)}`);
    }
  } finally {
    await server.dispose();
  }
});
