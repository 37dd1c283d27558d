/** Clients that wait, a few hundred of them; `npm run waiting` has ten thousand. */
import assert from "node:assert/strict";
import test from "node:test";
import { waiting } from "./harness.ts";

const GROWTH_MB_MAX = 100;

test("clients that wait hear what they wait for, also those who were away", { timeout: 180_000 }, async () => {
  const report = await waiting({ streams: 300, waits: 300, changes: 5 }, () => {});
  assert.equal(report.missed, 0);
  assert.equal(report.answered, 300);
  assert.ok(report.residentMbMost - report.residentMbBefore < GROWTH_MB_MAX, JSON.stringify(report));
});
