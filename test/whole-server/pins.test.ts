import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { TestServer } from "../lib/server.ts";

interface Found {
  hits: { id: string; _federation?: { indexUid: string; queriesPosition: number } }[];
  estimatedTotalHits: number;
  totalHits: number;
  facetDistribution: Record<string, Record<string, number>>;
  results: Found[];
}

const FILMS = [
  { id: "river", title: "The silent river", kind: "drama" },
  { id: "stars", title: "River of stars", kind: "space" },
  { id: "dust", title: "Stars and dust", kind: "space" },
  { id: "quiet", title: "Quiet dust", kind: "drama" },
];
const BOOKS = [{ id: "bank", title: "The river bank", kind: "nature" }];

let server: TestServer;

before(async () => {
  server = await TestServer.start();
  for (const [uid, documents] of Object.entries({ films: FILMS, books: BOOKS })) {
    await server.write("PATCH", `/indexes/${uid}/settings`, { filterableAttributes: ["kind"] });
    await server.write("POST", `/indexes/${uid}/documents`, documents);
  }
  await flag(true);
});

after(() => server.dispose());

async function flag(dynamicSearchRules: boolean): Promise<void> {
  await server.request("PATCH", "/experimental-features", { dynamicSearchRules });
}

/** Replaces all rules by one. */
async function onlyRule(conditions: unknown, pins: [id: string, position: number, indexUid?: string][]): Promise<void> {
  await server.write("DELETE", "/dynamic-search-rules");
  const actions = pins.map(([id, position, indexUid]) => ({
    selector: { id, ...(indexUid === undefined ? {} : { indexUid }) },
    action: { type: "pin", position },
  }));
  const task = await server.write("PATCH", "/dynamic-search-rules/only", { conditions, actions });
  assert.equal(task.status, "succeeded");
}

async function find(body: unknown, path = "/indexes/films/search"): Promise<Found> {
  const answer = await server.request<Found>("POST", path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const idsOf = ({ hits }: Found): string[] => hits.map(({ id }) => id);

test("the words of a rule may be of a language whose dictionary nobody has needed yet", async () => {
  await onlyRule({ query: { words: "すもも" } }, [["dust", 0]]);
  assert.deepEqual(idsOf(await find({ q: "すもももももももものうち" })), ["dust"]);
  assert.deepEqual(idsOf(await find({ q: "もももすも" })), []);
});

test("a rule pins documents that miss the query but not those that miss the filter", async () => {
  await onlyRule({ query: { words: "stars" } }, [
    ["quiet", 0],
    ["river", 1],
  ]);
  const all = await find({ q: "stars", facets: ["kind"] });
  assert.deepEqual(idsOf(all).slice(0, 2), ["quiet", "river"]);
  assert.deepEqual(new Set(idsOf(all).slice(2)), new Set(["stars", "dust"]));
  assert.equal(all.estimatedTotalHits, 4);
  assert.deepEqual(all.facetDistribution, { kind: { drama: 2, space: 2 } });
  const filtered = await find({ q: "stars", filter: "kind = space" });
  assert.deepEqual(new Set(idsOf(filtered)), new Set(["stars", "dust"]));
  assert.deepEqual(idsOf(await find({ q: "river" })).includes("quiet"), false);
});

test("pages are cut out of the list with the pins in it", async () => {
  await onlyRule({}, [
    ["quiet", 0],
    ["river", 20],
  ]);
  const whole = idsOf(await find({}));
  assert.deepEqual(whole, ["quiet", "stars", "dust", "river"]);
  for (const page of [1, 2, 3, 4, 5]) {
    const found = await find({ page, hitsPerPage: 1 });
    assert.deepEqual(idsOf(found), whole.slice(page - 1, page));
    assert.equal(found.totalHits, 4);
  }
  assert.deepEqual(idsOf(await find({ offset: 2, limit: 2 })), whole.slice(2));
});

test("of several searches each gets its own pins", async () => {
  await onlyRule({ query: { words: "dust" } }, [["bank", 0]]);
  const queries = [
    { indexUid: "films", q: "dust" },
    { indexUid: "books", q: "dust" },
    { indexUid: "books", q: "nothing" },
  ];
  const { results } = await find({ queries }, "/multi-search");
  assert.deepEqual(
    results.map((each) => [...idsOf(each)].sort()),
    [["dust", "quiet"], ["bank"], []],
  );
});

test("pins stand at their places of a merged list, each once", async () => {
  await onlyRule({ query: { words: "river" } }, [
    ["dust", 1, "films"],
    ["river", 0, "films"],
  ]);
  const queries = [
    { indexUid: "films", q: "river" },
    { indexUid: "films", q: "silent" },
    { indexUid: "books", q: "river" },
  ];
  const federation = { facetsByIndex: { films: ["kind"] } };
  const found = await find({ queries, federation }, "/multi-search");
  assert.deepEqual(idsOf(found).slice(0, 2), ["river", "dust"]);
  assert.deepEqual([...idsOf(found)].sort(), ["bank", "dust", "river", "stars"]);
  assert.equal(found.estimatedTotalHits, 4);
  assert.equal(found.hits[1]!._federation!.queriesPosition, 0);
  const second = await find({ queries, federation: { offset: 1, limit: 1 } }, "/multi-search");
  assert.deepEqual(idsOf(second), ["dust"]);
});

test("without the flag no rule applies, and a rule that was removed does not either", async () => {
  await onlyRule({}, [["quiet", 0]]);
  assert.equal(idsOf(await find({}))[0], "quiet");
  await flag(false);
  assert.equal(idsOf(await find({}))[0], "river");
  await flag(true);
  assert.equal(idsOf(await find({}))[0], "quiet");
  await server.write("DELETE", "/dynamic-search-rules/only");
  assert.equal(idsOf(await find({}))[0], "river");
});

test("the details of a pinned document name its place instead of rules", async () => {
  await onlyRule({}, [
    ["quiet", 0],
    ["dust", 5],
  ]);
  const { hits } = await find({ q: "river bed", showRankingScoreDetails: true, showRankingScore: true });
  const details = hits.map((hit) => (hit as { _rankingScoreDetails?: object })._rankingScoreDetails ?? {});
  assert.deepEqual(details[0], { pin: { order: 0, position: 0 } });
  assert.deepEqual(details.at(-1), { pin: { order: 0, position: 5 } });
  assert.ok(Object.hasOwn(details[1]!, "words"));
});
