/** Answers of a real server against the shapes that `base/contract/routes.ts` promises: a tour of every route that answers at once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Value } from "typebox/value";
import { ROUTES, type Route } from "../../src/base/contract/routes.ts";
import { TestServer } from "../lib/server.ts";

let server: TestServer;
const toured = new Set<Route>();

before(async () => {
  server = await TestServer.start({
    key: "a master key for tests",
    args: ["--experimental-enable-metrics", "--analytics-local"],
  });
});
after(() => server.dispose());

function routeOf(method: string, url: string): Route {
  const path = url.split("?")[0]!.split("/");
  const fits = ({ path: pattern }: Route): boolean => {
    const words = pattern.split("/");
    return words.length === path.length && words.every((word, i) => word.startsWith("{") || word === path[i]);
  };
  const found = ROUTES.filter((route) => route.method === method && fits(route));
  // Fixed words win over parameters.
  found.sort((a, b) => a.path.split("{").length - b.path.split("{").length);
  assert.ok(found[0], `${method} ${url} is no route`);
  return found[0];
}

async function ask(method: string, url: string, body?: unknown): Promise<unknown> {
  const route = routeOf(method, url);
  const answer = await server.request(method, url, body);
  const said = `${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 2000)}`;
  assert.equal(answer.status, route.status, said);
  toured.add(route);
  if (route.answer === undefined || route.answerTypes !== undefined) return answer.body;
  const [problem] = Value.Errors(route.answer, answer.body);
  assert.equal(problem, undefined, `${said}\n${JSON.stringify(problem)}`);
  return answer.body;
}

async function write(method: string, url: string, body?: unknown): Promise<void> {
  const { taskUid } = (await ask(method, url, body)) as { taskUid: number };
  const task = await server.waitTask(taskUid);
  assert.equal(task.status, "succeeded", JSON.stringify(task));
}

const BOOKS = [
  {
    id: 1,
    title: "Emma",
    author: "Jane Austen",
    year: 1815,
    _geo: { lat: 51.1, lng: -0.9 },
    _vectors: { own: [1, 0] },
  },
  { id: 2, title: "Middlemarch", author: "George Eliot", year: 1871, _vectors: { own: [0.9, 0.2] } },
  { id: 3, title: "Persuasion", author: "Jane Austen", year: null, tags: [], _vectors: { own: [0, 1] } },
];

const FEATURES = {
  metrics: true,
  containsFilter: true,
  editDocumentsByFunction: true,
  network: true,
  chatCompletions: true,
  multimodal: true,
  vectorStoreSetting: true,
  dynamicSearchRules: true,
  renderRoute: true,
  foreignKeys: true,
  taskQueueCompactionRoute: true,
};

test("the instance answers as promised", async () => {
  await ask("GET", "/health");
  await ask("GET", "/version");
  await ask("GET", "/openapi.json");
  const known = (await ask("GET", "/experimental-features")) as Record<string, boolean>;
  const wanted = Object.fromEntries(Object.entries(FEATURES).filter(([name]) => name in known));
  await ask("PATCH", "/experimental-features", wanted);
  await ask("GET", "/telemetry");
  await ask("GET", "/metrics");
  await ask("GET", "/network");
  await ask("PATCH", "/network", { self: "here", remotes: { there: { url: "http://192.0.2.1:7700" } } });
});

test("keys and webhooks answer as promised", async () => {
  const key = { name: "n", description: null, actions: ["search"], indexes: ["*"], expiresAt: null };
  const { uid } = (await ask("POST", "/keys", key)) as { uid: string };
  await ask("GET", "/keys");
  await ask("GET", `/keys/${uid}`);
  await ask("PATCH", `/keys/${uid}`, { name: "m" });
  await ask("DELETE", `/keys/${uid}`);
  const { uuid } = (await ask("POST", "/webhooks", { url: "http://192.0.2.1/", headers: { a: "b" } })) as {
    uuid: string;
  };
  await ask("GET", "/webhooks");
  await ask("GET", `/webhooks/${uuid}`);
  await ask("PATCH", `/webhooks/${uuid}`, { headers: { a: null } });
  await ask("DELETE", `/webhooks/${uuid}`);
});

test("writes, tasks and batches answer as promised", async () => {
  await write("POST", "/indexes", { uid: "books", primaryKey: "id" });
  const embedders = { own: { source: "userProvided", dimensions: 2 } };
  await write("PATCH", "/indexes/books/settings", {
    filterableAttributes: ["author", "year", "_geo"],
    sortableAttributes: ["year", "_geo"],
    embedders,
  });
  await write("POST", "/indexes/books/documents", BOOKS);
  await write("PUT", "/indexes/books/documents", [{ id: 2, pages: 800 }]);
  await write("POST", "/indexes/books/documents", [{ id: 9, title: "gone", _vectors: { own: null } }]);
  await write("DELETE", "/indexes/books/documents/9");
  await write("POST", "/indexes/books/documents/delete-batch", [77]);
  await write("POST", "/indexes/books/documents/delete", { filter: "year = 1" });
  await write("PATCH", "/indexes/books", { primaryKey: "id" });
  const tasks = (await ask("GET", "/tasks?limit=3")) as { results: { uid: number }[] };
  await ask("GET", `/tasks/${tasks.results[0]!.uid}`);
  await ask("GET", "/tasks?statuses=failed&limit=2");
  await ask("GET", "/batches?limit=3");
  await ask("GET", "/batches/0");
  await ask("POST", "/tasks/compact");
  await ask("GET", "/indexes");
  await ask("GET", "/indexes/books");
  await ask("GET", "/stats");
  await ask("GET", "/indexes/books/stats");
  await ask("POST", "/indexes/books/fields", {});
});

test("settings answer as promised", async () => {
  for (const route of ROUTES) {
    if (route.method === "GET" && route.path.startsWith("/indexes/{index_uid}/settings")) {
      await ask("GET", route.path.replace("{index_uid}", "books"));
    }
  }
});

test("documents and searches answer as promised", async () => {
  await ask("GET", "/indexes/books/documents?limit=2&retrieveVectors=true");
  await ask("GET", "/indexes/books/documents/1");
  await ask("POST", "/indexes/books/documents/fetch", { filter: "year > 1800", sort: ["year:desc"] });
  await ask("GET", "/indexes/books/search?q=emma&showRankingScore=true");
  await ask("POST", "/indexes/books/search", {
    q: "austen",
    facets: ["*"],
    attributesToHighlight: ["*"],
    showMatchesPosition: true,
    showRankingScoreDetails: true,
    sort: ["_geoPoint(51,0):asc"],
    hitsPerPage: 2,
  });
  await ask("POST", "/indexes/books/search", {
    q: "emma",
    vector: [1, 0],
    hybrid: { embedder: "own", semanticRatio: 0.5 },
    retrieveVectors: true,
    showPerformanceDetails: true,
  });
  await ask("POST", "/indexes/books/facet-search", { facetName: "author", facetQuery: "jane" });
  await ask("GET", "/indexes/books/similar?id=1&embedder=own");
  await ask("POST", "/indexes/books/similar", { id: 1, embedder: "own", limit: 1 });
  await ask("POST", "/multi-search", { queries: [{ indexUid: "books", q: "emma" }] });
  await ask("POST", "/multi-search", {
    federation: { facetsByIndex: { books: ["author"] } },
    queries: [{ indexUid: "books", q: "emma" }],
  });
});

test("what is counted of searches answers as promised", async () => {
  const click = { eventType: "click", indexUid: "books", query: "emma", documentId: "1", position: 1 };
  await ask("POST", "/events", click);
  for (const what of ["queries", "no-hits", "slow", "clicks", "days"]) await ask("GET", `/analytics/books/${what}`);
});

test("the tour leaves out no route but those that only enqueue, or take another server", () => {
  const isTold = ({ answerTypes, makesTask, status }: Route): boolean =>
    answerTypes === undefined && makesTask !== true && status !== 202;
  const left = ROUTES.filter((route) => !toured.has(route) && isTold(route));
  const elsewhere =
    /^\/(?:chats|dynamic-search-rules|render-template|logs|dumps|snapshots|export|network\/control|)(?:\/|$)/;
  assert.deepEqual(
    left.filter(({ path }) => !elsewhere.test(path)).map(({ method, path }) => `${method} ${path}`),
    [],
  );
});
