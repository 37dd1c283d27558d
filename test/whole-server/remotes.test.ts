/**
 * Searches that several servers answer. The interface: "`federationOptions.remote` …", "Merge: hits compared by weighted rule
 * scores, then weighted global score; ties by query position", and "`useNetwork: true` or `federationOptions.remote` fan out to
 * remotes' `POST /multi-search`".
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { fill, introduce, startServer, things } from "../lib/network.ts";
import type { TestServer } from "../lib/server.ts";

type Body = Record<string, unknown> & {
  hits: (Record<string, unknown> & { id: number; _federation: Record<string, unknown> })[];
  remoteErrors?: Record<string, { code: string }>;
};

let whole: TestServer;
let north: TestServer;
let south: TestServer;

before(async () => {
  [whole, north, south] = await Promise.all([startServer(), startServer(), startServer()]);
  const birds = things(1, 300);
  const trees = things(2, 300);
  const count = { faceting: { sortFacetValuesBy: { colour: "count" } } };
  await fill(whole, "birds", birds, count);
  await fill(whole, "trees", trees, count);
  await fill(north, "birds", birds, count);
  await fill(south, "trees", trees, count);
  await introduce(north, "north", { south: south.base });
});

after(() => Promise.all([whole, north, south].map((server) => server.dispose())));

async function ask(server: TestServer, body: object, headers: Record<string, string> = {}): Promise<Body> {
  const answer = await server.request<Body>("POST", "/multi-search", body, headers);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Without what tells where and how long. */
function plain({ processingTimeMs: _ms, requestUid: _uid, remoteErrors: _errors, hits, ...rest }: Body): object {
  const shown = hits.map(({ _federation: { remote: _remote, ...federation }, ...hit }) => ({
    ...hit,
    _federation: federation,
  }));
  return { ...rest, hits: shown };
}

const QUERIES: { federation: object; birds: object; trees: object; weights?: [number, number] }[] = [
  { federation: {}, birds: { q: "grey heron" }, trees: { q: "old oak" } },
  { federation: { limit: 7, offset: 5 }, birds: { q: "river" }, trees: { q: "rivre" } },
  { federation: { page: 2, hitsPerPage: 6 }, birds: { q: "wild" }, trees: { q: "wild" }, weights: [1, 0.7] },
  { federation: { page: 0, hitsPerPage: 6 }, birds: { q: "wild" }, trees: { q: "wild" } },
  { federation: { limit: 0 }, birds: { q: "wild" }, trees: { q: "wild" } },
  { federation: {}, birds: { q: "" }, trees: { q: "" }, weights: [0.2, 2] },
  { federation: { limit: 50 }, birds: { sort: ["size:asc"] }, trees: { sort: ["size:asc"] } },
  { federation: { limit: 50 }, birds: { q: "old", sort: ["name:desc"] }, trees: { q: "old", sort: ["name:desc"] } },
  {
    federation: { limit: 40 },
    birds: { sort: ["_geoPoint(10, 10):asc"] },
    trees: { sort: ["_geoPoint(20, 20):asc"], filter: "size > 3" },
  },
  {
    federation: { facetsByIndex: { birds: ["colour", "size"], trees: ["*"] } },
    birds: { q: "grey", showRankingScoreDetails: true },
    trees: { q: "old", attributesToRetrieve: ["name"], attributesToHighlight: ["*"], showMatchesPosition: true },
  },
  {
    federation: { facetsByIndex: { birds: ["colour", "size"], trees: ["colour", "tags"] }, mergeFacets: {} },
    birds: { q: "grey" },
    trees: { q: "old" },
  },
  {
    federation: { facetsByIndex: { birds: ["colour"], trees: ["colour"] }, mergeFacets: { maxValuesPerFacet: 3 } },
    birds: { q: "grey" },
    trees: { q: "old", rankingScoreThreshold: 0.5 },
  },
  { federation: { distinct: "group", limit: 100 }, birds: { q: "river" }, trees: { q: "river" } },
  {
    federation: { distinct: "group", limit: 100, facetsByIndex: { birds: ["colour", "size"], trees: ["tags"] } },
    birds: { q: "river", attributesToRetrieve: ["id"] },
    trees: { q: "stone" },
  },
];

test("two servers give the answers of one that holds both indexes", async () => {
  for (const { federation, birds, trees, weights: [first, second] = [1, 1] } of QUERIES) {
    const queries = (remote: (name: string) => object) => [
      { indexUid: "birds", ...birds, federationOptions: { weight: first } },
      { indexUid: "trees", ...trees, federationOptions: { weight: second, ...remote("south") } },
      { indexUid: "birds", ...birds, ...("q" in birds && birds.q !== "" ? { q: "stone" } : {}) },
    ];
    const expected = await ask(whole, { federation, queries: queries(() => ({})) });
    const found = await ask(north, { federation, queries: queries((remote) => ({ remote })) });
    const about = JSON.stringify({ federation, birds, trees });
    assert.deepEqual(plain(found), plain(expected), about);
    assert.deepEqual(
      Object.keys(found).filter((key) => key !== "remoteErrors"),
      Object.keys(expected),
      about,
    );
    assert.deepEqual(found.remoteErrors, {}, about);
    for (const { _federation } of found.hits) {
      assert.equal(_federation["remote"], _federation["indexUid"] === "trees" ? "south" : "north");
      assert.equal(_federation["weightedScoreValues"], undefined);
      assert.equal(_federation["extra_document"], undefined);
    }
  }
});

// Other implementations of the interface read these members by name when they merge.
test("a server asked by another tells how its hits rank, and the values that tell them apart", async () => {
  const proxied = { "Meili-Proxy-Search": "true" };
  const queries = [{ indexUid: "trees", q: "old" }];
  const told = async (federation: object) =>
    (await ask(south, { federation, queries }, proxied)).hits.map(({ _federation }) => Object.keys(_federation));
  const ranks = ["indexUid", "queriesPosition", "weightedRankingScore", "weightedScoreValues"];
  for (const names of await told({})) assert.deepEqual(names, ranks);
  const distinct = await told({ distinct: "group" });
  assert.ok(distinct.length > 1);
  for (const names of distinct) assert.deepEqual(names, [...ranks, "extra_document"]);
});

test("errors of a search are those of one server, whoever would have answered", async () => {
  const refused = async (queries: object[]) => {
    const answer = await north.request<{ code: string; message: string }>("POST", "/multi-search", {
      federation: {},
      queries,
    });
    assert.equal(answer.status, 400);
    return answer.body;
  };
  const there = { indexUid: "trees", federationOptions: { remote: "south" } };
  const filtered = await refused([there, { indexUid: "birds", filter: "name = a" }]);
  assert.equal(filtered.code, "invalid_search_filter");
  assert.match(filtered.message, /^Inside `\.queries\[1\]`: /);
  assert.equal((await refused([there, { indexUid: "nobody" }])).code, "index_not_found");
});

test("what a remote refuses is told as its error, and the others answer", async () => {
  const found = await ask(north, {
    federation: {},
    queries: [
      { indexUid: "nobody", federationOptions: { remote: "south" } },
      { indexUid: "birds", q: "grey" },
    ],
  });
  assert.equal(found.remoteErrors!["south"]!.code, "remote_bad_request");
  assert.ok(found.hits.length > 0);
});

test("a long body is read, split and answered in the same way", async () => {
  const many = Array.from({ length: 9000 }, (_, i) => `"colour ${i}"`).join(", ");
  const filter = `NOT colour IN [${many}]`;
  const queries = (remote: (name: string) => object) => [
    { indexUid: "birds", q: "grey", filter },
    { indexUid: "trees", q: "old", filter, federationOptions: remote("south") },
  ];
  const federation = { facetsByIndex: { trees: ["colour"] } };
  const expected = await ask(whole, { federation, queries: queries(() => ({})) });
  const found = await ask(north, { federation, queries: queries((remote) => ({ remote })) });
  assert.deepEqual(plain(found), plain(expected));
  assert.ok(found.hits.length > 0);
});

test("pinned documents keep their places, whichever server has them", async () => {
  const pin = (indexUid: string, id: number, position: number) => ({
    conditions: { query: { words: "grey" } },
    actions: [{ selector: { indexUid, id: String(id) }, action: { type: "pin", position } }],
  });
  const rules = {
    heron: { on: [whole, north], rule: pin("birds", 10_007, 1) },
    stork: { on: [whole, north], rule: pin("birds", 10_011, 400) },
    oak: { on: [whole, south], rule: pin("trees", 20_009, 3) },
  };
  for (const server of [whole, north, south]) {
    await server.request("PATCH", "/experimental-features", { dynamicSearchRules: true });
  }
  for (const [uid, { on, rule }] of Object.entries(rules)) {
    for (const server of on) {
      const task = await server.write("PATCH", `/dynamic-search-rules/${uid}`, rule);
      assert.equal(task.status, "succeeded", JSON.stringify(task.error));
    }
  }
  for (const federation of [{}, { offset: 2, limit: 5 }, { limit: 500 }, { page: 1, hitsPerPage: 4 }]) {
    const queries = (remote: (name: string) => object) => [
      { indexUid: "birds", q: "grey" },
      { indexUid: "trees", q: "grey", filter: "size > 2", federationOptions: remote("south") },
    ];
    const expected = await ask(whole, { federation, queries: queries(() => ({})) });
    const found = await ask(north, { federation, queries: queries((remote) => ({ remote })) });
    assert.deepEqual(plain(found), plain(expected), JSON.stringify(federation));
    if (!("offset" in federation)) assert.equal(found.hits[1]!.id, 10_007);
  }
  for (const server of [whole, north, south]) {
    await server.request("PATCH", "/experimental-features", { dynamicSearchRules: false });
  }
});

test("searches by meaning and by words are merged as on one server", async () => {
  const embedders = { own: { source: "userProvided", dimensions: 2 } };
  for (const [server, uid, seed] of [
    [whole, "near", 7],
    [whole, "far", 8],
    [north, "near", 7],
    [south, "far", 8],
  ] as const) {
    const documents = things(seed, 60).map((each, i) => ({ ...each, _vectors: { own: [Math.cos(i), Math.sin(i)] } }));
    await fill(server, uid, documents, { embedders });
  }
  for (const semanticRatio of [1, 0.5]) {
    const query = { q: "grey", vector: [1, 0.2], hybrid: { embedder: "own", semanticRatio }, retrieveVectors: true };
    const queries = (remote: (name: string) => object) => [
      { indexUid: "near", ...query },
      { indexUid: "far", ...query, vector: [0, 1], federationOptions: { weight: 0.9, ...remote("south") } },
      { indexUid: "near", q: "old" },
    ];
    const expected = await ask(whole, { federation: {}, queries: queries(() => ({})) });
    const found = await ask(north, { federation: {}, queries: queries((remote) => ({ remote })) });
    assert.deepEqual(plain(found), plain(expected));
    assert.ok((found["semanticHitCount"] as number) > 0);
    assert.deepEqual(Object.keys(found["queryVectors"] as object), ["0", "1"]);
  }
});

test("metadata tells who answered which query, with the primary key of the index there", async () => {
  const found = await ask(
    north,
    {
      federation: {},
      queries: [
        { indexUid: "trees", q: "old", federationOptions: { remote: "south" } },
        { indexUid: "birds", q: "grey" },
      ],
    },
    { "meili-include-metadata": "true" },
  );
  const told = found["metadata"] as Record<string, unknown>[];
  assert.deepEqual(
    told.map(({ queryUid: _uid, ...rest }) => rest),
    [
      { query: "old", indexUid: "trees", primaryKey: "id", remote: "south" },
      { query: "grey", indexUid: "birds", primaryKey: "id", remote: "north" },
    ],
  );
});
