import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test, { after, before, beforeEach } from "node:test";
import type { FacetSearchQuery, SearchQuery } from "../../../src/base/contract/search.ts";
import { encodeVolatileSpans, plainAnswer } from "../../../src/engine/cache/cached-answer.ts";
import type { SearchCall } from "../../../src/engine/link/requests.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { answerOf } from "../../engine/cache/answer-of.ts";
import { type Api, indexNamed, startApi } from "./services.ts";
import { forEachTransport } from "./transports.ts";

const MASTER = "a-master-key-of-sixteen-bytes";
const AS_MASTER = { authorization: `Bearer ${MASTER}` };

forEachTransport((transport) => {
  let api: Api;

  before(async () => {
    api = await startApi(transport, MASTER);
    for (const uid of ["films", "books"]) api.indexes.set(uid, indexNamed(uid));
  });

  after(() => api.stop());

  beforeEach(() => {
    api.asked.length = 0;
  });

  /** What the readers were asked last. */
  function asked<Query = SearchQuery>(): {
    indexUid: string;
    query: Query;
    queries: (SearchQuery & { indexUid: string })[];
    tenantFilter: unknown;
    call: SearchCall;
  } {
    return api.asked.at(-1)!.header as ReturnType<typeof asked<Query>>;
  }

  function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return api.call(method, path, body, { ...AS_MASTER, ...headers });
  }

  async function refusal(path: string, body: unknown): Promise<[number, string]> {
    const { status, body: answer } = await ask("POST", path, body);
    assert.equal(api.asked.length, 0);
    return [status, answer.code];
  }

  /** A token of a tenant, signed with the value of the default search key. */
  async function tenantToken(searchRules: unknown): Promise<Record<string, string>> {
    const { body } = await ask("GET", "/keys");
    const key = body.results.find((each: { name: string }) => each.name === "Default Search API Key");
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ apiKeyUid: key.uid, searchRules })}`;
    const signature = createHmac("sha256", key.key).update(signed).digest("base64url");
    return { authorization: `Bearer ${signed}.${signature}` };
  }

  test("a body and a query string that say the same ask the same", async () => {
    await ask("POST", "/indexes/films/search", {
      q: "dune",
      limit: 3,
      filter: ["a = 1", ["b = 2", "c = 3"]],
      sort: ["_geoPoint(1.5,2):asc", "title:desc"],
      facets: ["genres", "year"],
      hybrid: { embedder: "e", semanticRatio: 0.25 },
      vector: [1, 2.5],
      showRankingScore: true,
    });
    const posted = asked().query;
    const params = new URLSearchParams({
      q: "dune",
      limit: "3",
      filter: '["a = 1", ["b = 2", "c = 3"]]',
      sort: "_geoPoint(1.5,2):asc,title:desc",
      facets: "genres,year",
      hybridEmbedder: "e",
      hybridSemanticRatio: "0.25",
      vector: "1,2.5",
      showRankingScore: "true",
    });
    await ask("GET", `/indexes/films/search?${params}`);
    assert.deepEqual(asked().query, posted);
  });

  test("a search of an index that does not exist is refused before a reader is troubled", async () => {
    assert.deepEqual(await refusal("/indexes/none/search", {}), [404, "index_not_found"]);
    assert.deepEqual(await refusal("/indexes/none/facet-search", { facetName: "a" }), [404, "index_not_found"]);
    assert.deepEqual(await refusal("/indexes/none/similar", { id: 1, embedder: "e" }), [404, "index_not_found"]);
  });

  test("vectors and media must go with an embedder, and not with each other", async () => {
    assert.deepEqual(await refusal("/indexes/films/search", { vector: [1] }), [400, "missing_search_hybrid"]);
    const both = { vector: [1], media: {}, hybrid: { embedder: "e" } };
    assert.deepEqual(await refusal("/indexes/films/search", both), [400, "invalid_search_media_and_vector"]);
    const media = { media: { a: 1 }, hybrid: { embedder: "e" } };
    assert.deepEqual(await refusal("/indexes/films/search", media), [400, "feature_not_enabled"]);
  });

  test("what needs a flag that is off is refused, wherever it hides", async () => {
    const gated = [400, "feature_not_enabled"];
    assert.deepEqual(await refusal("/indexes/films/search", { filter: "a CONTAINS b" }), gated);
    assert.deepEqual(await refusal("/indexes/films/search", { filter: ["x = 1", ["_vectors EXISTS"]] }), gated);
    assert.deepEqual(await refusal("/indexes/films/search", { useNetwork: true }), gated);
    assert.deepEqual(await refusal("/indexes/films/search", { useNetwork: false }), gated);
    assert.deepEqual(await refusal("/indexes/films/search", { personalize: { userContext: "me" } }), gated);
    assert.deepEqual(await refusal("/indexes/films/facet-search", { facetName: "a", filter: "a CONTAINS b" }), gated);
    assert.deepEqual(await refusal("/indexes/films/similar", { id: 1, embedder: "e", filter: "a CONTAINS b" }), gated);
    assert.equal((await ask("POST", "/indexes/films/search", { filter: "title = 'CONTAINS'" })).status, 200);
  });

  test("a filter that cannot be read has the code of its route", async () => {
    const broken = "_foreign(";
    assert.deepEqual(await refusal("/indexes/films/search", { filter: broken }), [400, "invalid_search_filter"]);
    const similar = { id: 1, embedder: "e", filter: broken };
    assert.deepEqual(await refusal("/indexes/films/similar", similar), [400, "invalid_similar_filter"]);
  });

  test("the filter of a tenant token holds besides that of the query", async () => {
    const token = await tenantToken({
      films: { filter: "owner = 7" },
      "b*": { filter: ["x = 1", ["y = 2", "y = 3"]] },
    });
    await ask("POST", "/indexes/films/search", {}, token);
    assert.equal(asked().query.filter, "owner = 7");
    await ask("POST", "/indexes/films/search", { filter: "a = 1 OR a = 2" }, token);
    assert.deepEqual(asked().query.filter, ["a = 1 OR a = 2", "owner = 7"]);
    await ask("POST", "/indexes/books/facet-search", { facetName: "a", filter: [["a = 1", "a = 2"]] }, token);
    assert.deepEqual(asked<FacetSearchQuery>().query.filter, [["a = 1", "a = 2"], "x = 1", ["y = 2", "y = 3"]]);
    await ask("POST", "/indexes/films/similar", { id: 1, embedder: "e", filter: "a = 1" }, token);
    assert.deepEqual(asked().tenantFilter, "owner = 7");
    await ask(
      "POST",
      "/multi-search",
      { queries: [{ indexUid: "films" }, { indexUid: "books", filter: "z = 1" }] },
      token,
    );
    assert.deepEqual(
      asked().queries.map(({ filter }) => filter),
      ["owner = 7", ["z = 1", "x = 1", ["y = 2", "y = 3"]]],
    );
  });

  test("a filter does not reach into an index that its token hides", async () => {
    await ask("PATCH", "/experimental-features", { foreignKeys: true });
    const foreignKeys = [{ foreignIndexUid: "books", fieldName: "book" }];
    api.indexes.set("loans", indexNamed("loans", { settings: { ...defaultSettings(), foreignKeys } }));
    const body = { filter: ["a = 1", "NOT _foreign(book, secret > 5)"] };
    const statusFor = async (rules: unknown, path = "/indexes/loans/search", sent: unknown = body) =>
      (await ask("POST", path, sent, await tenantToken(rules))).status;
    assert.equal(await statusFor(["loans"]), 403);
    assert.equal(await statusFor({ loans: null, books: { filter: "owner = 7" } }), 403);
    assert.equal(await statusFor({ "*": { filter: "owner = 7" } }), 403);
    assert.equal(await statusFor(["loans"], "/multi-search", { queries: [{ indexUid: "loans", ...body }] }), 403);
    assert.equal(await statusFor(["loans"], "/indexes/loans/facet-search", { facetName: "a", ...body }), 403);
    assert.equal(await statusFor(["loans"], "/indexes/loans/similar", { id: 1, embedder: "e", ...body }), 403);
    assert.equal(await statusFor(["loans", "books"]), 200);
    assert.equal(await statusFor({ loans: { filter: "_foreign(book, secret > 5)" } }, undefined, {}), 200);
    assert.equal((await ask("POST", "/indexes/loans/search", body)).status, 200);
    assert.equal((await ask("POST", "/indexes/loans/search", { filter: "a = " })).status, 200, "left to the reader");
    await ask("PATCH", "/experimental-features", { foreignKeys: false });
  });

  test("one index that a token does not reach refuses a whole multi-search, saying which", async () => {
    const token = await tenantToken(["films"]);
    const body = { queries: [{ indexUid: "films" }, { indexUid: "books", vector: [1] }] };
    const { status, body: answer } = await ask("POST", "/multi-search", body, token);
    assert.deepEqual([status, answer.code], [403, "invalid_api_key"]);
    assert.match(answer.message, /^Inside `\.queries\[1\]`: /);
    const facets = { federation: { facetsByIndex: { books: ["a"] } }, queries: [{ indexUid: "films" }] };
    assert.equal((await ask("POST", "/multi-search", facets, token)).status, 403);
    assert.equal(api.asked.length, 0);
  });

  test("problems of one query of a multi-search say which query, and are never a missing resource", async () => {
    const { status, body } = await ask("POST", "/multi-search", {
      queries: [{ indexUid: "films" }, { indexUid: "none" }],
    });
    assert.deepEqual([status, body.code], [400, "index_not_found"]);
    assert.match(body.message, /^Inside `\.queries\[1\]`: /);
  });

  test("facet searches pass over keys that belong to searches", async () => {
    const answer = await ask("POST", "/indexes/films/facet-search", { facetName: "a", limit: 3, whatever: true });
    assert.equal(answer.status, 200);
    assert.deepEqual(await refusalOf({}), [400, "missing_facet_search_facet_name"]);
  });

  async function refusalOf(body: unknown): Promise<[number, string]> {
    const answer = await ask("POST", "/indexes/films/facet-search", body);
    return [answer.status, answer.body.code];
  }

  test("a search knows when it arrived, has a uid of its own, and whether its client wants metadata", async () => {
    await ask("POST", "/indexes/films/search", {});
    const first = asked().call;
    await ask("POST", "/indexes/films/search", {}, { "meili-include-metadata": "TRUE" });
    const second = asked().call;
    assert.ok(second.arrivedAt > first.arrivedAt);
    assert.match(first.requestUid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(second.requestUid > first.requestUid || second.requestUid.slice(0, 13) === first.requestUid.slice(0, 13));
    assert.deepEqual([first.includeMetadata, second.includeMetadata], [false, true]);
  });

  /** Runs with readers whose answers can be given again. */
  async function withRepeatableAnswers(uid: string, run: () => Promise<void>): Promise<void> {
    const answer = plainAnswer(answerOf('{"hits":[],"processingTimeMs":', 7, ',"requestUid":"', uid, '"}'));
    const { readers } = api.services;
    api.services.readers = {
      admit: () => {},
      noteGiven: () => {},
      async request(kind, header, payload, request) {
        const reply = await readers.request(kind, header, payload, request);
        return { ...reply, body: answer.body, marks: encodeVolatileSpans(answer) };
      },
    };
    try {
      await run();
    } finally {
      api.services.readers = readers;
    }
  }

  const UID = "11111111-1111-4111-8111-111111111111";

  test("a known answer troubles no reader, until the index changes, and is known only to those who see the same", () =>
    withRepeatableAnswers(UID, async () => {
      const search = (headers = {}) => ask("POST", "/indexes/films/search", { q: "known" }, headers);
      const first = await search();
      const second = await search();
      assert.equal(api.asked.length, 1);
      assert.equal(first.body.requestUid, UID);
      assert.match(second.body.requestUid, /^[0-9a-f-]{36}$/);
      assert.notEqual(second.body.requestUid, UID);
      await search(await tenantToken({ films: { filter: "owner = 1" } }));
      assert.equal(api.asked.length, 2);
      await search({ "meili-include-metadata": "true" });
      assert.equal(api.asked.length, 3);
      api.indexes.set("films", indexNamed("films", { version: 2, contentVersion: 2 }));
      await search();
      assert.equal(api.asked.length, 4);
    }));

  test("the same words in another form find the answer that is known, the same bytes in another role do not", () =>
    withRepeatableAnswers(UID, async () => {
      const path = "/indexes/films/search";
      await ask("POST", path, { q: "form" });
      await ask("POST", path, { limit: 20, q: "form" });
      await ask("GET", `${path}?q=form`);
      await ask("GET", `${path}?q=form`);
      assert.equal(api.asked.length, 1);
      assert.equal((await ask("POST", path, { q: "form" }, { "content-type": "text/plain" })).status, 415);
      await ask("POST", "/indexes/books/search", { q: "form" });
      assert.equal(api.asked.length, 2);
      assert.equal((await ask("POST", "/indexes/none/search", { q: "form" })).status, 404);
    }));

  test("a question that was in order is refused once its flag is off", () =>
    withRepeatableAnswers(UID, async () => {
      const search = () => ask("POST", "/indexes/films/search", { filter: "a CONTAINS b" });
      await ask("PATCH", "/experimental-features", { containsFilter: true });
      await search();
      assert.equal((await search()).status, 200);
      assert.equal(api.asked.length, 1);
      await ask("PATCH", "/experimental-features", { containsFilter: false });
      assert.equal((await search()).body.code, "feature_not_enabled");
    }));
});
