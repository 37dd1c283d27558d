/** Every route, asked the longest it may be, of a server that has much to tell: the front works for a few milliseconds at a time. */
import assert from "node:assert/strict";
import http from "node:http";
import test, { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { FEATURE_NAMES } from "../../src/base/contract/features.ts";
import { ROUTES } from "../../src/base/contract/routes.ts";
import { FrontTurns } from "../lib/front-turns.ts";
import { LOOPBACK } from "../lib/network.ts";
import { until } from "../lib/patience.ts";
import { type Asked, longestOf } from "./longest-requests.ts";

/** It is to be 5. The same work takes up to twice as long where neighbours fill the caches and the core. */
const FRONT_MS_MAX = 10;
/** What happens by chance (code that is compiled, garbage that is collected) does not happen every time. */
const TIMES = 24;
/** What is left to do when a request is answered: a task that ends, a helper that is done. */
const AFTER_MS = 30;
const PIECE_BYTES = 256 * 1024;
const KEY = "a master key of it";
const INDEXES = 200;
const LANES = 16;

let turns: FrontTurns;

before(async () => {
  turns = await FrontTurns.start({ key: KEY, args: [...LOOPBACK, "--analytics-local"] });
  const { server } = turns;
  const all = Object.fromEntries(FEATURE_NAMES.map((name) => [name, true]));
  await server.request("PATCH", "/experimental-features", { ...all, dynamicSearchRules: false, foreignKeys: false });
  const documents = Array.from({ length: 2000 }, (_, id) => ({
    id,
    title: `film ${id}`,
    text: "words of the sea ".repeat(100),
    _vectors: { e: [id % 7, id % 11, 1] },
  }));
  await server.write("PATCH", "/indexes/films/settings", {
    filterableAttributes: ["id", "title"],
    sortableAttributes: ["id"],
    embedders: { e: { source: "userProvided", dimensions: 3 } },
    pagination: { maxTotalHits: 10_000 },
  });
  await server.write("POST", "/indexes/films/documents", documents);
  const nobody = { source: "rest", url: "http://127.0.0.1:1/", request: "{{text}}", response: "{{embedding}}" };
  await server.write("PATCH", "/indexes/meant/settings", { embedders: { e: { ...nobody, dimensions: 3 } } });
  const words = Array.from({ length: 5000 }, (_, i) => `${i}`.padEnd(1001, "x"));
  await server.write("PATCH", "/indexes/worded/settings", { dictionary: words, synonyms: { a: words.slice(0, 2000) } });
  const longKey = { actions: ["search"], indexes: Array.from({ length: 4900 }, (_, i) => `i${i}-${"x".repeat(30)}`) };
  let next = 0;
  const drive = async (): Promise<void> => {
    for (let i = next++; i < INDEXES; i = next++) {
      await server.request("POST", "/indexes", { uid: `index-${i}-${"x".repeat(100)}` });
      await server.request("POST", "/keys", {
        ...longKey,
        expiresAt: null,
        ...(i < INDEXES - 20 && { indexes: ["*"] }),
      });
      await server.request("PATCH", `/chats/space${i === 0 ? "" : i}/settings`, {
        source: "vLlm",
        baseUrl: "http://127.0.0.1:1",
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, drive));
  await idle();
});
after(() => turns.server.dispose());

/** No task waits or runs. */
async function idle(): Promise<void> {
  await until(
    async () => {
      const path = "/tasks?statuses=enqueued,processing&limit=1";
      return (await turns.server.request<{ total: number }>("GET", path)).body.total === 0;
    },
    () => "tasks do not end",
  );
}

/** A long body piece by piece: the next one when the front has come round. All at once, the system would hold it and the front take it in one go. */
async function ask(method: string, { path, body, isStream = false }: Asked): Promise<number> {
  const bytes = body === undefined ? null : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const length = bytes === null ? {} : { "content-type": "application/json", "content-length": String(bytes.length) };
  const headers = { authorization: `Bearer ${KEY}`, ...length };
  const request = http.request(turns.server.base + path, { method, headers, agent: false });
  const answered = new Promise<number>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      if (isStream) response.once("data", () => resolve(response.statusCode ?? 0));
      else response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", () => {});
      response.resume();
    });
  });
  for (let at = 0; bytes !== null && at < bytes.length; at += PIECE_BYTES) {
    request.write(bytes.subarray(at, at + PIECE_BYTES));
    if (bytes.length > PIECE_BYTES) await turns.server.request("GET", "/health");
  }
  request.end();
  const status = await answered;
  request.destroy();
  return status;
}

function told({ path, body }: Asked): string {
  const shown = Buffer.isBuffer(body) ? `${body.length} bytes` : (JSON.stringify(body) ?? "");
  return `${path.slice(0, 80)} ${shown.slice(0, 80)}`;
}

for (const { method, path } of ROUTES) {
  test(`${method} ${path}`, async () => {
    const longest = longestOf(method, path);
    assert.ok(longest.length > 0, "nobody has said what the longest request of this route is");
    for (const asked of longest) {
      const seen: number[] = [];
      let status = 0;
      while (seen.length < TIMES && !seen.some((ms) => ms < FRONT_MS_MAX)) {
        const ms = await turns.longestMs(async () => {
          status = await ask(method, asked);
          await pause(AFTER_MS);
        });
        seen.push(Math.round(ms * 100) / 100);
        await idle();
      }
      assert.ok(status >= 200 && status < 500, `${told(asked)}: ${status}`);
      assert.ok(Math.min(...seen) < FRONT_MS_MAX, `${told(asked)}: ${status}, the front worked ${seen} ms`);
    }
  });
}
