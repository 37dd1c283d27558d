import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

const KEY = "a-master-key-of-sixteen-bytes";
const FILMS = [
  { id: 1, title: "The silent river", genre: "drama", year: 1990, owner: "a" },
  { id: 2, title: "River of stars", genre: "space", year: 2001, owner: "b" },
  { id: 3, title: "Stars and dust", genre: "space", year: 2010, owner: "a" },
  { id: 4, title: "Quiet dust", genre: "drama", year: 2020, owner: "b" },
];
const BOOKS = [
  { id: "x", title: "The river bank", genre: "nature", year: 1990 },
  { id: "y", title: "Dust", genre: "drama", year: 1950 },
];
const SETTINGS = {
  filterableAttributes: ["genre", "year", "owner"],
  sortableAttributes: ["year"],
  searchableAttributes: ["title", "genre"],
};

interface Hit {
  id: number | string;
  _federation: { indexUid: string; queriesPosition: number; weightedRankingScore: number };
}
interface Found {
  hits: Hit[];
  requestUid: string;
  processingTimeMs: number;
  estimatedTotalHits: number;
  totalHits: number;
  totalPages: number;
  facetDistribution: Record<string, Record<string, number>>;
  facetStats: unknown;
  facetsByIndex: Record<string, { distribution: unknown; stats: unknown }>;
  metadata: { indexUid: string; queryUid: string; query?: string; primaryKey?: string }[];
  performanceDetails: Record<string, string>;
  results: (Found & { indexUid: string })[];
  code: string;
  message: string;
}

let server: TestServer;

before(async () => {
  server = await TestServer.start({ key: KEY, args: ["--experimental-enable-metrics"] });
  for (const [uid, documents] of Object.entries({ films: FILMS, books: BOOKS })) {
    await server.write("PATCH", `/indexes/${uid}/settings`, SETTINGS);
    await server.write("POST", `/indexes/${uid}/documents?primaryKey=id`, documents);
  }
});

after(() => server.dispose());

async function find(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Found> {
  const answer = await server.request<Found>("POST", path, body, headers);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

async function refusal(path: string, body: unknown): Promise<{ status: number; code: string; message: string }> {
  const { status, body: answer } = await server.request<Found>("POST", path, body);
  return { status, code: answer.code, message: answer.message };
}

const idsOf = ({ hits }: Found) => hits.map(({ id }) => id);

test("words, filters, sorts and facets work together, by body and by query string", async () => {
  const found = await find("/indexes/films/search", {
    q: "stars",
    filter: "genre = space",
    sort: ["year:desc"],
    facets: ["genre", "year"],
  });
  assert.deepEqual(idsOf(found), [3, 2]);
  assert.deepEqual(found.facetDistribution, { genre: { space: 2 }, year: { 2001: 1, 2010: 1 } });
  assert.deepEqual(found.facetStats, { year: { min: 2001, max: 2010 } });
  const query = "q=stars&filter=genre%20%3D%20space&sort=year%3Adesc&facets=genre,year";
  const got = await server.request<Found>("GET", `/indexes/films/search?${query}`);
  assert.deepEqual(idsOf(got.body), [3, 2]);
});

test("pages are counted exactly", async () => {
  const page = await find("/indexes/films/search", { page: 2, hitsPerPage: 3 });
  assert.deepEqual([idsOf(page), page.totalHits, page.totalPages], [[4], 4, 2]);
  const none = await find("/indexes/films/search", { page: 0, hitsPerPage: 3 });
  assert.deepEqual([idsOf(none), none.totalHits, none.totalPages], [[], 4, 2]);
  const window = await find("/indexes/films/search", { offset: 1, limit: 2 });
  assert.deepEqual([idsOf(window), window.estimatedTotalHits], [[2, 3], 4]);
});

test("what an index does not allow is refused in its name, with the filter as it was understood", async () => {
  const filter = await refusal("/indexes/films/search", { filter: ["title = x", ["year > 3"]] });
  assert.deepEqual([filter.status, filter.code], [400, "invalid_search_filter"]);
  assert.match(filter.message, /^Index `films`: /);
  assert.match(filter.message, /\("title" = "x"\) AND \("year" > "3"\)/);
  assert.equal((await refusal("/indexes/films/search", { sort: ["title:asc"] })).code, "invalid_search_sort");
  assert.equal((await refusal("/indexes/films/search", { facets: ["title"] })).code, "invalid_search_facets");
  assert.equal((await refusal("/indexes/films/search", { distinct: "title" })).code, "invalid_search_distinct");
  const embedder = { q: "x", hybrid: { embedder: "none" } };
  assert.equal((await refusal("/indexes/films/search", embedder)).code, "invalid_search_embedder");
});

test("an embedder that nobody uses is no reason to refuse", async () => {
  const unused = { hybrid: { embedder: "none", semanticRatio: 0 }, q: "river" };
  assert.equal((await find("/indexes/films/search", unused)).hits.length, 2);
  assert.equal((await find("/indexes/films/search", { hybrid: { embedder: "none" } })).hits.length, 4);
});

test("a tenant sees only what its token allows, whatever it asks", async () => {
  const { body } = await server.request<{ results: { name: string; uid: string; key: string }[] }>("GET", "/keys");
  const key = body.results.find(({ name }) => name === "Default Search API Key")!;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const rules = { films: { filter: "owner = a" } };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ apiKeyUid: key.uid, searchRules: rules })}`;
  const token = `${signed}.${createHmac("sha256", key.key).update(signed).digest("base64url")}`;
  const tenant = { authorization: `Bearer ${token}` };
  assert.deepEqual(idsOf(await find("/indexes/films/search", {}, tenant)), [1, 3]);
  assert.deepEqual(idsOf(await find("/indexes/films/search", { filter: "owner = b OR year > 0" }, tenant)), [1, 3]);
  assert.deepEqual(idsOf(await find("/indexes/films/search", { filter: "owner = b" }, tenant)), []);
  const facets = { facetName: "genre", filter: "year > 0" };
  const values = (await find("/indexes/films/facet-search", facets, tenant)) as unknown as { facetHits: unknown };
  assert.deepEqual(values.facetHits, [
    { value: "drama", count: 1 },
    { value: "space", count: 1 },
  ]);
  const several = await find("/multi-search", { federation: {}, queries: [{ indexUid: "films", q: "river" }] }, tenant);
  assert.deepEqual(idsOf(several), [1]);
  assert.equal((await server.request("POST", "/indexes/books/search", {}, tenant)).status, 403);
});

test("of duplicates the best counts for a facet, and the first where all are counted", async () => {
  await server.write("PATCH", "/indexes/twins/settings", { ...SETTINGS, distinctAttribute: "year" });
  await server.write("POST", "/indexes/twins/documents?primaryKey=id", [
    { id: 1, title: "Far from the river", genre: "drama", year: 1 },
    { id: 2, title: "River", genre: "nature", year: 1 },
  ]);
  const valuesFor = async (exhaustiveFacetCount: boolean): Promise<string[]> => {
    const body = { facetName: "genre", q: "river", exhaustiveFacetCount };
    const found = (await find("/indexes/twins/facet-search", body)) as unknown as { facetHits: { value: string }[] };
    return found.facetHits.map(({ value }) => value);
  };
  assert.deepEqual(await valuesFor(false), ["nature"]);
  assert.deepEqual(await valuesFor(true), ["drama"]);
});

test("facet search refuses what a search refuses, before it looks at the facet", async () => {
  const codeOf = async (body: object) => (await refusal("/indexes/films/facet-search", body)).code;
  const facetName = "nothing";
  assert.equal(await codeOf({ facetName }), "invalid_facet_search_facet_name");
  assert.equal(await codeOf({ facetName, filter: "nothing = 1" }), "invalid_search_filter");
  assert.equal(
    await codeOf({ facetName: "genre", attributesToSearchOn: ["year"] }),
    "invalid_search_attributes_to_search_on",
  );
});

test("several searches are answered in their order, and one that fails fails them all", async () => {
  const { results } = await find("/multi-search", {
    queries: [
      { indexUid: "books", q: "dust" },
      { indexUid: "films", q: "dust", limit: 1, showPerformanceDetails: true },
    ],
  });
  assert.deepEqual(
    results.map((each) => [each.indexUid, idsOf(each)]),
    [
      ["books", ["y"]],
      ["films", [4]],
    ],
  );
  assert.ok("search" in results[1]!.performanceDetails);
  const failed = await refusal("/multi-search", {
    queries: [{ indexUid: "books" }, { indexUid: "films", filter: "q = 1" }],
  });
  assert.deepEqual([failed.status, failed.code], [400, "invalid_search_filter"]);
  assert.match(failed.message, /^Inside `\.queries\[1\]`: Index `films`: /);
});

test("federated searches are one list: the best first, weights count, each document once", async () => {
  const queries = [
    { indexUid: "films", q: "river" },
    { indexUid: "books", q: "river", federationOptions: { weight: 2 } },
    { indexUid: "films", q: "stars", federationOptions: { weight: 0.5 } },
  ];
  const found = await find("/multi-search", { federation: {}, queries }, { "meili-include-metadata": "1" });
  assert.equal(found.hits[0]!.id, "x");
  assert.deepEqual(new Set(idsOf(found)), new Set([1, 2, 3, "x"]));
  assert.equal(found.hits.length, 4);
  assert.equal(found.estimatedTotalHits, 4);
  const scores = found.hits.map(({ _federation }) => _federation.weightedRankingScore);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.deepEqual(
    found.metadata.map(({ indexUid, query, primaryKey }) => [indexUid, query, primaryKey]),
    queries.map(({ indexUid, q }) => [indexUid, q, "id"]),
  );
  const page = await find("/multi-search", { federation: { page: 2, hitsPerPage: 3 }, queries });
  assert.deepEqual([page.hits.length, page.totalHits, page.totalPages], [1, 4, 2]);
  const window = await find("/multi-search", { federation: { offset: 1, limit: 2 }, queries });
  assert.deepEqual(idsOf(window), idsOf(found).slice(1, 3));
});

test("a federated search reaches no more documents of an index than a search of it alone", async () => {
  await server.write("PATCH", "/indexes/few/settings", { pagination: { maxTotalHits: 2 } });
  await server.write(
    "POST",
    "/indexes/few/documents",
    ["red", "red", "blue", "blue"].map((color, id) => ({ id, color })),
  );
  const ofFew = ["red", "blue"].map((q) => ({ indexUid: "few", q }));
  const queries = [...ofFew, { indexUid: "books", federationOptions: { weight: 0.1 } }];
  const found = await find("/multi-search", { federation: {}, queries });
  const uids = found.hits.map(({ _federation }) => _federation.indexUid);
  assert.equal(uids.filter((uid) => uid === "few").length, 2);
  assert.ok(uids.includes("books"));
  assert.equal((await find("/multi-search", { federation: { offset: 2 }, queries: ofFew })).hits.length, 0);
  await server.write("DELETE", "/indexes/few");
});

test("facets of a federated search, by index and merged", async () => {
  const queries = [{ indexUid: "films" }, { indexUid: "books" }];
  const facetsByIndex = { films: ["genre", "year"], books: ["genre"] };
  const apart = await find("/multi-search", { federation: { facetsByIndex }, queries });
  assert.deepEqual(apart.facetsByIndex["books"], { distribution: { genre: { drama: 1, nature: 1 } }, stats: {} });
  const merged = await find("/multi-search", { federation: { facetsByIndex, mergeFacets: {} }, queries });
  assert.deepEqual(merged.facetDistribution["genre"], { drama: 3, nature: 1, space: 2 });
  assert.deepEqual(merged.facetStats, { year: { min: 1990, max: 2020 } });
  const cut = { facetsByIndex, mergeFacets: { maxValuesPerFacet: 1 } };
  assert.deepEqual((await find("/multi-search", { federation: cut, queries })).facetDistribution["genre"], {
    drama: 3,
  });
  const wrong = await refusal("/multi-search", { federation: { facetsByIndex: { books: ["title"] } }, queries });
  assert.equal(wrong.code, "invalid_search_facets");
  assert.match(wrong.message, /^Inside `\.federation\.facetsByIndex\.books`: Index `books`: /);
  const missing = await refusal("/multi-search", { federation: { facetsByIndex: { none: ["a"] } }, queries });
  assert.deepEqual([missing.status, missing.code], [400, "index_not_found"]);
});

test("a federated search shows one document of each value, across indexes", async () => {
  const queries = [{ indexUid: "films" }, { indexUid: "books" }];
  const found = await find("/multi-search", { federation: { distinct: "genre" }, queries });
  assert.deepEqual(idsOf(found), [1, 2, "x"]);
  assert.equal(found.estimatedTotalHits, 3);
});

test("a filter may ask another index which of its documents match, in searches and in reads", async () => {
  await server.request("PATCH", "/experimental-features", { foreignKeys: true });
  await server.write("PATCH", "/indexes/loans/settings", {
    filterableAttributes: ["book"],
    foreignKeys: [{ foreignIndexUid: "books", fieldName: "book" }],
  });
  const loans = [
    { id: 1, book: "x" },
    { id: 2, book: ["y", "z"] },
  ];
  await server.write("POST", "/indexes/loans/documents?primaryKey=id", loans);
  const filter = "_foreign(book, genre = drama)";
  assert.deepEqual(idsOf(await find("/indexes/loans/search", { filter })), [2]);
  const { body } = await server.request<{ results: Hit[] }>("POST", "/indexes/loans/documents/fetch", { filter });
  assert.deepEqual(
    body.results.map(({ id }) => id),
    [2],
  );
  const wrong = await refusal("/indexes/loans/search", { filter: "_foreign(book, title = a)" });
  assert.deepEqual([wrong.status, wrong.code], [400, "invalid_document_filter"]);
  await server.request("PATCH", "/experimental-features", { foreignKeys: false });
});

test("answers are compressed as the client likes it, short ones if it likes nothing else", async () => {
  const queries = Array.from({ length: 20 }, () => ({ indexUid: "films" }));
  for (const coding of ["gzip", "br", "deflate"]) {
    const answer = await server.request<Found>("POST", "/multi-search", { queries }, { "accept-encoding": coding });
    assert.equal(answer.headers.get("content-encoding"), coding);
    assert.equal(answer.body.results.length, 20);
    for (const [accepted, expected] of [
      [coding, coding],
      [`${coding}, identity`, null],
    ]) {
      for (let time = 0; time < 3; time++) {
        const headers = { "accept-encoding": accepted! };
        const short = await server.request<Found>("POST", "/indexes/films/search", { limit: 0 }, headers);
        assert.equal(short.headers.get("content-encoding"), expected);
        assert.deepEqual(short.body.hits, []);
      }
    }
  }
  const plain = await server.request<Found>("POST", "/multi-search", { queries }, { "accept-encoding": "identity" });
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(plain.body.results.length, 20);
});

test("what is asked again is answered the same, in every form, until the documents change", async () => {
  const text = "an overview that is long enough to be compressed ".repeat(40);
  const put = (title: string) =>
    server.write("PUT", "/indexes/again/documents?primaryKey=id", [{ id: 1, title, text }]);
  await put("river");
  const query = { q: "river", attributesToHighlight: ["title"] };
  const answers = async (encoding: string) => {
    const ask = () => find("/indexes/again/search", query, { "accept-encoding": encoding });
    return [await ask(), await ask(), await ask()];
  };
  for (const title of ["river", "wide river"]) {
    await put(title);
    const all = [...(await answers("gzip")), ...(await answers("identity")), ...(await answers("br"))];
    assert.equal(new Set(all.map(({ requestUid }) => requestUid)).size, all.length);
    for (const { hits, processingTimeMs } of all) {
      assert.deepEqual(hits, [
        { id: 1, title, text, _formatted: { id: "1", title: title.replace("river", "<em>river</em>"), text } },
      ]);
      assert.ok(processingTimeMs >= 0 && processingTimeMs < 10_000);
    }
  }
});

test("an answer that tells of a very long query arrives whole, in every form", async () => {
  const q = "river ".repeat(20_000);
  for (const encoding of ["gzip", "identity", "br"]) {
    const headers = { "accept-encoding": encoding, "meili-include-metadata": "true" };
    const { hits, metadata } = await find("/indexes/films/search", { q }, headers);
    assert.ok(hits.length > 0);
    assert.equal((metadata as unknown as { query: string }).query, q);
  }
});

test("a search whose time is up answers with what it has, and is counted", async () => {
  await server.write("PATCH", "/indexes/hasty/settings", { searchCutoffMs: 0 });
  await server.write("POST", "/indexes/hasty/documents?primaryKey=id", FILMS);
  const found = await find("/indexes/hasty/search", { q: "river", showRankingScoreDetails: true });
  assert.equal(found.hits.length, 2);
  const { body } = await server.request<string>("GET", "/metrics");
  assert.match(body, /degraded_search_requests [1-9]/);
});

test("more searches than may wait are sent away, later ones are served again", async () => {
  const small = await TestServer.start({ args: ["--readers", "1", "--experimental-search-queue-size", "2"] });
  try {
    await small.write("POST", "/indexes/films/documents?primaryKey=id", FILMS);
    const queries = Array.from({ length: 300 }, () => ({ indexUid: "films", q: "river of stars" }));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => small.request<Found>("POST", "/multi-search", { queries })),
    );
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(refused.length > 0 && refused.length < answers.length);
    for (const { body, headers } of refused) {
      assert.equal(body.code, "too_many_search_requests");
      assert.equal(headers.get("retry-after"), "10");
    }
    assert.equal((await small.request("POST", "/indexes/films/search", { q: "river" })).status, 200);
  } finally {
    await small.dispose();
  }
});

/** Short searches that may be answered while the body of the long one is still on its way. */
const BEFORE_IT = 5;

test("a long multi-search lets others pass", async () => {
  const one = await TestServer.start({ args: ["--readers", "1"] });
  try {
    await one.write("POST", "/indexes/films/documents?primaryKey=id", FILMS);
    const queries = Array.from({ length: 3000 }, () => ({ indexUid: "films", q: "river of stars" }));
    for (const body of [{ queries }, { queries, federation: {} }]) {
      let isFinished = false;
      const long = one.request("POST", "/multi-search", body).then(({ status }) => {
        isFinished = true;
        return status;
      });
      let passed = 0;
      for (; !isFinished; passed++) {
        assert.equal((await one.request("POST", "/indexes/films/search", { q: "river" })).status, 200);
      }
      assert.ok(passed > BEFORE_IT, `${passed} short searches were answered meanwhile`);
      assert.equal(await long, 200);
    }
  } finally {
    await one.dispose();
  }
});
