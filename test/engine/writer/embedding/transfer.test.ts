import assert from "node:assert/strict";
import path from "node:path";
import test, { after, before } from "node:test";
import { TestServer } from "../../../lib/server.ts";
import type { TestEmbedder } from "./embedder.ts";
import { closeStage, GIVEN, made, openStage, REACH_ALL, succeeded } from "./stage.ts";

let server: TestServer;
let embedder: TestEmbedder;

before(async () => {
  ({ server, embedder } = await openStage({}));
  const it = embedder.settings({ documentTemplate: "{{doc.title}}", dimensions: null });
  await server.write("PATCH", "/indexes/animals/settings", { embedders: { it }, searchCutoffMs: 60_000 });
  await server.write("POST", "/indexes/animals/documents", [
    { id: 1, title: "fox" },
    { id: 2, title: "whale", _vectors: { it: GIVEN, other: [1] } },
    { id: 3, title: "wolf", _vectors: { it: { regenerate: true }, other: [2] } },
    { id: 4, title: "hen", _vectors: { it: null } },
    { id: 5, title: "cow", _vectors: { it: { embeddings: GIVEN, regenerate: true } } },
  ]);
  embedder.takeAsked();
});

after(() => closeStage({ server, embedder }));

async function documents(from: TestServer): Promise<unknown> {
  const { body } = await from.request("GET", "/indexes/animals/documents?retrieveVectors=true");
  return (body as { results: unknown }).results;
}

test("what is shown before", async () => {
  assert.deepEqual(await documents(server), [
    { id: 1, title: "fox", _vectors: { it: made("fox") } },
    { id: 2, title: "whale", _vectors: { it: { embeddings: [GIVEN], regenerate: false }, other: [1] } },
    { id: 3, title: "wolf", _vectors: { it: made("wolf"), other: [2] } },
    { id: 4, title: "hen", _vectors: { it: { embeddings: [], regenerate: false } } },
    { id: 5, title: "cow", _vectors: { it: { embeddings: [GIVEN], regenerate: true } } },
  ]);
});

async function sameAfterChange(loaded: TestServer): Promise<void> {
  assert.deepEqual(await documents(loaded), await documents(server));
  const touched = [1, 2, 3, 4, 5].map((id) => ({ id, year: 2000 }));
  const task = await loaded.write("PUT", "/indexes/animals/documents", touched);
  succeeded(task);
  assert.deepEqual(embedder.takeAsked(), [], "nothing has to be embedded again");
  const changed = await loaded.write("PUT", "/indexes/animals/documents", [{ id: 5, title: "bull" }]);
  succeeded(changed);
  assert.deepEqual(embedder.takeAsked(), ["bull"]);
}

test("a dump carries vectors along: loading it asks no embedder", { timeout: 180_000 }, async () => {
  const task = await server.write("POST", "/dumps");
  succeeded(task);
  const dump = path.join(server.directory, "dumps", `${task.details?.["dumpUid"]}.dump`);
  const loaded = await TestServer.start({ args: [...REACH_ALL, "--import-dump", dump] });
  try {
    assert.deepEqual(embedder.takeAsked(), []);
    await sameAfterChange(loaded);
  } finally {
    await loaded.dispose();
  }
});

test("so does an export", { timeout: 180_000 }, async () => {
  const remote = await TestServer.start({ args: REACH_ALL });
  try {
    const task = await server.write("POST", "/export", { url: remote.base });
    succeeded(task);
    const { body } = await remote.request<{ results: { uid: number }[] }>("GET", "/tasks?limit=1");
    await remote.waitTask(body.results[0]!.uid);
    assert.deepEqual(
      embedder.takeAsked().filter((text) => text !== "test"),
      [],
    );
    await sameAfterChange(remote);
  } finally {
    await remote.dispose();
  }
});

test("a restart changes nothing", { timeout: 180_000 }, async () => {
  const before = await documents(server);
  await server.stop();
  const again = await TestServer.start({ directory: server.directory, args: REACH_ALL });
  try {
    assert.deepEqual(await documents(again), before);
    const found = await again.request<{ hits: { id: number }[] }>("POST", "/indexes/animals/search", {
      q: "fox",
      hybrid: { embedder: "it", semanticRatio: 1 },
    });
    assert.equal(found.body.hits[0]!.id, 1);
  } finally {
    await again.stop();
  }
});
