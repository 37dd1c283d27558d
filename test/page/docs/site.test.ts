/** The documentation as it is served under `/docs`: every page is there, every link on each leads somewhere, nobody else is asked. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { TestServer } from "../../lib/server.ts";

const DOCS = new URL("../../../docs/", import.meta.url);
/** In the build, all files together. */
const BYTES_MAX = 1_000_000;

/** The addresses of all pages, by the names of their sources. */
function addresses(): string[] {
  const sources = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const own = sources.map((file) => `/docs/${file.replace(/\.md$/, "")}`.replace(/\/README$/, ""));
  return [...own, "/docs/readme", "/docs/changelog"].sort();
}

function attributes(document: string, name: string): string[] {
  return [...document.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map((match) => match[1]!);
}

describe("the documentation as it is served", { timeout: 180_000 }, () => {
  let server: TestServer;
  /** Texts by address. */
  const documents = new Map<string, string>();
  before(async () => {
    server = await TestServer.start({ key: "a key that is not needed here" });
  });
  after(async () => {
    await server.stop();
    await server.dispose();
  });
  const get = (address: string, headers: Record<string, string> = {}) => fetch(server.base + address, { headers });

  test("every page is there without a key, under the policy of the page", async () => {
    const page = await get("/", { accept: "text/html" });
    await page.text();
    const policy = page.headers.get("content-security-policy");
    for (const address of addresses()) {
      const answer = await get(address);
      assert.equal(answer.status, 200, address);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
      assert.equal(answer.headers.get("content-security-policy"), policy);
      assert.equal(answer.headers.get("cache-control"), "no-cache");
      const text = await answer.text();
      assert.doesNotMatch(text, /<style|<script(?![^>]* src=)|<[^>]+\s(?:on\w+|style)=/, address);
      documents.set(address, text);
    }
  });

  test("every link leads to a page and a place that are there, and every page can be reached", async () => {
    const reached = new Set(["/docs"]);
    const broken: string[] = [];
    for (const address of reached) {
      const document = documents.get(address)!;
      for (const target of attributes(document, "href")) {
        const { origin, pathname, hash } = new URL(target, server.base + address);
        if (origin !== server.base || !pathname.startsWith("/docs") || /\.\w+$/.test(pathname)) continue;
        const place = decodeURIComponent(hash.slice(1));
        const other = documents.get(pathname);
        if (other === undefined || (place !== "" && !attributes(other, "id").includes(place))) {
          broken.push(`${address}: ${target}`);
        }
        if (other !== undefined) reached.add(pathname);
      }
    }
    assert.deepEqual(broken, []);
    assert.deepEqual([...reached].sort(), addresses());
  });

  test("what pages need is there, lasts, and is the same in every coding", async () => {
    const files = new Set([...documents.values()].flatMap((text) => attributes(text, "(?:src|href|data-sections)")));
    const needed = [...files].filter((file) => /^\/docs\/.*\.\w+$/.test(file));
    const kinds = new Set(needed.map((file) => file.split(".").at(-1)));
    assert.deepEqual([...kinds].sort(), ["css", "js", "json", "png", "svg"]);
    for (const file of [...needed, "/docs/reference/routes"]) {
      const plain = await get(file, { "accept-encoding": "identity" });
      assert.equal(plain.status, 200, file);
      const bytes = Buffer.from(await plain.arrayBuffer());
      for (const coding of ["gzip", "br"]) {
        const coded = await get(file, { "accept-encoding": coding });
        assert.equal(coded.headers.get("content-encoding"), coding);
        assert.ok(bytes.equals(Buffer.from(await coded.arrayBuffer())), `${file} in ${coding}`);
      }
      assert.match(plain.headers.get("cache-control") ?? "", file.includes(".") ? /immutable/ : /no-cache/);
    }
  });

  test("every section can be found", async () => {
    const [source] = attributes(documents.get("/docs")!, "data-sections");
    const pages = (await (await get(source!)).json()) as [string, string, [string, string, string][]][];
    assert.deepEqual(pages.map(([address]) => address).sort(), addresses());
    for (const [address, , sections] of pages) {
      const places = attributes(documents.get(address)!, "id");
      for (const [, place] of sections) assert.ok(places.includes(place), `${address}#${place}`);
    }
  });

  test("what is no part of it is not there", async () => {
    for (const address of [
      "/docs/nothing",
      "/docs/index.html.br",
      "/docs/..%2fpackage.json",
      "/docs/reference/.stamp",
    ]) {
      assert.equal((await get(address)).status, 404, address);
    }
  });

  test("it is small", () => {
    const folder = new URL("../../../dist/docs/", import.meta.url);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length > 40);
    const bytes = files.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
    assert.ok(bytes < BYTES_MAX, `${bytes} bytes`);
  });
});
