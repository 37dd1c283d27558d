/** The page as it is served: by whom it is seen, how large it is, how it is guarded and kept. No browser needed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TestServer } from "../lib/server.ts";

/** Compressed, all files together. */
const BYTES_MAX = 60_000;
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** What the document asks for. */
function filesIn(document: string): string[] {
  return [...document.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
}

describe("the page as it is served", { timeout: 180_000 }, () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ key: "a key that is not needed here" });
  });
  after(async () => {
    await server.stop();
    await server.dispose();
  });
  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.base + path, { headers });

  test("needs no key, runs no code but its own, and is small", async () => {
    const answer = await get("/", HTML);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|script-src|style-src|connect-src/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    const document = await answer.text();
    assert.doesNotMatch(document, /<style|<script(?![^>]* src=)|\son\w+=|style=/);
    let bytes = document.length;
    for (const file of filesIn(document)) {
      const answer = await get(file, { "accept-encoding": "br" });
      assert.equal(answer.status, 200, file);
      assert.match(answer.headers.get("cache-control") ?? "", /immutable/);
      assert.equal(answer.headers.get("content-encoding"), "br");
      bytes += Number(answer.headers.get("content-length"));
    }
    assert.ok(bytes > 10_000 && bytes <= BYTES_MAX, `${bytes} bytes`);
  });

  test("every coding gives the same bytes", async () => {
    for (const file of ["/", ...filesIn(await (await get("/", HTML)).text())]) {
      const texts = ["identity", "gzip", "br", "gzip, deflate, br"].map(async (coding) =>
        (await get(file, { ...HTML, "accept-encoding": coding })).text(),
      );
      const [plain, ...coded] = await Promise.all(texts);
      for (const text of coded) assert.equal(text, plain, file);
    }
  });

  test("what a browser has, it is not sent again", async () => {
    const first = await get("/", HTML);
    await first.text();
    const etag = first.headers.get("etag") ?? "";
    const again = await get("/", { ...HTML, "if-none-match": `"other", ${etag}` });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), "");
    assert.equal((await get("/", { ...HTML, "if-none-match": '"other"' })).status, 200);
  });

  test("files that are not part of it are not there", async () => {
    for (const name of ["nothing.js", "..%2f..%2fpackage.json", "index.html.br", "index.html", ""]) {
      assert.equal((await get(`/page/${name}`)).status, 404, name);
    }
  });
});

const RUNS = { status: "Meilisearch is running" };

test("--no-dashboard turns it off", { timeout: 180_000 }, async () => {
  const server = await TestServer.start({ args: ["--no-dashboard"] });
  assert.deepEqual((await server.request("GET", "/", undefined, HTML)).body, RUNS);
  for (const path of ["/page/index", "/docs", "/docs/readme"]) {
    assert.equal((await server.request("GET", path)).status, 404, path);
  }
  await server.stop();
  await server.dispose();
});

test("in production browsers see it, and programs what they always saw", { timeout: 180_000 }, async () => {
  const server = await TestServer.start({ key: "a key for production", args: ["--env", "production"] });
  assert.deepEqual((await server.request("GET", "/")).body, RUNS);
  assert.match(String((await server.request("GET", "/", undefined, HTML)).body), /<!doctype html>/);
  await server.stop();
  await server.dispose();
});
