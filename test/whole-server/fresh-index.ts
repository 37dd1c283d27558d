/** A server for a file of tests, with an index of its own for each of them. */
import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { TestServer } from "../lib/server.ts";

interface FreshIndex {
  readonly server: TestServer;
  /** `/indexes/<uid>` of the running test. */
  readonly path: string;
  /** Sends a write to a path below the index; its task must succeed. */
  written(method: string, path: string, body?: unknown): Promise<void>;
}

export function freshIndex(): FreshIndex {
  let server: TestServer;
  let count = 0;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server.dispose());
  beforeEach(() => {
    count++;
  });
  return {
    get server() {
      return server;
    },
    get path() {
      return `/indexes/index-${count}`;
    },
    async written(method, path, body) {
      const task = await server.write(method, `${this.path}${path}`, body);
      assert.equal(task.status, "succeeded", JSON.stringify(task.error));
    },
  };
}
