/**
 * Every route × every kind of credential, over HTTP: each is let in or refused as the rows say, and who sees one index never
 * reads the name of another. The interface: "Protected routes (every route except `/health`) require an `Authorization` request
 * header"; the page at `/` shows nothing by itself.
 */
import assert from "node:assert/strict";
import http from "node:http";
import test, { after, before } from "node:test";
import { Insight } from "../../src/base/insight/insight.ts";
import type { KeyRing } from "../../src/engine/auth/keys.ts";
import { allRoutes } from "../../src/server/front/routes/all.ts";
import { temporaryDirectory } from "../lib/temporary.ts";
import { type Api, indexNamed, startApi } from "../server/front/services.ts";
import { type Credential, commonCredentials, credentialsFor, MASTER, OTHER, OWN, tenantToken } from "./credentials.ts";
import { ROW_NAMES, type Row, rowOf } from "./rows.ts";

interface Reply {
  status: number;
  text: string;
}

interface Case {
  method: string;
  /** With its parameters. */
  path: string;
  row: Row;
  index: string | null;
  credential: Credential;
}

const AT_ONCE = 16;
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
let api: Api;
let ring: KeyRing;

before(async () => {
  api = await startApi("node", MASTER);
  ring = api.services.keys!;
  for (const uid of [OWN, OTHER]) {
    api.indexes.set(uid, indexNamed(uid));
    await api.tasks.enqueue({ type: "indexUpdate", primaryKey: null, newIndexUid: null }, uid);
  }
  const swaps = [{ indexes: [OWN, OTHER] as [string, string], rename: false }];
  await api.tasks.enqueue({ type: "indexSwap", swaps }, null);
});

after(async () => {
  agent.destroy();
  await api.stop();
});

/** The path is sent as it is. */
function send(method: string, path: string, headers: Record<string, string>, body = ""): Promise<Reply> {
  const { port } = new URL(api.base);
  const fields = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: "127.0.0.1", port, method, path, headers: fields }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
        // Nothing follows by itself.
        if (response.headers["content-type"] === "text/event-stream") request.destroy();
      });
      response.on("close", () => resolve({ status: response.statusCode!, text }));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function eachOf<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

const PARAMS: Record<string, string> = { task_id: "1", batch_id: "0", document_id: "1", uuid: "x", uid: "x", key: "x" };

function pathOf(pattern: string, index: string | null): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => (name === "index_uid" ? index! : (PARAMS[name] ?? "x")));
}

const table = () => allRoutes(api.services).map(({ method, path }) => ({ method, path, row: rowOf(method, path) }));

function verdict({ status, text }: Reply): "in" | "unknown" | "refused" {
  if (status === 401 && text.includes("missing_authorization_header")) return "unknown";
  if (status === 403 && text.includes("invalid_api_key")) return "refused";
  return "in";
}

function expected({ row, index, credential }: Case): "in" | "unknown" | "refused" {
  if (row.reach === "open") return "in";
  if (credential.may === null) return "unknown";
  return credential.may(row, index) ? "in" : "refused";
}

test("every route has a row, and every row a route", () => {
  const missing = table().filter(({ row }) => row === null);
  assert.deepEqual(
    missing.map(({ method, path }) => `${method} ${path}`),
    [],
  );
  const served = new Set(table().map(({ method, path }) => `${method} ${path}`));
  assert.deepEqual(
    ROW_NAMES.filter((name) => !served.has(name)),
    [],
  );
});

// Authentication 1: "Protected routes (every route except `/health`) require an `Authorization` request header carrying a valid
// API key". The page at `/`, which shows nothing, is open too.
test("every route lets in whom it should, and tells nobody of what is not his", { timeout: 180_000 }, async (t) => {
  const common = await commonCredentials(ring);
  const byActions = new Map<string, Credential[]>();
  const cases: Case[] = [];
  for (const { method, path, row } of table()) {
    if (row === null) continue;
    const name = `${row.reach} ${row.actions.join()}`;
    if (!byActions.has(name)) byActions.set(name, await credentialsFor(ring, row));
    const indexes = path.includes("{index_uid}") ? [OWN, OTHER] : [null];
    for (const index of indexes) {
      for (const credential of [...common, ...byActions.get(name)!]) {
        cases.push({ method, path: pathOf(path, index), row, index, credential });
      }
    }
  }
  const openings: string[] = [];
  await eachOf(cases, async (each) => {
    const { method, path, credential, index } = each;
    const reply = await send(method, path, credential.headers, method === "GET" ? "" : "{}");
    const said = `${method} ${path} with ${credential.name}: ${reply.status} ${reply.text.slice(0, 200)}`;
    if (verdict(reply) !== expected(each)) openings.push(`${expected(each)} expected: ${said}`);
    // What the caller named himself may be named in the answer.
    if (credential.isNarrow && index !== OTHER && reply.text.includes(OTHER))
      openings.push(`names another index: ${said}`);
    if (reply.text.includes(MASTER)) openings.push(`tells the master key: ${said}`);
  });
  assert.deepEqual(openings, []);
  t.diagnostic(`${cases.length} requests, ${openings.length} openings`);
});

test("indexes named in a body, not in the path, are asked for as well", async () => {
  const query = { indexUid: OTHER, q: "" };
  const render = { kind: "documentTemplate", indexUid: OTHER, embedder: "x" };
  const named: [string, string, unknown][] = [
    ["POST", "/indexes", { uid: OTHER }],
    ["PATCH", `/indexes/${OWN}`, { uid: OTHER }],
    ["POST", "/swap-indexes", [{ indexes: [OWN, OTHER] }]],
    ["POST", "/swap-indexes", [{ indexes: [OTHER, OWN], rename: true }]],
    ["POST", "/multi-search", { queries: [{ indexUid: OWN }, query] }],
    ["POST", "/multi-search", { federation: {}, queries: [query] }],
    ["POST", "/multi-search", { federation: { facetsByIndex: { [OTHER]: ["a"] } }, queries: [{ indexUid: OWN }] }],
    ["POST", "/events", { eventType: "click", indexUid: OTHER, query: "", documentId: "1", position: 0 }],
    ["POST", "/render-template", { template: render, input: null }],
    [
      "POST",
      "/render-template",
      {
        template: { kind: "inlineDocumentTemplate", inline: "" },
        input: { kind: "indexDocument", indexUid: OTHER, id: 1 },
      },
    ],
  ];
  await api.services.features.update({ renderRoute: true });
  const insight = new Insight({ folder: temporaryDirectory(), log: api.services.log });
  api.services.insight = insight;
  const make = async (indexes: string[]) => {
    const record = await ring.create({
      uid: null,
      name: null,
      description: null,
      actions: ["*"],
      indexes,
      expiresAt: null,
    });
    return { uid: record.uid, value: ring.valueOf(record) };
  };
  const narrow = (await make([OWN])).value;
  const wide = await make(["*"]);
  const tenant = tenantToken(wide, { searchRules: [OWN] });
  for (const [method, path, body] of named) {
    const as = (token: string) => send(method, path, { authorization: `Bearer ${token}` }, JSON.stringify(body));
    const said = `${method} ${path} ${JSON.stringify(body)}`;
    assert.equal(verdict(await as(narrow)), "refused", said);
    assert.equal(verdict(await as(tenant)), "refused", said);
    assert.equal(verdict(await as(wide.value)), "in", said);
  }
  await insight.stop();
});

test("no spelling of a path leads around its row", async () => {
  const record = await ring.create({
    uid: null,
    name: null,
    description: null,
    actions: ["*"],
    indexes: [OWN],
    expiresAt: null,
  });
  const headers = { authorization: `Bearer ${ring.valueOf(record)}` };
  const encoded = [...OTHER].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  for (const path of [
    `/indexes/${encoded}/documents`,
    `//indexes//${OTHER}//documents/`,
    `/indexes/${OWN}/../${OTHER}/documents`,
    `/indexes/${OWN}%2f..%2f${OTHER}/documents`,
    `/indexes/${OWN}/..%2f${OTHER}/documents`,
    `/indexes/${OTHER}%00/documents`,
    `/indexes/${OWN},${OTHER}/documents`,
    `/indexes/*/documents`,
    `/indexes/${OTHER}/documents?index_uid=${OWN}`,
    "/keys/",
    "//keys",
    "/%6beys",
    "/./keys",
    `/indexes/${OWN}/../../keys`,
  ]) {
    api.asked.length = 0;
    const { status, text } = await send("GET", path, headers);
    assert.ok(status === 403 || status === 404, `${path}: ${status} ${text}`);
    const asked = api.asked.map(({ header }) => JSON.stringify(header));
    assert.ok(!asked.some((header) => header.includes(`"indexUid":"${OTHER}"`)), path);
  }
});

test("methods that a path does not have are not let in", async () => {
  const known = new Set(table().map(({ method, path }) => `${method} ${path}`));
  const paths = [...new Set(table().map(({ path }) => path))];
  const others = paths.flatMap((path) =>
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE", "PROPFIND"]
      .filter((method) => !known.has(`${method} ${path}`))
      .map((method) => ({ method, path })),
  );
  await eachOf(others, async ({ method, path }) => {
    const { status } = await send(method, pathOf(path, OWN), { authorization: `Bearer ${MASTER}` });
    assert.ok(status === 405 || status === 400, `${method} ${path}: ${status}`);
  });
});

test("without a master key all is open but the keys", async (t) => {
  const open = await startApi("node");
  t.after(() => open.stop());
  open.indexes.set(OWN, indexNamed(OWN));
  for (const { method, path } of table().filter(({ path }) => path.startsWith("/keys") || path === "/stats")) {
    const both: Record<string, string>[] = [{}, { authorization: `Bearer ${MASTER}` }];
    for (const headers of both) {
      const { status, body } = await open.call(method, pathOf(path, OWN), method === "GET" ? undefined : {}, headers);
      if (path === "/stats") assert.equal(status, 200);
      else assert.deepEqual([status, body.code], [401, "missing_master_key"], `${method} ${path}`);
    }
  }
});
