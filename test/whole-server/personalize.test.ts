/**
 * Answers in the order of a person. The interface: "Needs the server option personalization key, else `feature_not_enabled`. Calls an
 * external rerank HTTP API with (user context + q) and the hits' JSON; on search deadline returns unpersonalised hits", and the codes there.
 */
import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { fill, introduce, startServer, things } from "../lib/network.ts";
import { TestServer } from "../lib/server.ts";

interface Asked {
  model: string;
  query: string;
  documents: string[];
  top_n: number;
}

interface Body {
  hits: { id: number }[];
  results: { hits: { id: number }[] }[];
  code: string;
}

let service: Server;
let server: TestServer;
let plain: TestServer;
let asked: { body: Asked; authorization: string | undefined }[] = [];
let reply: (response: ServerResponse, body: Asked) => void;

/** The last shall be first. */
const reversing = (response: ServerResponse, { documents }: Asked): void => {
  response.end(JSON.stringify({ results: documents.map((_, index) => ({ index, relevance_score: index })) }));
};

before(async () => {
  service = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      asked.push({ body, authorization: request.headers.authorization });
      reply(response, body);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/rerank`;
  // The address is the operator's: no private network has to be allowed for it.
  const args = ["--experimental-personalization-url", url, "--experimental-personalization-model", "m"];
  const env = { MEILI_EXPERIMENTAL_PERSONALIZATION_API_KEY: "the key of the service" };
  [server, plain] = await Promise.all([
    TestServer.start({ args: [...args, "--experimental-allowed-ip-networks", "127.0.0.1"], env }),
    startServer(),
  ]);
  await server.request("PATCH", "/experimental-features", { network: true });
  await fill(server, "birds", things(5, 80));
  await fill(plain, "birds", things(6, 80));
});

after(async () => {
  service.closeAllConnections();
  service.close();
  await Promise.all([server.dispose(), plain.dispose()]);
});

const SEARCH = "/indexes/birds/search";
const personalize = { userContext: "likes rivers" };

async function ask(path: string, body: object, status = 200): Promise<Body> {
  asked = [];
  const answer = await server.request<Body>("POST", path, body);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

const ids = ({ hits }: Pick<Body, "hits">): number[] => hits.map(({ id }) => id);

test("without a service it is a feature that is not enabled", async () => {
  for (const [path, body] of [
    [SEARCH, { personalize }],
    ["/multi-search", { queries: [{ indexUid: "birds", personalize }] }],
    ["/multi-search", { federation: { personalize }, queries: [{ indexUid: "birds" }] }],
    [SEARCH, { personalize, useNetwork: true }],
  ] as const) {
    const answer = await plain.request<Body>("POST", path, body);
    assert.deepEqual([answer.status, answer.body.code], [400, "feature_not_enabled"]);
  }
});

test("hits come in the order that the service gives, which is told who asks for what", async () => {
  reply = reversing;
  const query = { q: "grey heron", limit: 6, attributesToHighlight: ["*"], facets: ["colour"] };
  const expected = await ask(SEARCH, query);
  assert.equal(asked.length, 0);
  for (let i = 0; i < 3; i++) {
    const found = await ask(SEARCH, { ...query, personalize });
    assert.deepEqual(ids(found), ids(expected).reverse());
    assert.deepEqual(Object.keys(found), Object.keys(expected));
    assert.equal(asked.length, 1);
  }
  const [{ body, authorization }] = asked as [(typeof asked)[number]];
  assert.equal(authorization, "Bearer the key of the service");
  assert.equal(body.model, "m");
  assert.equal(body.query, "User context: likes rivers\nQuery: grey heron");
  assert.equal(body.top_n, 6);
  assert.deepEqual(
    body.documents.map((document) => (JSON.parse(document) as { id: number }).id),
    ids(expected),
  );
  assert.ok(!body.documents[0]!.includes("_formatted"));
  const viaQuery = await server.request<Body>(
    "GET",
    `${SEARCH}?q=grey%20heron&limit=6&personalizeUserContext=likes%20rivers`,
  );
  assert.deepEqual(ids(viaQuery.body), ids(expected).reverse());
});

test("searches of several queries, merged or not, and of several servers", async () => {
  reply = reversing;
  const queries = [
    { indexUid: "birds", q: "grey" },
    { indexUid: "birds", q: "old", limit: 5 },
  ];
  const expected = await ask("/multi-search", { queries });
  const found = await ask("/multi-search", { queries: [queries[0], { ...queries[1], personalize }] });
  assert.deepEqual(ids(found.results[0]!), ids(expected.results[0]!));
  assert.deepEqual(ids(found.results[1]!), ids(expected.results[1]!).reverse());
  const federated = { queries: queries.map(({ indexUid, q }) => ({ indexUid, q })), federation: { limit: 9 } };
  const merged = await ask("/multi-search", federated);
  const personal = await ask("/multi-search", { ...federated, federation: { limit: 9, personalize } });
  assert.deepEqual(ids(personal), ids(merged).reverse());
  assert.match(asked[0]!.body.query, /Query: grey, old$/);

  await introduce(server, "here", { there: plain.base });
  const wide = await ask(SEARCH, { q: "grey", limit: 8, useNetwork: true });
  const own = await ask(SEARCH, { q: "grey", limit: 8, useNetwork: true, personalize });
  assert.deepEqual(ids(own), ids(wide).reverse());
  const mixed = await ask("/multi-search", {
    queries: [queries[0], { ...queries[0], limit: 8, useNetwork: true, personalize }],
  });
  assert.deepEqual(ids(mixed.results[1]!), ids(wide).reverse());
});

test("a long body too", async () => {
  reply = reversing;
  const filter = `NOT colour IN [${Array.from({ length: 9000 }, (_, i) => `"colour ${i}"`).join(", ")}]`;
  const expected = await ask(SEARCH, { filter, limit: 7 });
  const found = await ask(SEARCH, { filter, limit: 7, personalize });
  assert.deepEqual(ids(found), ids(expected).reverse());
});

test("what the service refuses is told by the codes of the interface", async () => {
  for (const [status, code, answered] of [
    [401, "remote_invalid_api_key", 403],
    [429, "too_many_search_requests", 503],
    [400, "remote_bad_request", 400],
    [500, "remote_remote_error", 502],
    [418, "remote_bad_response", 502],
  ] as const) {
    reply = (response) => response.writeHead(status).end("{}");
    assert.equal((await ask(SEARCH, { personalize }, answered)).code, code);
  }
  reply = (response) => response.end("{}");
  assert.equal((await ask(SEARCH, { personalize }, 502)).code, "remote_bad_response");
  reply = (response) => response.destroy();
  assert.equal((await ask(SEARCH, { personalize }, 502)).code, "remote_could_not_send_request");
});

test("one that takes longer than the search may is not waited for", async () => {
  await server.write("PATCH", "/indexes/birds/settings", { searchCutoffMs: 1000 });
  const expected = await ask(SEARCH, { q: "grey" });
  reply = () => {};
  // No answer ever comes from there.
  const found = await ask(SEARCH, { q: "grey", personalize });
  assert.equal(asked.length, 1);
  assert.deepEqual(ids(found), ids(expected));
});
