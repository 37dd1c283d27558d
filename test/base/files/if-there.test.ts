import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { ifThere, ifThereLater } from "../../../src/base/files/if-there.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("what is not there is null, and what cannot be read for another reason is not", async () => {
  const folder = temporaryDirectory();
  const file = path.join(folder, "file");
  assert.equal(
    ifThere(() => readFileSync(file)),
    null,
  );
  assert.equal(await ifThereLater(readFile(file)), null);
  writeFileSync(file, "text");
  assert.equal(
    ifThere(() => readFileSync(file, "utf8")),
    "text",
  );
  assert.equal(await ifThereLater(readFile(file, "utf8")), "text");
  mkdirSync(path.join(folder, "folder"));
  assert.throws(() => ifThere(() => readFileSync(path.join(folder, "folder"))), { code: "EISDIR" });
  await assert.rejects(ifThereLater(readFile(path.join(folder, "folder"))), { code: "EISDIR" });
});
