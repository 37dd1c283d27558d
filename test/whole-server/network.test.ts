/** Federated searches that say which server of a network is to answer. */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

interface Found {
  hits: { id: number; _federation: { queriesPosition: number; remote?: string | null } }[];
  metadata: { indexUid: string; remote?: string }[];
  remoteErrors?: Record<string, { code: string }>;
  message: string;
  code: string;
}

let server: TestServer;

before(async () => {
  server = await TestServer.start();
  await server.write("POST", "/indexes/birds/documents", [
    { id: 1, name: "grey heron" },
    { id: 2, name: "heron" },
  ]);
  await server.request("PATCH", "/experimental-features", { network: true });
});

after(() => server.dispose());

const here = { indexUid: "birds", q: "heron" };
const at = (remote: string, query: object = here) => ({ ...query, federationOptions: { remote } });

async function knownAs(self: string | null): Promise<void> {
  const remotes = { north: { url: "http://north.invalid" }, south: { url: "http://south.invalid" } };
  const answer = await server.request("PATCH", "/network", { self, remotes });
  assert.equal(answer.status, 200);
}

async function find(queries: object[], status = 200): Promise<Found> {
  const headers = { "meili-include-metadata": "true" };
  const answer = await server.request<Found>("POST", "/multi-search", { federation: {}, queries }, headers);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

test("a server answers what is asked of it by name, and signs every hit", async () => {
  await knownAs("north");
  const found = await find([at("north"), { ...here, q: "grey" }]);
  assert.deepEqual(
    found.hits.map(({ id, _federation }) => [id, _federation.remote]),
    [
      [2, "north"],
      [1, "north"],
    ],
  );
  assert.deepEqual(found.remoteErrors, {});
  assert.deepEqual(
    found.metadata.map(({ remote }) => remote),
    ["north", "north"],
  );
});

test("nothing is said of remotes unless a query names one", async () => {
  await knownAs("north");
  const found = await find([here]);
  assert.equal(found.hits[0]!._federation.remote, undefined);
  assert.equal(found.remoteErrors, undefined);
});

test("what another server would have to answer is missing, and said to be", async () => {
  await knownAs("north");
  const found = await find([at("south", { indexUid: "elsewhere" }), here]);
  assert.deepEqual(
    found.hits.map(({ _federation }) => _federation.queriesPosition),
    [1, 1],
  );
  assert.deepEqual(Object.keys(found.remoteErrors!), ["south"]);
  assert.equal(found.remoteErrors!["south"]!.code, "remote_could_not_send_request");
  assert.deepEqual(
    found.metadata.map(({ indexUid, remote }) => [indexUid, remote]),
    [
      ["elsewhere", "south"],
      ["birds", "north"],
    ],
  );
  assert.deepEqual((await find([at("south")])).hits, []);
});

test("a server without a name of its own is nobody's remote", async () => {
  await knownAs(null);
  const found = await find([at("north"), here]);
  assert.equal(found.hits[0]!._federation.remote, null);
  assert.deepEqual(Object.keys(found.remoteErrors!), ["north"]);
});

test("remotes that nobody has registered are refused, and errors name the query by its place in the request", async () => {
  await knownAs("north");
  const unknown = await find([here, at("west")], 400);
  assert.equal(unknown.code, "invalid_multi_search_remote");
  assert.match(unknown.message, /^Inside `\.queries\[1\]`: /);
  const missing = await find([at("south"), at("north", { indexUid: "none" })], 400);
  assert.equal(missing.code, "index_not_found");
  assert.match(missing.message, /^Inside `\.queries\[1\]`: /);
  const filtered = await find([at("south"), { ...here, filter: "name = heron" }], 400);
  assert.match(filtered.message, /^Inside `\.queries\[1\]`: /);
});
