/** Waits end, also where each look takes long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./patience.ts";

test("the time that looks take counts as well", async () => {
  let looks = 0;
  const lookInVain = async (): Promise<boolean> => {
    looks++;
    await new Promise((resume) => setTimeout(resume, 40));
    return false;
  };
  await assert.rejects(
    until(lookInVain, () => "nothing", { seconds: 0.1, firstMs: 1, mostMs: 1 }),
    /waited 0.1 s in vain: nothing/,
  );
  assert.ok(looks <= 3, `${looks} looks`);
});
