/**
 * Searches of all servers of a network at once, and servers that fail. The interface: "`useNetwork: true` … fan out to remotes";
 * "`remoteErrors` {remote: error object} present as soon as a remote was involved; failing remotes do not fail the request".
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { fill, introduce, startServer, things } from "../lib/network.ts";
import type { TestServer } from "../lib/server.ts";

interface Body {
  hits: { id: number; _federation: { remote: string; indexUid: string; queriesPosition: number } }[];
  estimatedTotalHits: number;
  totalHits: number;
  facetDistribution: Record<string, Record<string, number>>;
  facetStats: Record<string, { min: number; max: number }>;
  remoteErrors: Record<string, { code: string; message: string }>;
  results: (Body & { indexUid: string })[];
  query: string;
  facetHits: { value: string; count: number }[];
  code: string;
  message: string;
}

/** Long enough for servers that do answer, on a busy machine; only one test waits for it. */
const DEADLINE_S = 4;
const birds = things(3, 240);
const SORTABLE = { sortableAttributes: ["size", "name", "_geo", "id", "colour"] };
const sites = ["north", "south", "west"] as const;
let whole: TestServer;
let servers: Record<(typeof sites)[number], TestServer>;
/** Takes requests and never answers. */
let silent: Server;
let silentUrl = "";

before(async () => {
  const env = { MEILI_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS: String(DEADLINE_S) };
  const [one, north, south, west] = await Promise.all([startServer(), startServer(env), startServer(), startServer()]);
  whole = one;
  servers = { north, south, west };
  await fill(whole, "birds", birds, SORTABLE);
  for (const [i, site] of sites.entries()) {
    await fill(
      servers[site],
      "birds",
      birds.filter(({ id }) => id % sites.length === i),
      SORTABLE,
    );
  }
  silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});

after(async () => {
  silent.closeAllConnections();
  silent.close();
  await Promise.all([whole, ...Object.values(servers)].map((server) => server.dispose()));
});

const known = () => introduce(servers.north, "north", { south: servers.south.base, west: servers.west.base });

async function ask(server: TestServer, path: string, body: object, headers = {}, status = 200): Promise<Body> {
  const answer = await server.request<Body>("POST", path, body, headers);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

const SEARCH = "/indexes/birds/search";

test("a search of the network finds what one server with all documents finds, in its order", async () => {
  await known();
  const facets = ["colour", "size"];
  for (const query of [
    { sort: ["size:asc", "name:asc"], limit: 60, offset: 10, facets },
    { sort: ["size:desc"], filter: "colour = red", hitsPerPage: 7, page: 2 },
    { q: "grey heron", matchingStrategy: "all", limit: 5, facets },
  ]) {
    const expected = await ask(whole, SEARCH, query);
    const found = await ask(servers.north, SEARCH, { ...query, useNetwork: true });
    const values = (body: Body) =>
      body.hits.map((hit) => ("sort" in query ? [(hit as unknown as { size: number }).size] : 1));
    assert.deepEqual(values(found), values(expected));
    assert.equal(found.estimatedTotalHits, expected.estimatedTotalHits);
    assert.equal(found.totalHits, expected.totalHits);
    assert.deepEqual(found.facetDistribution, expected.facetDistribution);
    assert.deepEqual(found.facetStats, expected.facetStats);
    assert.deepEqual(found.remoteErrors, {});
    assert.equal(found.query, expected.query);
  }
  const { hits } = await ask(servers.north, SEARCH, { useNetwork: true, limit: 240 });
  assert.deepEqual(new Set(hits.map(({ _federation }) => _federation.remote)), new Set(sites));
  assert.equal(new Set(hits.map(({ id }) => id)).size, birds.length);
});

test("queries of a multi-search use the network each for itself, federated or not", async () => {
  await known();
  const queries = [
    { indexUid: "birds", q: "grey" },
    { indexUid: "birds", q: "grey", useNetwork: true },
    { indexUid: "birds", q: "old" },
    { indexUid: "birds", q: "old" },
  ];
  const { results } = await ask(servers.north, "/multi-search", { queries });
  const alone = await ask(servers.north, SEARCH, { q: "grey" });
  const all = await ask(whole, SEARCH, { q: "grey" });
  assert.deepEqual(results.map(({ indexUid, estimatedTotalHits }) => [indexUid, estimatedTotalHits]).slice(0, 2), [
    ["birds", alone.estimatedTotalHits],
    ["birds", all.estimatedTotalHits],
  ]);
  assert.deepEqual(results[2]!.hits, results[3]!.hits);
  assert.ok(all.estimatedTotalHits > alone.estimatedTotalHits);

  const federated = await ask(servers.north, "/multi-search", { federation: { limit: 240 }, queries: [queries[1]] });
  assert.equal(federated.estimatedTotalHits, all.estimatedTotalHits);
  assert.equal(federated.hits.length, all.estimatedTotalHits);

  const refused = await ask(
    servers.north,
    "/multi-search",
    { queries: [queries[0], { ...queries[1], filter: "name = a" }] },
    {},
    400,
  );
  assert.equal(refused.code, "invalid_search_filter");
  assert.match(refused.message, /^Inside `\.queries\[1\]`: /);
  const missing = await ask(servers.north, "/indexes/nobody/search", { useNetwork: true }, {}, 404);
  assert.equal(missing.code, "index_not_found");
});

test("values of a facet are found in all of them", async () => {
  await known();
  const FACETS = "/indexes/birds/facet-search";
  const query = { facetName: "colour", q: "grey", filter: "size > 1" };
  const many = `NOT colour IN [${Array.from({ length: 9000 }, (_, i) => `"colour ${i}"`).join(", ")}]`;
  for (const asked of [
    query,
    { ...query, facetQuery: "b" },
    { facetName: "tags", facetQuery: "heron" },
    { ...query, filter: many },
  ]) {
    const expected = await ask(whole, FACETS, asked);
    const found = await ask(servers.north, FACETS, { ...asked, useNetwork: true });
    assert.ok(expected.facetHits.length > 0);
    assert.deepEqual(found.facetHits, expected.facetHits);
    assert.deepEqual(found.remoteErrors, {});
    assert.equal(expected.remoteErrors, undefined);
  }
  await introduce(servers.north, "north", { west: "http://127.0.0.1:1" });
  const alone = await ask(servers.north, FACETS, { ...query, useNetwork: true });
  assert.equal(alone.remoteErrors["west"]!.code, "remote_could_not_send_request");
  assert.ok(alone.facetHits.length > 0);
});

test("lists of documents are made of all servers, in the order of a sort over all of them", async () => {
  await known();
  const FETCH = "/indexes/birds/documents/fetch";
  interface Listed {
    results: (Record<string, unknown> & { id: number })[];
    total: number;
    offset: number;
    remoteErrors?: Body["remoteErrors"];
  }
  const listed = async (server: TestServer, body: object, status = 200) =>
    (await ask(server, FETCH, body, {}, status)) as unknown as Listed & { code: string };
  for (const query of [
    { sort: ["size:asc", "name:desc", "id:asc"], limit: 70, offset: 15 },
    { sort: ["_geoPoint(10, 20):asc", "id:asc"], filter: "colour = red", fields: ["id", "tags"], limit: 300 },
    { sort: ["colour:desc", "id:asc"], ids: [30_001, 30_007, 30_002, "30_100", 29] },
    { limit: 0 },
    { filter: `NOT colour IN [${Array.from({ length: 9000 }, (_, i) => `"c${i}"`).join(", ")}]`, sort: ["id:desc"] },
  ]) {
    const expected = await listed(whole, query);
    assert.deepEqual(await listed(servers.north, { ...query, useNetwork: true }), expected);
  }
  const all = await listed(servers.north, { limit: 500, useNetwork: true });
  assert.deepEqual(new Set(all.results.map(({ id }) => id)), new Set(birds.map(({ id }) => id)));
  assert.deepEqual(all.results[0], { ...birds[0] }, "in the order of the names of the servers");
  const byQuery = await servers.north.request<Listed>("GET", "/indexes/birds/documents?useNetwork=true&limit=1");
  assert.equal(byQuery.body.total, birds.length);

  assert.equal(
    (await listed(servers.north, { useNetwork: true, sort: ["tags:asc"] }, 400)).code,
    "invalid_document_sort",
  );
  assert.equal(
    (await listed(servers.north, { useNetwork: true, filter: "name = a" }, 400)).code,
    "invalid_document_filter",
  );
  await introduce(servers.north, "north", { west: "http://127.0.0.1:1" });
  const partial = await listed(servers.north, { useNetwork: true });
  assert.equal(partial.total, (birds.length / 3) * 2);
  assert.equal(partial.remoteErrors!["west"]!.code, "remote_could_not_send_request");
  await introduce(servers.north, "north", { west: servers.west.base });
});

test("a document that is not here is looked for in the others", async () => {
  await known();
  const get = (rest: string) =>
    servers.north.request<{ id: number; code: string }>("GET", `/indexes/birds/documents/${rest}`);
  const elsewhere = birds[1]!;
  assert.equal((await get(`${elsewhere.id}`)).body.code, "document_not_found");
  assert.deepEqual((await get(`${elsewhere.id}?useNetwork=true`)).body, { ...elsewhere });
  assert.deepEqual((await get(`${elsewhere.id}?useNetwork=true&fields=id`)).body, { id: elsewhere.id });
  assert.deepEqual((await get(`${birds[0]!.id}?useNetwork=true&fields=id`)).body, { id: birds[0]!.id });
  for (const rest of ["nobody?useNetwork=true", `${elsewhere.id}?useNetwork=false`]) {
    const { status, body } = await get(rest);
    assert.deepEqual([status, body.code], [404, "document_not_found"]);
  }
  assert.equal((await get("1?useNetwork=perhaps")).body.code, "invalid_document_use_network");
});

test("with long bodies too", async () => {
  await known();
  const filter = `NOT colour IN [${Array.from({ length: 9000 }, (_, i) => `"colour ${i}"`).join(", ")}]`;
  const found = await ask(servers.north, SEARCH, { useNetwork: true, filter });
  assert.equal(found.estimatedTotalHits, birds.length);
  const query = { indexUid: "birds", filter };
  const { results } = await ask(servers.north, "/multi-search", { queries: [query, { ...query, useNetwork: true }] });
  assert.deepEqual(
    results.map(({ estimatedTotalHits }) => estimatedTotalHits),
    [birds.length / 3, birds.length],
  );
});

test("useNetwork and a remote exclude each other, and both need the feature", async () => {
  await known();
  const both = { indexUid: "birds", useNetwork: true, federationOptions: { remote: "south" } };
  const refused = await ask(servers.north, "/multi-search", { federation: {}, queries: [both] }, {}, 400);
  assert.equal(refused.code, "invalid_multi_search_federation_options");
  await servers.west.request("PATCH", "/experimental-features", { network: false });
  for (const [path, body, headers] of [
    [SEARCH, { useNetwork: true }, {}],
    ["/multi-search", { federation: {}, queries: [{ indexUid: "birds", useNetwork: true }] }, {}],
    ["/multi-search", { federation: {}, queries: [{ indexUid: "birds" }] }, { "meili-proxy-search": "true" }],
    ["/indexes/birds/documents/fetch", { useNetwork: true }, {}],
    ["/indexes/birds/documents/fetch", {}, { "meili-proxy-search": "true" }],
  ] as const) {
    assert.equal((await ask(servers.west, path, body, headers, 400)).code, "feature_not_enabled");
  }
  const found = await ask(servers.north, SEARCH, { useNetwork: true });
  assert.equal(found.remoteErrors["west"]!.code, "remote_bad_request");
  await servers.west.request("PATCH", "/experimental-features", { network: true });
});

test("a server that is stopped, silent, no such server or out of bounds does not keep the others from answering", async () => {
  await introduce(servers.north, "north", { west: silentUrl });
  const strange = createServer((_request, response) => response.end("<html>")).listen(0, "127.0.0.1");
  await new Promise((resolve) => strange.once("listening", resolve));
  const stopped = await startServer();
  const remotes = {
    south: servers.south.base,
    west: silentUrl,
    stopped: stopped.base,
    strange: `http://127.0.0.1:${(strange.address() as AddressInfo).port}`,
    private: "http://10.255.255.1:7700",
  };
  await stopped.kill();
  await introduce(servers.north, "north", remotes);
  const from = performance.now();
  const found = await ask(servers.north, SEARCH, { useNetwork: true, limit: 240 });
  const took = performance.now() - from;
  assert.ok(took >= DEADLINE_S * 1000, `took ${took} ms`);
  assert.deepEqual(Object.fromEntries(Object.entries(found.remoteErrors).map(([name, { code }]) => [name, code])), {
    private: "remote_could_not_send_request",
    stopped: "remote_could_not_send_request",
    strange: "remote_bad_response",
    west: "remote_timeout",
  });
  assert.match(found.remoteErrors["private"]!.message, /--experimental-allowed-ip-networks/);
  const shown = JSON.stringify(found.remoteErrors);
  assert.ok(!shown.includes("127.0.0.1") && !shown.includes("10.255"), shown);
  assert.deepEqual(new Set(found.hits.map(({ _federation }) => _federation.remote)), new Set(["north", "south"]));
  const { body } = await servers.north.request<{ remotes: Record<string, { status: string }> }>("GET", "/network");
  assert.equal(body.remotes["west"]!.status, "unavailable");
  assert.equal(body.remotes["south"]!.status, "available");
  strange.close();
  await stopped.dispose();
  await servers.north.request("PATCH", "/network", { remotes: null });
});
