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

// The interface, localized attribute object, locales: "empty array = auto-detect for the matched attributes"
test("attributes without locales are found as if nothing was said about them", async () => {
  await written("PATCH", "/settings", { localizedAttributes: [{ attributePatterns: ["*"], locales: [] }] });
  await written("POST", "/documents", [
    { id: 1, title: "the quick fox" },
    { id: 2, title: "関西国際空港" },
    { id: 3, title: "สวัสดีครับ" },
  ]);
  for (const [q, id] of Object.entries({ quick: 1, 国際: 2, สวัสดี: 3 })) assert.deepEqual(await found({ q }), [id], q);
});

// The interface, localized attribute object: `locales` and `attributePatterns` both have the default `[]`, and so has the list of them
test("what a localized attribute leaves out is an empty list", async () => {
  const shown = async () => (await server.request("GET", `${index}/settings/localized-attributes`)).body;
  await written("PUT", "/settings/localized-attributes", [{ locales: ["fra"] }, { attributePatterns: ["title"] }]);
  assert.deepEqual(await shown(), [
    { attributePatterns: [], locales: ["fra"] },
    { attributePatterns: ["title"], locales: [] },
  ]);
  await written("DELETE", "/settings/localized-attributes");
  assert.deepEqual(await shown(), []);
});

// The interface, facetDistribution: "only for requested facets; empty facets omitted"
test("a facet that no document found has a value of is left out", async () => {
  await written("PATCH", "/settings", { filterableAttributes: ["kind", "owner"] });
  await written("POST", "/documents", [
    { id: 1, kind: "cat" },
    { id: 2, owner: { name: "jean" } },
  ]);
  const facetsOf = async (query: object) => {
    const { body } = await server.request<{ facetDistribution: object }>("POST", `${index}/search`, query);
    return body.facetDistribution;
  };
  assert.deepEqual(await facetsOf({ facets: ["kind"], filter: "owner.name = jean" }), {});
  assert.deepEqual(await facetsOf({ facets: ["kind", "owner"] }), { kind: { cat: 1 }, "owner.name": { jean: 1 } });
});

// The interface, filterable attribute object: reserved fields "when set as filterable they ignore `features` and get all features",
// "never by wildcard patterns such as `_*`"
test("a reserved field is filterable by its name in a rule, never by a pattern", async () => {
  const rule = (pattern: string) => ({ attributePatterns: [pattern], features: { filter: { equality: false } } });
  await written("POST", "/documents", [{ id: 1, _geo: { lat: 1, lng: 1 } }, { id: 2 }]);
  await written("PATCH", "/settings", { filterableAttributes: [rule("_geo")] });
  const filter = "_geoRadius(1, 1, 1000)";
  assert.deepEqual(await found({ filter }), [1]);
  await written("PATCH", "/settings", { filterableAttributes: [rule("_*")] });
  const { body } = await server.request<{ code: string }>("POST", `${index}/search`, { filter });
  assert.equal(body.code, "invalid_search_filter");
});

// The interface, statistics of an index: `avgDocumentSize`
test("documents do not grow on average when others are deleted", async () => {
  const idOf = (place: number): number => 1000 + place;
  const documents = Array.from({ length: 1000 }, (_, i) => ({ id: idOf(i), text: "x".repeat(200) }));
  const stats = async () =>
    (await server.request<{ avgDocumentSize: number; rawDocumentDbSize: number }>("GET", `${index}/stats`)).body;
  await written("POST", "/documents", documents);
  const before = await stats();
  await written(
    "POST",
    "/documents/delete-batch",
    Array.from({ length: 800 }, (_, i) => idOf(i)),
  );
  const after = await stats();
  // But for a page that is not full.
  const most = before.avgDocumentSize + 4096 / 197;
  assert.ok(after.avgDocumentSize <= most, `${before.avgDocumentSize} ${after.avgDocumentSize}`);
  assert.ok(after.rawDocumentDbSize < before.rawDocumentDbSize / 4);
  for (const place of [800, 801, 802]) await written("DELETE", `/documents/${idOf(place)}`);
  assert.ok((await stats()).avgDocumentSize <= most);
  await written("DELETE", "/documents");
  assert.equal((await stats()).avgDocumentSize, 0);
});
