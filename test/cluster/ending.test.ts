/** A test that fails while its servers run, or are paused, and its clients write leaves neither behind. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { TestServer } from "../lib/server.ts";
import { inDirectory, startNode } from "./cluster.ts";
import { atEnd, ending } from "./ending.ts";
import { Clients } from "./writing.ts";

test("what a failed test has begun ends with it", async (t: TestContext) => {
  let node: TestServer | null = null;
  let clients: Clients | null = null;
  const ended: string[] = [];
  const failing = ending(async () => {
    node = await startNode(inDirectory(), "one");
    clients = new Clients(2, [node]);
    process.kill(node.pid, "SIGSTOP");
    atEnd(() => ended.push("its own"));
    throw new Error("a test fails");
  });
  await assert.rejects(failing(t), /a test fails/);
  assert.deepEqual(ended, ["its own"]);
  assert.throws(() => process.kill(node!.pid, 0), { code: "ESRCH" });
  await clients!.stop();
  // What was to be done at the end of one test is not done again at that of the next.
  await ending(async () => {})(t);
  assert.deepEqual(ended, ["its own"]);
});
