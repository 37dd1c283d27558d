/** What the leader runs shows on the others as well while it runs. */
import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { Task, TestServer } from "../lib/server.ts";
import { inDirectory, leads, startNode, until } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";

/** One that answers when it is let. */
class SlowEmbedder {
  readonly #waiting: ServerResponse[] = [];
  #mayAnswer = false;
  readonly #server = createServer((request, response) => {
    request.resume();
    this.#waiting.push(response);
    if (this.#mayAnswer) this.release();
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  release(): void {
    this.#mayAnswer = true;
    for (const response of this.#waiting.splice(0)) {
      response.setHeader("content-type", "application/json").end(JSON.stringify({ embedding: [1, 2, 3] }));
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Batch {
  progress: { steps: { currentStep: string }[] } | null;
}

test(
  "a task that the leader runs shows as processing on the others, with its progress",
  ending(async () => {
    const place = inDirectory();
    const embedder = new SlowEmbedder();
    const url = await embedder.start();
    atEnd(() => embedder.close());
    const nodes: TestServer[] = [];
    const more = ["--experimental-allowed-ip-networks", "127.0.0.0/8"];
    for (const name of ["one", "two"]) nodes.push(await startNode(place, name, undefined, more));
    await until("a leader", async () => nodes.some(leads));
    const [leader, follower] = leads(nodes[0]!) ? [nodes[0]!, nodes[1]!] : [nodes[1]!, nodes[0]!];
    const settings = {
      source: "rest",
      url,
      dimensions: 3,
      request: { input: "{{text}}" },
      response: { embedding: "{{embedding}}" },
      documentTemplate: "{{doc.name}}",
    };
    const { status } = await follower.write("PATCH", "/indexes/birds/settings", { embedders: { e: settings } });
    assert.equal(status, "succeeded");
    const { body: sent } = await follower.request<{ taskUid: number }>("POST", "/indexes/birds/documents", [
      { id: 1, name: "heron" },
    ]);
    const shown = async (): Promise<Task> => (await follower.request<Task>("GET", `/tasks/${sent.taskUid}`)).body;
    await until("the task on the one that follows", async () => (await shown()).status === "processing");
    const { batchUid } = await shown();
    await until("its progress", async () => {
      const { body } = await follower.request<Batch>("GET", `/batches/${batchUid}`);
      return (body.progress?.steps.length ?? 0) > 0;
    });
    const { body: list } = await follower.request<{ total: number }>("GET", "/tasks?statuses=processing");
    assert.equal(list.total, 1);
    embedder.release();
    assert.equal((await follower.waitTask(sent.taskUid)).status, "succeeded");
    const { body: batch } = await follower.request<Batch>("GET", `/batches/${batchUid}`);
    assert.equal(batch.progress, null);
    for (const node of [follower, leader]) assert.equal(await node.stop(), 0, node.output);
  }),
);
