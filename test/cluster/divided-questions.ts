/** Documents, and questions of all kinds about them, for servers that must answer alike. */
import fc from "fast-check";
import type { JsonObject } from "../../src/base/json/value.ts";
import { doc } from "../engine/rank/questions.ts";
import type { TestServer } from "../lib/server.ts";
import { ask } from "./cluster.ts";

export interface Question {
  method: string;
  url: string;
  body?: JsonObject;
}

/** On a busy machine a search that is late would be cut short, and be another one. */
const PATIENT = { searchCutoffMs: 100_000 };

export const SETTINGS: JsonObject = {
  ...PATIENT,
  filterableAttributes: ["tags", "price", "n", "kind", "_geo"],
  sortableAttributes: ["price", "n", "_geo"],
  searchableAttributes: ["title", "body"],
  synonyms: { fox: ["red house"], sun: ["flower"] },
  faceting: { maxValuesPerFacet: 4, sortFacetValuesBy: { kind: "count" } },
  embedders: { own: { source: "userProvided", dimensions: 3 } },
};

const coordinate = fc.constantFrom(0, 0.00001, 0.5, 10);
/** So many that hardly any two are equally near: of those, `distinct` in parts may show another one. */
const vector = fc.array(
  fc.integer({ min: -10_000, max: 10_000 }).map((number) => number / 10_000),
  { minLength: 3, maxLength: 3 },
);
const extra = fc.record({
  kind: fc.constantFrom("Apple", "apple", "APPLE", "pear", "Pear", "quince", "fig", "date"),
  _geo: fc.option(fc.record({ lat: coordinate, lng: coordinate }), { nil: null }),
  meta: fc.constantFrom<JsonObject>({}, { a: 1 }, { b: { c: "fox" } }),
  vector: fc.option(vector, { nil: null }),
});

/** Ids begin with `first`. */
export function documents(count: number, first = 0): JsonObject[] {
  return fc.sample(fc.tuple(doc, extra), count).map(([own, { _geo, kind, meta, vector: numbers }], i) => ({
    id: first + i,
    n: (i * 7) % 5,
    ...own,
    kind,
    meta,
    ...(_geo === null ? {} : { _geo: { ..._geo } }),
    _vectors: { own: numbers },
  }));
}

const words = fc.constantFrom(
  ...[
    "",
    "fox",
    "red fox",
    "sun flower",
    "sunflowr",
    "su",
    "light",
    '"red fox"',
    "summer house",
    "fox -red",
    "the a fox",
  ],
);
const filter = fc.constantFrom<string | null>(null, null, "tags = x", "price > 1", "n IN [1, 2] AND tags != y");
const sort = fc.constantFrom<string[] | null>(
  null,
  null,
  ["price:asc"],
  ["n:desc", "price:asc"],
  ["_geoPoint(0,0):asc"],
);
const facets = fc.constantFrom<string[] | null>(null, ["*"], ["kind", "price"], ["tags", "n"]);
const place = fc.constantFrom<JsonObject>({}, { limit: 3 }, { offset: 2, limit: 5 }, { page: 2, hitsPerPage: 4 });
const hybrid = fc.option(
  fc.record({ semanticRatio: fc.constantFrom(0.3, 0.7, 1), vector }).map(({ semanticRatio, vector: numbers }) => ({
    hybrid: { embedder: "own", semanticRatio },
    vector: numbers,
  })),
  { nil: null, freq: 3 },
);
const look = fc.constantFrom<JsonObject>(
  {},
  { attributesToHighlight: ["*"] },
  { attributesToRetrieve: ["id", "meta.a", "meta.b.c"], attributesToHighlight: ["meta.b"] },
  { attributesToCrop: ["body"], cropLength: 5, showMatchesPosition: true },
  { attributesToRetrieve: ["id", "title"], showRankingScore: true, showRankingScoreDetails: true },
  { retrieveVectors: true, showRankingScore: true },
);

const search = fc
  .record({
    q: words,
    filter,
    sort,
    facets,
    place,
    look,
    hybrid,
    distinct: fc.constantFrom(null, null, null, "kind", "tags"),
    rankingScoreThreshold: fc.constantFrom(null, null, null, 0.5),
    matchingStrategy: fc.constantFrom("last", "all", "frequency"),
    attributesToSearchOn: fc.constantFrom<string[] | null>(null, null, null, ["title"]),
  })
  .map(({ hybrid: byMeaning, look: shown, place: where, ...query }): JsonObject => {
    return { ...query, ...shown, ...where, ...(byMeaning ?? {}) };
  });

const facetSearch = fc
  .record({
    facetName: fc.constantFrom("kind", "tags"),
    facetQuery: fc.constantFrom("", "a", "pea", "aple"),
    q: words,
    filter,
  })
  .map(({ facetQuery, ...query }): JsonObject => ({ ...query, ...(facetQuery === "" ? {} : { facetQuery }) }));

const fetched = fc.record({ filter, sort, limit: fc.constantFrom(3, 20), offset: fc.constantFrom(0, 4) });

/** Several of a search make one request, federated or not. */
function several(uid: string, isFederated: boolean): fc.Arbitrary<Question> {
  const federation = fc.constantFrom<JsonObject>({}, { limit: 4, offset: 2 }, { facetsByIndex: { [uid]: ["kind"] } });
  return fc.tuple(fc.array(search, { minLength: 2, maxLength: 3 }), federation).map(([queries, merged]): Question => {
    const own = queries.map(({ facets: _, hitsPerPage: __, limit: ___, offset: ____, page: _____, ...query }) => ({
      indexUid: uid,
      ...query,
    }));
    const plain = queries.map((query) => ({ indexUid: uid, ...query }));
    const body: JsonObject = isFederated ? { queries: own, federation: merged } : { queries: plain };
    return { method: "POST", url: "/multi-search", body };
  });
}

function question(uid: string): fc.Arbitrary<Question> {
  const index = `/indexes/${uid}`;
  const post =
    (url: string) =>
    (body: JsonObject): Question => ({ method: "POST", url: `${index}/${url}`, body });
  return fc.oneof(
    { weight: 8, arbitrary: search.map(post("search")) },
    { weight: 2, arbitrary: several(uid, false) },
    { weight: 2, arbitrary: several(uid, true) },
    { weight: 2, arbitrary: facetSearch.map(post("facet-search")) },
    { weight: 1, arbitrary: fetched.map(post("documents/fetch")) },
    {
      weight: 1,
      arbitrary: fc
        .nat(60)
        .map((id): Question => ({ method: "GET", url: `${index}/documents/${id}?fields=id,title,meta.a` })),
    },
    {
      weight: 1,
      arbitrary: fc
        .record({ id: fc.nat(60), filter, limit: fc.constantFrom(3, 20), offset: fc.constantFrom(0, 2) })
        .map((body) => post("similar")({ embedder: "own", showRankingScore: true, ...body })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Question>(
        { method: "POST", url: `${index}/fields`, body: {} },
        post("search")({ filter: "nothing = 1" }),
        post("search")({ facets: ["none"] }),
        post("search")({ attributesToSearchOn: ["none"] }),
        post("search")({ q: "fox", sort: ["body:asc"] }),
        post("documents/fetch")({ ids: [3, 5, 999] }),
      ),
    },
  );
}

export function questions(uid: string, count: number): Question[] {
  return fc.sample(question(uid), count);
}

/** An answer without what is never the same twice. */
export async function answerTo(server: TestServer, { body, method, url }: Question): Promise<unknown> {
  const answer = await ask(server, method, url, body);
  return { status: answer.status, body: withoutTimes(answer.body) };
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== "processingTimeMs" && name !== "requestUid");
  return Object.fromEntries(members.map(([name, member]) => [name, withoutTimes(member)]));
}
