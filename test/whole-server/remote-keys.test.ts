/**
 * Keys and tenants in a search that several servers answer. The interface: "Every query is authorised first (403 `invalid_api_key`)";
 * "`remote_invalid_api_key`". What a tenant token demands must reach every server.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { tenantToken } from "../access/credentials.ts";
import { fill, LOOPBACK, things } from "../lib/network.ts";
import { TestServer } from "../lib/server.ts";

interface Key {
  uid: string;
  key: string;
}

interface Body {
  hits: { colour: string; _federation: { remote: string } }[];
  remoteErrors: Record<string, { code: string }>;
  code: string;
}

const NORTH_KEY = "the master key of the north";
const SOUTH_KEY = "the master key of the south";
let north: TestServer;
let south: TestServer;

before(async () => {
  const start = (key: string) => TestServer.start({ key, args: LOOPBACK });
  [north, south] = await Promise.all([start(NORTH_KEY), start(SOUTH_KEY)]);
  for (const [server, seed] of [
    [north, 1],
    [south, 2],
  ] as const) {
    await server.request("PATCH", "/experimental-features", { network: true });
    await fill(server, "trees", things(seed, 60));
  }
  await register(await keyOf(south, ["trees"]));
});

after(() => Promise.all([north.dispose(), south.dispose()]));

async function keyOf(server: TestServer, indexes: string[]): Promise<Key> {
  const { body } = await server.request<Key>("POST", "/keys", { actions: ["search"], indexes, expiresAt: null });
  return body;
}

async function register({ key }: Pick<Key, "key">): Promise<void> {
  const remotes = { south: { url: south.base, searchApiKey: key } };
  assert.equal((await north.request("PATCH", "/network", { self: "north", remotes })).status, 200);
}

async function ask(token: string, queries: object[], status = 200): Promise<Body> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await north.request<Body>("POST", "/multi-search", { federation: { limit: 200 }, queries }, headers);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

const there = { indexUid: "trees", federationOptions: { remote: "south" } };

test("a remote is asked with the key stored for it, whoever asks here", async () => {
  const { key } = await keyOf(north, ["trees"]);
  const found = await ask(key, [there]);
  assert.equal(found.hits.length, 60);
  assert.deepEqual(found.remoteErrors, {});
  await register({ key: "not one of the south" });
  assert.equal((await ask(key, [there])).remoteErrors["south"]!.code, "remote_invalid_api_key");
  await register(await keyOf(south, ["others"]));
  assert.equal((await ask(key, [there])).remoteErrors["south"]!.code, "remote_invalid_api_key");
  await register(await keyOf(south, ["trees"]));
});

test("an index that the key does not open is not asked of a remote either", async () => {
  const { key } = await keyOf(north, ["birds"]);
  assert.equal((await ask(key, [there], 403)).code, "invalid_api_key");
});

test("what a tenant token demands holds on every server", async () => {
  const { uid, key: value } = await keyOf(north, ["*"]);
  const token = tenantToken({ uid, value }, { searchRules: { trees: { filter: "colour = red" } } });
  for (const query of [there, { ...there, filter: "size > 5 OR size <= 5 OR size IS NULL" }]) {
    const { hits } = await ask(token, [query]);
    assert.ok(hits.length > 0 && hits.length < 60);
    assert.ok(hits.every(({ colour }) => colour === "red"));
  }
  for (const useNetwork of [{ indexUid: "trees", useNetwork: true }]) {
    const { hits } = await ask(token, [useNetwork]);
    assert.deepEqual(new Set(hits.map(({ _federation }) => _federation.remote)), new Set(["north", "south"]));
    assert.ok(hits.every(({ colour }) => colour === "red"));
  }
  const headers = { authorization: `Bearer ${token}` };
  const alone = await north.request<Body>("POST", "/indexes/trees/search", { useNetwork: true, limit: 200 }, headers);
  assert.equal(alone.status, 200);
  assert.ok(alone.body.hits.length > 0 && alone.body.hits.every(({ colour }) => colour === "red"));
  const foreign = { ...there, filter: "_foreign(tags, colour = red)" };
  assert.equal((await ask(token, [foreign], 403)).code, "invalid_api_key");
});
