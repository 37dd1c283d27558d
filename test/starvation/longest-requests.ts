/** For every route the longest that it may be asked, and may answer, as far as that is in the hands of a client. A new route has none, and its test fails. */
import type { Json } from "../../src/base/json/value.ts";
import { limits } from "../../src/base/limits.ts";

export interface Asked {
  path: string;
  body?: Json | Buffer;
  /** The answer has no end: it is heard, and left. */
  isStream?: boolean;
}

/** Of heads, which end at 64 KiB: the line of the request, with some room for headers. */
const QUERY_UNITS = 60_000;
/** Bodies of a few values. */
const SHORT_UNITS = limits.shortBodyBytes - 1000;
const SHORT_ITEMS = limits.shortBodyValues - 100;
const SHOWN_UNITS = limits.shownBodyBytes - 10_000;

/** Read by a reader, like all that is longer. */
const REFUSED_UNITS = 300_000;

const FILMS = "/indexes/films";
const DOCUMENTS = `${FILMS}/documents`;
/** A page that holds all there is. */
const ALL = "limit=100000";

const times = <Item>(count: number, item: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i));
const filled = (units: number, item: string, mark = ","): string =>
  item.concat(mark).repeat(Math.floor(units / (item.length + 1)) - 1) + item;
const uids = filled(QUERY_UNITS, "7");
const conditions = (units: number): string[] => times(Math.floor(units / 9), () => "id = 1");
const words = (units: number): string[] => times(Math.floor(units / 1004), (i) => `${i}`.padEnd(1001, "x"));
const long = "é".repeat(SHORT_UNITS / 2);

/** What a list of tasks or batches may be asked. */
const listed = (path: string): Asked[] => [
  { path: `${path}?${ALL}` },
  ...["uids", "batchUids", "canceledBy"].map((name) => ({ path: `${path}?limit=1&${name}=${uids}` })),
  { path: `${path}?limit=1&indexUids=${filled(QUERY_UNITS, "films")}` },
  { path: `${path}?limit=1&statuses=${filled(QUERY_UNITS, "succeeded")}` },
  { path: `${path}?limit=1&types=${filled(QUERY_UNITS, "indexCreation")}` },
];
const followed = (path: string): Asked[] => [{ path: `${path}?uids=${uids}`, isStream: true }];

/** What a search may be asked; each is read by another part of the server, by its length. */
const searched = (path: string, more: { [name: string]: Json } = {}): Asked[] => [
  { path, body: { ...more, filter: conditions(30_000) } },
  { path, body: { ...more, filter: conditions(1_500_000) } },
  { path, body: { ...more, filter: `id IN [${filled(60_000, "1")}]` } },
  { path, body: { ...more, q: "é ".repeat(20_000) } },
];
const named = (path: string): Asked[] => [
  { path: `${path}filter=${encodeURIComponent(filled(QUERY_UNITS / 2, "id=1", " AND ").slice(0, QUERY_UNITS / 3))}1` },
  { path: `${path}attributesToRetrieve=${filled(QUERY_UNITS, "a")}` },
];

const several = (count: number, query: { [name: string]: Json }, federation: Json = null): Asked => ({
  path: "/multi-search",
  body: { federation, queries: times(count, () => ({ indexUid: "films", ...query })) },
});

const documents = (bytes: number): Buffer => {
  const document = `{"id":1,"text":"${"words of it ".repeat(20)}"},`;
  return Buffer.from(`[${document.repeat(Math.floor(bytes / document.length))}{"id":2}]`);
};
const added = (path: string): Asked[] =>
  [1000, 60_000, 200_000, 30_000_000].map((bytes) => ({ path, body: documents(bytes) }));

const key = (indexes: string[]): Json => ({ actions: ["search"], indexes, expiresAt: null });
const network: Json = {
  remotes: Object.fromEntries(times(30, (i) => [`r${i}`, { url: `http://127.0.0.1:1/${"u".repeat(7000)}` }])),
};
const webhook: Json = {
  url: "http://127.0.0.1:1/",
  headers: Object.fromEntries(times(60, (i) => [`h${i}`, "v".repeat(1000)])),
};
const rule: Json = {
  description: "word ".repeat(40_000),
  actions: times(400, (i) => ({
    selector: { indexUid: "films", id: String(i) },
    action: { type: "pin", position: i },
  })),
};

const RULES = "/dynamic-search-rules";
const SPACE = "/chats/{workspace_uid}";

/** By method and path as the table of routes has them. */
const LONGEST: Record<string, Asked[]> = {
  "GET /": [{ path: "/" }],
  "GET /docs": [{ path: "/docs" }],
  "GET /health": [{ path: "/health" }],
  "GET /version": [{ path: "/version" }],
  "GET /openapi.json": [{ path: "/openapi.json" }],
  "GET /stats": [{ path: "/stats" }],
  "GET /metrics": [{ path: "/metrics" }],
  "GET /telemetry": [{ path: "/telemetry" }],
  "GET /indexes": [{ path: `/indexes?${ALL}` }],
  "POST /indexes": [
    { path: "/indexes", body: { uid: "made", primaryKey: long } },
    { path: "/indexes", body: Object.fromEntries(times(SHORT_ITEMS / 2, (i) => [`k${i}`, 1])) },
  ],
  "GET /indexes/{index_uid}": [{ path: FILMS }, { path: `/indexes/${"%61".repeat(QUERY_UNITS / 3)}` }],
  "PATCH /indexes/{index_uid}": [{ path: FILMS, body: { uid: long } }],
  "DELETE /indexes/{index_uid}": [{ path: "/indexes/none" }],
  "POST /swap-indexes": [
    { path: "/swap-indexes", body: times(SHORT_ITEMS / 4, (i) => ({ indexes: [`a${i}`, `b${i}`] })) },
  ],
  "GET /indexes/{index_uid}/stats": [{ path: `${FILMS}/stats` }],
  "POST /indexes/{index_uid}/fields": [
    { path: `${FILMS}/fields`, body: { filter: { attributePatterns: times(SHORT_ITEMS, () => "a*b*c") } } },
  ],
  "POST /indexes/{index_uid}/compact": [{ path: `${FILMS}/compact` }],
  "GET /indexes/{index_uid}/documents": [
    { path: `${DOCUMENTS}?${ALL}` },
    { path: `${DOCUMENTS}?ids=${uids}` },
    { path: `${DOCUMENTS}?sort=${filled(QUERY_UNITS, "id:asc")}` },
    { path: `${DOCUMENTS}?fields=${filled(QUERY_UNITS, "a")}` },
    named(`${DOCUMENTS}?`)[0]!,
  ],
  "POST /indexes/{index_uid}/documents/fetch": [
    { path: `${DOCUMENTS}/fetch`, body: { limit: 100_000 } },
    { path: `${DOCUMENTS}/fetch`, body: { ids: times(8000, String) } },
    { path: `${DOCUMENTS}/fetch`, body: { ids: times(300_000, (i) => i) } },
    { path: `${DOCUMENTS}/fetch`, body: { sort: times(1900, () => "id:asc") } },
  ],
  "GET /indexes/{index_uid}/documents/{document_id}": [
    { path: `${DOCUMENTS}/1?fields=${filled(QUERY_UNITS, "a")}` },
    { path: `${DOCUMENTS}/${"1".repeat(QUERY_UNITS)}` },
  ],
  "POST /indexes/{index_uid}/documents": added("/indexes/added/documents"),
  "PUT /indexes/{index_uid}/documents": added("/indexes/updated/documents"),
  "DELETE /indexes/{index_uid}/documents": [
    { path: `/indexes/none/documents?customMetadata=${"x".repeat(QUERY_UNITS)}` },
  ],
  "DELETE /indexes/{index_uid}/documents/{document_id}": [
    { path: `/indexes/none/documents/${"1".repeat(QUERY_UNITS)}` },
  ],
  "POST /indexes/{index_uid}/documents/delete": [
    { path: `${DOCUMENTS}/delete`, body: { filter: conditions(30_000).map(() => "id = -1") } },
    { path: `${DOCUMENTS}/delete`, body: { filter: words(SHOWN_UNITS).map((word) => `id = ${word}`.slice(0, 1000)) } },
  ],
  "POST /indexes/{index_uid}/documents/delete-batch": [1000, 8000, 30_000, 1_000_000].map((count) => ({
    path: "/indexes/none/documents/delete-batch",
    body: times(count, (i) => i),
  })),
  "POST /indexes/{index_uid}/documents/edit": [
    { path: `${DOCUMENTS}/edit`, body: { function: "let x = 1;".repeat(20_000), filter: "id = -1" } },
    {
      path: `${DOCUMENTS}/edit`,
      body: { function: "doc.x = 1", filter: "id = -1", context: { a: "x".repeat(SHOWN_UNITS) } },
    },
  ],
  "GET /indexes/{index_uid}/search": [
    { path: `${FILMS}/search?${ALL}` },
    { path: `${FILMS}/search?sort=${filled(QUERY_UNITS, "id:asc")}` },
    { path: `${FILMS}/search?vector=${filled(QUERY_UNITS, "1")}&hybridEmbedder=e` },
    { path: `${FILMS}/search?${"q=a&".repeat(QUERY_UNITS / 4)}q=a` },
    ...named(`${FILMS}/search?`),
  ],
  "POST /indexes/{index_uid}/search": [
    { path: `${FILMS}/search`, body: { limit: 100_000 } },
    { path: `${FILMS}/search`, body: { q: "a".repeat(limits.searchBodyBytes - 1000) } },
    {
      path: `${FILMS}/search`,
      body: { attributesToRetrieve: times(2000, () => "a"), attributesToCrop: times(2000, () => "a") },
    },
    { path: `${FILMS}/search`, body: { vector: times(20_000, () => 1), hybrid: { embedder: "e" } } },
    ...searched(`${FILMS}/search`),
  ],
  "POST /indexes/{index_uid}/facet-search": searched(`${FILMS}/facet-search`, { facetName: "title" }),
  "GET /indexes/{index_uid}/similar": named(`${FILMS}/similar?id=1&embedder=e&`),
  "POST /indexes/{index_uid}/similar": [
    { path: `${FILMS}/similar`, body: { id: "1", embedder: "e", limit: 100_000 } },
    ...searched(`${FILMS}/similar`, { id: "1", embedder: "e" }).slice(0, 3),
  ],
  "POST /multi-search": [
    ...[200, 1000, 5000].flatMap((count) => [null, {}].map((federation) => several(count, { q: "film" }, federation))),
    several(5000, { q: "é".repeat(limits.insightQueryUnits), limit: 0 }),
    several(60, { indexUid: "meant", q: "film", hybrid: { embedder: "e" } }),
    several(5000, { indexUid: "meant", q: "film", hybrid: { embedder: "e" } }),
  ],
  "GET /tasks": listed("/tasks"),
  "DELETE /tasks": [{ path: `/tasks?uids=${uids}&statuses=canceled` }],
  "POST /tasks/cancel": [{ path: "/tasks/cancel?statuses=*" }, { path: `/tasks/cancel?uids=${uids}` }],
  "POST /tasks/compact": [{ path: "/tasks/compact" }],
  "GET /tasks/stream": followed("/tasks/stream"),
  "GET /tasks/{task_id}": [{ path: "/tasks/0" }],
  "GET /tasks/{task_id}/documents": [{ path: "/tasks/0/documents" }],
  "GET /batches": listed("/batches"),
  "GET /batches/stream": followed("/batches/stream"),
  "GET /batches/{batch_id}": [{ path: "/batches/0" }],
  "GET /keys": [{ path: `/keys?${ALL}` }],
  "POST /keys": [
    { path: "/keys", body: key(times(SHORT_ITEMS, (i) => `index-${i}-${"x".repeat(30)}`)) },
    { path: "/keys", body: { ...(key(["*"]) as object), description: long } },
    { path: "/keys", body: { ...(key(["*"]) as object), actions: times(SHORT_ITEMS, () => "search") } },
  ],
  "GET /keys/{key}": [{ path: `/keys/${"a".repeat(QUERY_UNITS)}` }],
  "PATCH /keys/{key}": [{ path: `/keys/${"a".repeat(64)}`, body: { description: long } }],
  "DELETE /keys/{key}": [{ path: `/keys/${"a".repeat(QUERY_UNITS)}` }],
  "POST /dumps": [{ path: "/dumps" }],
  "POST /snapshots": [{ path: "/snapshots" }],
  "POST /events": [{ path: "/events", body: { eventType: "click", indexUid: "films", query: long } }],
  "POST /logs/stream": [{ path: "/logs/stream", body: { target: filled(SHORT_UNITS, "a=info"), mode: "human" } }],
  "DELETE /logs/stream": [{ path: "/logs/stream" }],
  "POST /logs/stderr": [{ path: "/logs/stderr", body: { target: filled(SHORT_UNITS, "a=info") } }],
  "GET /experimental-features": [{ path: "/experimental-features" }],
  "PATCH /experimental-features": [
    { path: "/experimental-features", body: Object.fromEntries(times(SHORT_ITEMS / 2, (i) => [`k${i}`, true])) },
  ],
  "POST /export": [
    {
      path: "/export",
      body: { url: "http://127.0.0.1:1", indexes: Object.fromEntries(times(100_000, (i) => [`i${i}`, {}])) },
    },
  ],
  "GET /network": [{ path: "/network" }],
  "PATCH /network": [{ path: "/network", body: network }],
  "POST /network/control": [{ path: "/network/control" }],
  "POST /webhooks": [{ path: "/webhooks", body: webhook }],
  "GET /webhooks": [{ path: "/webhooks" }],
  "GET /webhooks/{uuid}": [{ path: `/webhooks/${"a".repeat(QUERY_UNITS)}` }],
  "PATCH /webhooks/{uuid}": [{ path: "/webhooks/00000000-0000-4000-8000-000000000000", body: webhook }],
  "DELETE /webhooks/{uuid}": [{ path: `/webhooks/${"a".repeat(QUERY_UNITS)}` }],
  "GET /chats": [{ path: `/chats?${ALL}` }],
  [`GET ${SPACE}`]: [{ path: "/chats/space" }],
  [`DELETE ${SPACE}`]: [{ path: "/chats/none" }],
  [`GET ${SPACE}/settings`]: [{ path: "/chats/space/settings" }],
  [`PATCH ${SPACE}/settings`]: [{ path: "/chats/other/settings", body: { prompts: { system: long } } }],
  [`DELETE ${SPACE}/settings`]: [{ path: "/chats/none/settings" }],
  [`POST ${SPACE}/chat/completions`]: [
    times(1500, () => ({ role: "user", content: "x".repeat(1200) })),
    [{ role: "user", content: "é".repeat(900_000) }],
  ].map((messages) => ({ path: "/chats/space/chat/completions", body: { model: "m", stream: true, messages } })),
  [`POST ${RULES}`]: [
    { path: RULES, body: { limit: 100_000 } },
    { path: RULES, body: { limit: 1, filter: { query: "word ".repeat(SHORT_UNITS / 5) } } },
  ],
  [`DELETE ${RULES}`]: [{ path: RULES }],
  [`GET ${RULES}/{uid}`]: [{ path: `${RULES}/rule` }],
  [`PATCH ${RULES}/{uid}`]: [{ path: `${RULES}/rule`, body: rule }],
  [`DELETE ${RULES}/{uid}`]: [{ path: `${RULES}/rule` }],
  "POST /render-template": [
    {
      path: "/render-template",
      body: {
        template: { kind: "inlineDocumentTemplate", inline: "{{doc.a}}".repeat(7000) },
        input: { kind: "inlineDocument", inline: { a: "x".repeat(limits.talkBodyBytes - 100_000) } },
      },
    },
  ],
};

const SETTINGS = /^(GET|PUT|PATCH|DELETE) \/indexes\/\{index_uid\}(\/settings(?:\/[a-z-]+)?)$/;
const COUNTED = /^GET \/analytics\/\{index_uid\}\/([a-z-]+)$/;

/** Empty for a route that nobody has thought about. */
export function longestOf(method: string, path: string): Asked[] {
  const name = `${method} ${path}`;
  const [, settingMethod, setting] = SETTINGS.exec(name) ?? [];
  if (setting !== undefined) {
    const units = setting.endsWith("/settings") || setting.endsWith("/stop-words") ? SHOWN_UNITS : REFUSED_UNITS;
    const body = settingMethod === "GET" || settingMethod === "DELETE" ? undefined : words(units);
    return [{ path: `/indexes/${settingMethod === "GET" ? "worded" : "none"}${setting}`, ...(body && { body }) }];
  }
  const [, counted] = COUNTED.exec(name) ?? [];
  if (counted !== undefined) return [{ path: `/analytics/films/${counted}?${ALL}` }];
  return Object.hasOwn(LONGEST, name) ? LONGEST[name]! : [];
}
