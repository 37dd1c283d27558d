import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MissingBlob } from "../../../src/storage/blobs/blobs.ts";
import { S3Blobs } from "../../../src/storage/blobs/s3.ts";
import type { S3Place } from "../../../src/storage/s3/options.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { startVersity, withoutVersity } from "../../lib/versity.ts";
import { BUCKET, CREDENTIALS, LoopbackStore, REGION } from "../s3/store.ts";

async function loopback(): Promise<{ store: LoopbackStore; place: S3Place }> {
  const store = new LoopbackStore();
  await store.listen();
  const place = { url: store.url, region: REGION, bucket: BUCKET, identity: CREDENTIALS, signatureSeconds: 60 };
  return { store, place };
}

async function comeAndGo(place: S3Place): Promise<void> {
  const folder = temporaryDirectory();
  const blobs = new S3Blobs(place, "some/where");
  const file = join(folder, "one.seg");
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) % 251));
  writeFileSync(file, content);
  assert.deepEqual(await blobs.list(""), []);
  const names = ["payloads/a b&c", "payloads/x", "segments/0/one.seg", "segments/1/one.seg", "segments/10/one.seg"];
  for (const name of names) await blobs.put(name, file);
  const before = Date.now();
  // The first one stays.
  writeFileSync(file, "another");
  await blobs.put("payloads/x", file);
  const listed = await blobs.list("");
  assert.deepEqual(listed.map(({ name }) => name).sort(), names);
  assert.ok(listed.every(({ putAtMs }) => putAtMs <= before + 5000));
  assert.deepEqual(
    (await blobs.list("segments/1/")).map(({ name }) => name),
    ["segments/1/one.seg"],
  );
  const brought = join(folder, "deep", "x");
  for (const name of ["payloads/x", "payloads/a b&c"]) {
    await blobs.get(name, brought);
    assert.ok(readFileSync(brought).equals(content));
  }
  assert.deepEqual(readdirSync(join(folder, "deep")), ["x"]);
  writeFileSync(file, "");
  await blobs.put("empty", file);
  await blobs.get("empty", brought);
  assert.equal(readFileSync(brought).length, 0);
  await blobs.remove("payloads/x");
  await blobs.remove("payloads/x");
  await assert.rejects(blobs.get("payloads/x", brought), MissingBlob);
  await assert.rejects(blobs.put("payloads/y", join(folder, "missing")), /ENOENT/);
  blobs.close();
}

test("files are put once, listed, brought and removed by name", async () => {
  const { store, place } = await loopback();
  await comeAndGo(place);
  await store.close();
});

test("the same with versitygw", { skip: withoutVersity }, async () => {
  const store = await startVersity();
  await comeAndGo(store.place);
  store.stop();
});

test("what comes damaged or cut off gets no name here, and what fails for a moment is tried again", async () => {
  const { store, place } = await loopback();
  const folder = temporaryDirectory();
  const blobs = new S3Blobs(place, "");
  const file = join(folder, "one.seg");
  writeFileSync(file, "content of a file");
  let failures = 1;
  store.fault = ({ method }) => (method === "PUT" && failures-- > 0 ? { status: 503 } : null);
  await blobs.put("one", file);
  const whole = store.objects.get("one")!;
  const brought = join(folder, "brought");
  const damaged = Buffer.from(whole);
  damaged[3]! ^= 1;
  for (const bytes of [damaged, whole.subarray(0, -1), whole.subarray(1), whole.subarray(0, 7), Buffer.alloc(0)]) {
    store.objects.set("one", bytes);
    await assert.rejects(blobs.get("one", brought), /came damaged/);
    assert.ok(!existsSync(brought));
  }
  store.objects.set("one", whole);
  failures = 1;
  store.fault = ({ method }) => (method === "GET" && failures-- > 0 ? "hang up" : null);
  await blobs.get("one", brought);
  assert.equal(readFileSync(brought, "utf8"), "content of a file");
  // A store that knows no conditions.
  store.fault = ({ method }) => (method === "PUT" && failures++ < 1 ? { status: 501 } : null);
  await blobs.put("two", file);
  assert.ok(store.objects.get("two")!.equals(whole));
  blobs.close();
  await store.close();
});
