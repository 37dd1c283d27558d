import assert from "node:assert/strict";
import test from "node:test";
import { practiseQuestions } from "../../../src/server/front/practice.ts";

test("the front lets others in while it practises, and ends by itself", async () => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  await practiseQuestions();
  clearInterval(ticking);
  assert.ok(ticks > 20, String(ticks));
});
