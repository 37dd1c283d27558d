import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

test("a damaged store is named at the start; --recover serves what is whole, and keeps the rest", {
  timeout: 240_000,
}, async () => {
  const directory = temporaryDirectory();
  let server = await TestServer.start({ directory, key: "a master key of many bytes" });
  await server.write("PATCH", "/indexes/books/settings", { filterableAttributes: ["year"] });
  await server.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma", year: 1815 }]);
  await server.write("POST", "/indexes/films/documents", [{ id: 1, title: "Metropolis" }]);
  assert.equal(await server.stop(), 0);

  const store = path.join(directory, "db", "store");
  const file = path.join(store, "data.mdb");
  const bytes = readFileSync(file);
  bytes[24]! ^= 0x10;
  writeFileSync(file, bytes);
  rmSync(path.join(directory, "db", "VERSION"));
  const start = (args: string[]) => TestServer.start({ directory, key: "a master key of many bytes", args });
  await assert.rejects(start([]), /no file VERSION.*--recover/);
  writeFileSync(path.join(directory, "db", "VERSION"), "0.1.0");
  await assert.rejects(start([]), /store.data\.mdb` is damaged: page 0 does not begin as it must.*--recover/);

  server = await start(["--recover"]);
  assert.match(server.output, /the store is made of what was whole/);
  const found = await server.request<{ hits: unknown[] }>("POST", "/indexes/books/search", { filter: "year = 1815" });
  assert.equal(found.body.hits.length, 1);
  const films = await server.request<{ total: number }>("GET", "/indexes/films/documents");
  assert.equal(films.body.total, 1);
  assert.equal((await server.request<{ total: number }>("GET", "/tasks")).body.total, 3);
  assert.equal((await server.write("POST", "/indexes/films/documents", [{ id: 2 }])).status, "succeeded");
  assert.ok(readdirSync(path.dirname(store)).some((name) => name.startsWith("store.damaged-")));
  assert.equal(await server.stop(), 0);
  server = await start([]);
  assert.equal((await server.request<{ total: number }>("GET", "/indexes/films/documents")).body.total, 2);
  await server.dispose();
});
