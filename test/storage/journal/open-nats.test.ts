/** NATS servers that cannot answer yet are asked again; what they refuse is told at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered } from "../../../src/storage/journal/open-nats.ts";

test("servers that have not agreed on who leads are asked again", async () => {
  const problems = [
    Object.assign(new Error("timeout"), { name: "TimeoutError" }),
    Object.assign(new Error("jetstream is not enabled"), { name: "JetStreamNotEnabled" }),
    Object.assign(new Error("JetStream system temporarily unavailable"), { code: 10008 }),
  ];
  const said = await answered(async () => {
    const problem = problems.shift();
    if (problem !== undefined) throw problem;
    return "an answer";
  });
  assert.equal(said, "an answer");
});

test("what is refused is told at once", async () => {
  let calls = 0;
  const refused = answered(async () => {
    calls++;
    throw Object.assign(new Error("stream name already in use"), { code: 10058 });
  });
  await assert.rejects(refused, /already in use/);
  assert.equal(calls, 1);
});
