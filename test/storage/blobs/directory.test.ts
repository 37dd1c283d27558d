import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MissingBlob } from "../../../src/storage/blobs/blobs.ts";
import { DirectoryBlobs } from "../../../src/storage/blobs/directory.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

test("files are put, listed, brought and removed by name", async () => {
  const folder = temporaryDirectory();
  const blobs = new DirectoryBlobs(join(folder, "blobs"));
  assert.deepEqual(await blobs.list(""), []);
  const file = join(folder, "one.seg");
  writeFileSync(file, "content");
  await blobs.put("segments/0/one.seg", file);
  await blobs.put("segments/0/one.seg", file);
  await blobs.put("payloads/x", file);
  assert.deepEqual((await blobs.list("")).map(({ name }) => name).sort(), ["payloads/x", "segments/0/one.seg"]);
  assert.deepEqual(
    (await blobs.list("segments/")).map(({ name }) => name),
    ["segments/0/one.seg"],
  );
  const brought = join(folder, "elsewhere", "deep", "one.seg");
  await blobs.get("segments/0/one.seg", brought);
  await blobs.get("segments/0/one.seg", brought);
  assert.equal(readFileSync(brought, "utf8"), "content");
  assert.deepEqual(readdirSync(join(folder, "elsewhere", "deep")), ["one.seg"]);
  const own = join(folder, "own");
  await blobs.get("segments/0/one.seg", own, { isOwn: true });
  writeFileSync(own, "changed");
  assert.equal(readFileSync(brought, "utf8"), "content");
  await blobs.remove("segments/0/one.seg");
  await blobs.remove("segments/0/one.seg");
  await assert.rejects(blobs.get("segments/0/one.seg", brought), MissingBlob);
  assert.equal(readFileSync(brought, "utf8"), "content");
  await assert.rejects(blobs.put("segments/0/two.seg", join(folder, "missing")), /ENOENT/);
  assert.deepEqual(await blobs.list("segments/"), []);
});
