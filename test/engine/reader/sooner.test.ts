import assert from "node:assert/strict";
import test from "node:test";
import { cachedDataVersionTag } from "node:v8";
import { compilingSooner } from "../../../src/engine/reader/warmup/sooner.ts";

test("the flags of the engine are as they were after the work, also when it fails", async () => {
  const usual = cachedDataVersionTag();
  const during = await compilingSooner(async () => cachedDataVersionTag());
  if (process.versions.v8.startsWith("11.")) assert.notEqual(during, usual);
  assert.equal(cachedDataVersionTag(), usual);
  await assert.rejects(
    compilingSooner(() => Promise.reject(new Error("out of luck"))),
    /out of luck/,
  );
  assert.equal(cachedDataVersionTag(), usual);
});
