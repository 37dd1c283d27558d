import assert from "node:assert/strict";
import { test } from "node:test";
import { TestServer } from "./server.ts";

// Otherwise the writes of one test are answered by the server of another.
test("a server that does not get its port is not taken for the one that has it", { timeout: 180_000 }, async () => {
  const first = await TestServer.start({ args: ["--readers", "1"] });
  const port = Number(new URL(first.base).port);
  await assert.rejects(TestServer.start({ port, args: ["--readers", "1"] }), /the server ended with 1/);
  assert.equal((await first.request("GET", "/health")).status, 200);
  await first.dispose();
});
