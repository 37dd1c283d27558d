import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("the generated code is that of the schemas", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/flatc.mjs", "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});
