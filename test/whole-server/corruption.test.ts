import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { TestServer } from "../lib/server.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

test("one flipped byte in a segment is found at start and named; the other index is served", {
  timeout: 180_000,
}, async () => {
  const directory = temporaryDirectory();
  let server = await TestServer.start({ directory });
  const documents = Array.from({ length: 200 }, (_, id) => ({
    id,
    title: `title ${id} of many`,
    year: 1900 + (id % 100),
  }));
  await server.write("PATCH", "/indexes/damaged/settings", { filterableAttributes: ["year"] });
  await server.write("POST", "/indexes/damaged/documents", documents);
  await server.write("POST", "/indexes/sound/documents", documents);
  assert.equal(await server.stop(), 0);

  const folder = path.join(directory, "db", "indexes", "0");
  const file = path.join(folder, readdirSync(folder)[0]!);
  const bytes = readFileSync(file);
  for (const share of [0, 0.003, 0.02, 0.2, 0.5, 0.8, 0.999]) {
    const damaged = Buffer.from(bytes);
    damaged[Math.floor(share * bytes.length)]! ^= 0x10;
    writeFileSync(file, damaged);
    server = await TestServer.start({ directory });
    const refused = await server.request<{ code: string; message: string }>("GET", "/indexes/damaged/documents");
    assert.equal(refused.status, 500);
    assert.match(refused.body.message, /\.seg/);
    const served = await server.request<{ total: number }>("GET", "/indexes/sound/documents");
    assert.equal(served.body.total, documents.length);
    const written = await server.write("POST", "/indexes/damaged/documents", [{ id: 1 }]);
    assert.equal(written.status, "failed");
    assert.equal(await server.stop(), 0);
  }

  writeFileSync(file, bytes);
  server = await TestServer.start({ directory });
  const healed = await server.request<{ total: number }>("GET", "/indexes/damaged/documents?filter=year%20%3D%201950");
  assert.equal(healed.body.total, 2);
  await server.dispose();
});

test("damaged bodies of a large index are found while it is served, before anything is written", {
  timeout: 180_000,
}, async () => {
  const directory = temporaryDirectory();
  let server = await TestServer.start({ directory });
  const text = "of no interest ".repeat(100);
  for (let first = 0; first < 12_000; first += 3000) {
    const documents = Array.from({ length: 3000 }, (_, i) => ({ id: first + i, text }));
    assert.equal((await server.write("POST", "/indexes/large/documents", documents)).status, "succeeded");
  }
  assert.equal(await server.stop(), 0);
  const folder = path.join(directory, "db", "indexes", "0");
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(path.join(folder, name));
    bytes[bytes.length - 1000]! ^= 1;
    writeFileSync(path.join(folder, name), bytes);
  }
  server = await TestServer.start({ directory });
  const written = await server.write("PUT", "/indexes/large/documents", [{ id: 1, more: true }]);
  assert.equal(written.status, "failed");
  assert.match(written.error!.message, /\.seg is damaged/);
  const refused = await server.request<{ message: string }>("POST", "/indexes/large/search", { q: "interest" });
  assert.equal(refused.status, 500);
  assert.match(refused.body.message, /\.seg is damaged/);
  await server.dispose();
});
