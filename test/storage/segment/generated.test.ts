import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("the generated code is that of the schemas", () => {
  const flags = ["--import", "tsx", "scripts/schemas.ts", "--check"];
  const { status, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});
