/** A program of a client, a script or a template with loops, keeps its own index waiting, and no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../lib/patience.ts";
import { type Task, TestServer } from "../../lib/server.ts";
import { TestEmbedder } from "./embedding/embedder.ts";

/** Each takes milliseconds for a document, minutes for all of them. */
const SCRIPT = "let x = 0; while x < 60000 { x += 1; } doc.x = x;";
const TEMPLATE = "{% for i in (1..20000) %}{{ i | times: i | times: i }}{% endfor %}{{ doc.id }}";
const DOCUMENTS = 5000;

test("other indexes go on while a script edits documents, or a template is rendered for them", async () => {
  const embedder = await TestEmbedder.start();
  const server = await TestServer.start({ args: ["--experimental-allowed-ip-networks", "any"] });
  try {
    await server.request("PATCH", "/experimental-features", { editDocumentsByFunction: true });
    await server.write(
      "POST",
      "/indexes/slow/documents",
      Array.from({ length: DOCUMENTS }, (_, id) => ({ id })),
    );
    await server.write("POST", "/indexes/quick/documents", [{ id: 0 }]);
    const embedders = { it: embedder.settings({ documentTemplate: TEMPLATE }) };
    const slow: [string, string, unknown][] = [
      ["POST", "/indexes/slow/documents/edit", { function: SCRIPT }],
      ["PATCH", "/indexes/slow/settings", { embedders }],
    ];
    for (const [method, url, body] of slow) {
      const { taskUid } = (await server.request<{ taskUid: number }>(method, url, body)).body;
      const statusOf = async () => (await server.request<Task>("GET", `/tasks/${taskUid}`)).body.status;
      await until(
        async () => (await statusOf()) !== "enqueued",
        () => `task ${taskUid} begins`,
      );
      const quick = await server.write("POST", "/indexes/quick/documents", [{ id: 1 }]);
      assert.equal(quick.status, "succeeded");
      assert.equal(await statusOf(), "processing", url);
      await server.request("POST", `/tasks/cancel?uids=${taskUid}`);
      assert.equal((await server.waitTask(taskUid)).status, "canceled", url);
    }
    assert.equal((await server.request<{ total: number }>("GET", "/indexes/slow/documents")).body.total, DOCUMENTS);
  } finally {
    await server.dispose();
    await embedder.stop();
  }
});
