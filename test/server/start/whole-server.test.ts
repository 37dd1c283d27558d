import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { until } from "../../lib/patience.ts";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

const start = (directory: string): Promise<TestServer> => TestServer.start({ directory, args: ["--readers", "1"] });

test("documents survive a stop by signal and a kill", { timeout: 180_000 }, async () => {
  const directory = temporaryDirectory();
  const first = await start(directory);
  const documents = "/indexes/movies/documents";
  const total = async (server: TestServer): Promise<number> =>
    (await server.request<{ total: number }>("GET", `${documents}?limit=0`)).body.total;
  assert.equal((await first.write("POST", documents, [{ id: 1 }, { id: 2 }])).status, "succeeded");
  const large = [{ id: 3, text: "word ".repeat(60_000) }];
  assert.equal((await first.write("POST", documents, large)).status, "succeeded");
  assert.equal(await first.stop(), 0);

  const second = await start(directory);
  assert.equal(await total(second), 3);
  const acknowledged = await second.request<{ taskUid: number }>("POST", documents, [{ id: 4 }]);
  await second.kill();

  const third = await start(directory);
  assert.equal((await third.waitTask(acknowledged.body.taskUid)).status, "succeeded");
  assert.equal(await total(third), 4);
  assert.equal(await third.stop(), 0);
});

test("a server whose database another one has taken for itself ends and says why", { timeout: 180_000 }, async () => {
  const directory = temporaryDirectory();
  const robbed = await start(directory);
  await robbed.write("POST", "/indexes/movies/documents", [{ id: 1 }]);
  for (const file of ["owner.mdb", "owner.mdb-lock"]) rmSync(join(directory, "db", file));
  const other = await start(directory);
  assert.equal((await other.write("POST", "/indexes/movies/documents", [{ id: 2 }])).status, "succeeded");
  const refused = await robbed.request("POST", "/indexes/movies/documents", [{ id: 3 }]).catch(() => null);
  assert.notEqual(refused?.status, 202);
  await until(
    () => /another server has written to the store/.test(robbed.output),
    () => robbed.output,
  );
  assert.notEqual(await robbed.stop(), 0);
  assert.equal((await other.write("POST", "/indexes/movies/documents", [{ id: 4 }])).status, "succeeded");
  assert.equal((await other.request("GET", "/indexes/movies/documents/3")).status, 404);
  await other.dispose();
});

test("refusals of the threads behind the front arrive as such", { timeout: 180_000 }, async () => {
  const server = await start(temporaryDirectory());
  const missing = await server.request<{ code: string }>("GET", "/indexes/nope/documents/1");
  assert.deepEqual([missing.status, missing.body.code], [404, "index_not_found"]);
  for (const body of ["[{", `[${'{"id":1},'.repeat(50_000)}`]) {
    const refused = await server.request<{ code: string }>("POST", "/indexes/movies/documents", body);
    assert.deepEqual([refused.status, refused.body.code], [400, "malformed_payload"]);
  }
  assert.equal(await server.stop(), 0);
});
