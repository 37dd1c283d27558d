import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { diskUsage } from "../../../src/server/start/disk-usage.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("all files count, however deep; what is gone meanwhile does not", async () => {
  const directory = temporaryDirectory();
  const fill = (name: string, files: number): void => {
    mkdirSync(join(directory, name), { recursive: true });
    for (let i = 0; i < files; i++) writeFileSync(join(directory, name, `${i}`), "1234567890");
  };
  fill(".", 1);
  fill("indexes/0/segments", 100);
  assert.equal(await diskUsage(directory)(), 1010);
  for (let index = 1; index < 50; index++) fill(`indexes/${index}/segments`, 3);
  const counting = diskUsage(directory)();
  // Other indexes are reached after this turn, when they are no longer there.
  rmSync(join(directory, "indexes"), { recursive: true });
  assert.equal(await counting, 10);
  assert.equal(await diskUsage(join(directory, "indexes"))(), 0);
});

test("who asks again within a second is told the same", async () => {
  const directory = temporaryDirectory();
  const usage = diskUsage(directory);
  assert.deepEqual(await Promise.all([usage(), usage()]), [0, 0]);
  writeFileSync(join(directory, "new"), "1234567890");
  assert.equal(await usage(), 0);
});
