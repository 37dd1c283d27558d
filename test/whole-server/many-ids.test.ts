/** A deletion of so many ids that they lie in a file of their own: it waits, moves and is done like any other. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { limits } from "../../src/base/limits.ts";
import { heldEmbedder } from "../lib/held-embedder.ts";
import { LOOPBACK } from "../lib/network.ts";
import { until } from "../lib/patience.ts";
import { type Task, TestServer } from "../lib/server.ts";

const DELETED = [1, ...Array.from({ length: 20_000 }, (_, i) => `none-${i}`), "2"];
assert.ok(JSON.stringify(DELETED).length > limits.inlinePayloadBytes);

const payloadsOf = (server: TestServer): string[] => readdirSync(path.join(server.directory, "db", "payloads"));

async function left(server: TestServer): Promise<unknown[]> {
  const { body } = await server.request<{ results: { id: number }[] }>("GET", "/indexes/a/documents?fields=id");
  return body.results.map(({ id }) => id);
}

test("a deletion of many ids outlives a kill, and goes with dumps and snapshots", async () => {
  const embedder = await heldEmbedder();
  const servers: TestServer[] = [];
  const start = async (options: Parameters<typeof TestServer.start>[0] = {}): Promise<TestServer> => {
    const server = await TestServer.start({ ...options, args: [...LOOPBACK, ...(options.args ?? [])] });
    servers.push(server);
    return server;
  };
  try {
    const server = await start();
    await server.write("POST", "/indexes/a/documents", [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await server.request("PATCH", "/indexes/a/settings", { embedders: { e: embedder.settings } });
    const deletion = await server.request<{ taskUid: number }>("POST", "/indexes/a/documents/delete-batch", DELETED);
    assert.equal(deletion.status, 202, JSON.stringify(deletion.body));
    const uid = deletion.body.taskUid;
    const waiting = await server.request<Task>("GET", `/tasks/${uid}`);
    assert.equal(waiting.body.status, "enqueued");
    assert.equal(waiting.body.details?.["providedIds"], DELETED.length);
    assert.equal(payloadsOf(server).length, 1);
    const dumped = await server.write("POST", "/dumps");
    await server.write("POST", "/snapshots");
    await server.kill();

    const dump = path.join(server.directory, "dumps", `${dumped.details?.["dumpUid"]}.dump`);
    const snapshot = path.join(server.directory, "snapshots", "db.snapshot");
    await start({ directory: server.directory });
    await start({ args: ["--import-dump", dump] });
    await start({ args: ["--import-snapshot", snapshot] });
    embedder.letGo();
    for (const one of servers.slice(1)) {
      const done = await one.waitTask(uid);
      assert.equal(done.status, "succeeded", JSON.stringify(done));
      assert.deepEqual(done.details, { providedIds: DELETED.length, deletedDocuments: 2, originalFilter: null });
      assert.deepEqual(await left(one), [3]);
      await until(
        () => payloadsOf(one).length === 0,
        () => `its file is still there: ${payloadsOf(one)}`,
      );
    }
  } finally {
    embedder.close();
    for (const server of servers) await server.dispose();
  }
});

test("ids that are no list are refused, and a damaged file fails its task alone", async () => {
  const embedder = await heldEmbedder();
  const server = await TestServer.start({ args: LOOPBACK });
  try {
    const wrong = JSON.stringify({ ids: DELETED });
    const refused = await server.request<{ message: string }>("POST", "/indexes/a/documents/delete-batch", wrong);
    assert.equal(refused.status, 400);
    assert.match(refused.body.message, /expected an array, found an object/);
    const cut = await server.request<{ code: string }>("POST", "/indexes/a/documents/delete-batch", wrong.slice(0, -1));
    assert.equal(cut.body.code, "malformed_payload");
    assert.deepEqual(payloadsOf(server), []);

    await server.write("POST", "/indexes/a/documents", [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await server.request("PATCH", "/indexes/a/settings", { embedders: { e: embedder.settings } });
    const deletion = await server.request<{ taskUid: number }>("POST", "/indexes/a/documents/delete-batch", DELETED);
    const other = await server.request<{ taskUid: number }>("POST", "/indexes/a/documents/delete-batch", [3]);
    const [name] = payloadsOf(server);
    writeFileSync(path.join(server.directory, "db", "payloads", name!), "[1,2]");
    embedder.letGo();
    const failed = await server.waitTask(deletion.body.taskUid);
    assert.equal(failed.status, "failed");
    assert.equal((await server.waitTask(other.body.taskUid)).status, "succeeded");
    assert.deepEqual(await left(server), [1, 2]);
  } finally {
    embedder.close();
    await server.dispose();
  }
});
