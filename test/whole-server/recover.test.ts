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
  const version = readFileSync(path.join(directory, "db", "VERSION"));
  rmSync(path.join(directory, "db", "VERSION"));
  const start = (args: string[]) => TestServer.start({ directory, key: "a master key of many bytes", args });
  await assert.rejects(start([]), /no file VERSION.*--recover/);
  writeFileSync(path.join(directory, "db", "VERSION"), version);
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

for (const damage of ["flipped", "missing"] as const) {
  test(`a segment that is ${damage}: --recover takes it out of its index, and says what is lost`, {
    timeout: 240_000,
  }, async () => {
    const directory = temporaryDirectory();
    let server = await TestServer.start({ directory });
    const books = Array.from({ length: 30 }, (_, id) => ({ id, title: `title ${id}` }));
    await server.write("PATCH", "/indexes/books/settings", { filterableAttributes: ["year"] });
    await server.write("POST", "/indexes/books/documents", books.slice(0, 20));
    await server.write("POST", "/indexes/films/documents", [{ id: 1, title: "Metropolis" }]);
    assert.equal(await server.stop(), 0);
    const folder = path.join(directory, "db", "indexes", "0");
    const first = readdirSync(folder);
    assert.equal(first.length, 1);
    const file = path.join(folder, first[0]!);
    const whole = readFileSync(file);
    server = await TestServer.start({ directory });
    // One of the first twenty lies in the second segment now.
    const second = [...books.slice(19).map((book) => ({ ...book, year: 1900 }))];
    await server.write("POST", "/indexes/books/documents", second);
    assert.equal(await server.stop(), 0);
    assert.equal(readdirSync(folder).length, 2, "the segments were merged");
    if (damage === "missing") rmSync(file);
    else {
      whole[whole.length >> 1]! ^= 4;
      writeFileSync(file, whole);
    }
    server = await TestServer.start({ directory });
    const refused = await server.request<{ message: string }>("POST", "/indexes/books/search", { q: "title" });
    assert.equal(refused.status, 500);
    assert.match(refused.body.message, new RegExp(first[0]!));
    assert.equal(await server.stop(), 0);

    server = await TestServer.start({ directory, args: ["--recover"] });
    assert.match(server.output, /documents of an index are lost index="books" lost=19 left=11/);
    assert.equal(
      readdirSync(path.join(directory, "db")).some((name) => name.startsWith("lost-")),
      damage === "flipped",
    );
    for (let start = 0; start < 2; start++) {
      const found = await server.request<{ results: unknown[] }>("GET", "/indexes/books/documents?limit=100");
      assert.deepEqual(found.body.results, second);
      const stats = await server.request<object>("GET", "/indexes/books/stats");
      const { numberOfDocuments, fieldDistribution } = stats.body as Record<string, unknown>;
      assert.equal(numberOfDocuments, 11);
      assert.deepEqual(fieldDistribution, { id: 11, title: 11, year: 11 });
      const films = await server.request<{ total: number }>("GET", "/indexes/films/documents");
      assert.equal(films.body.total, 1);
      if (start === 0) {
        assert.equal(await server.stop(), 0);
        server = await TestServer.start({ directory });
        assert.doesNotMatch(server.output, /lost/);
      }
    }
    await server.write("POST", "/indexes/books/documents", books.slice(0, 19));
    const all = await server.request<{ hits: unknown[] }>("POST", "/indexes/books/search", { q: "title", limit: 100 });
    assert.equal(all.body.hits.length, 30);
    await server.dispose();
  });
}
