/** Snapshots in S3-compatible stores: "snapshots to and from S3-compatible stores". Here whole servers. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { until } from "../../lib/patience.ts";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { BUCKET, CREDENTIALS, LoopbackStore, REGION } from "./store.ts";

const MIB = 1 << 20;

function argumentsFor(store: LoopbackStore): string[] {
  return [
    ...["--s3-bucket-url", store.url, "--s3-bucket-region", REGION, "--s3-bucket-name", BUCKET],
    ...["--s3-snapshot-prefix", "/backups/of a/", "--s3-access-key", CREDENTIALS.accessKey],
    ...["--s3-secret-key", CREDENTIALS.secretKey, "--experimental-s3-multipart-part-size", "10 MiB"],
  ];
}

async function started(): Promise<{ store: LoopbackStore; server: TestServer }> {
  const store = new LoopbackStore();
  await store.listen();
  return { store, server: await TestServer.start({ args: argumentsFor(store) }) };
}

async function stopped(store: LoopbackStore, ...servers: TestServer[]): Promise<void> {
  for (const server of servers) await server.dispose();
  await store.close();
}

test("a snapshot goes to the store in parts, and a server starts from it", { timeout: 180_000 }, async () => {
  const { store, server } = await started();
  const filler = "x".repeat(4000);
  const documents = Array.from({ length: 5000 }, (_, id) => ({ id, text: `${id} ${filler}` }));
  await server.write("POST", "/indexes/a/documents", documents);
  const task = await server.write("POST", "/snapshots");
  assert.equal(task.status, "succeeded", JSON.stringify(task.error));
  const [key = ""] = [...store.objects.keys()];
  assert.match(key, /^backups\/of a\/[^/]+\.snapshot$/);
  const size = store.objects.get(key)!.length;
  // Without compression, as by default.
  assert.ok(size > 15 * MIB, `${size}`);
  assert.equal(store.count("PUT", "partNumber"), Math.ceil(size / (10 * MIB)));
  assert.deepEqual(readdirSync(path.join(server.directory, "snapshots")), []);
  assert.equal(existsSync(path.join(server.directory, "db", "snapshot-parts")), false);

  const from = `s3://${BUCKET}/${key}`;
  const other = await TestServer.start({ args: [...argumentsFor(store), "--import-snapshot", from] });
  const stats = await other.request<{ numberOfDocuments: number }>("GET", "/indexes/a/stats");
  assert.equal(stats.body.numberOfDocuments, documents.length);
  const own = await other.request<{ status: string }>("GET", `/tasks/${task.uid}`);
  assert.equal(own.body.status, "succeeded");

  const missing = ["--import-snapshot", `${from}-not`];
  await assert.rejects(TestServer.start({ args: [...argumentsFor(store), ...missing] }), /there is no file/);
  await assert.rejects(TestServer.start({ args: ["--import-snapshot", from] }), /--s3-bucket-url/);
  const ignoring = [...argumentsFor(store), ...missing, "--ignore-missing-snapshot"];
  const empty = await TestServer.start({ args: ignoring });
  await stopped(store, server, other, empty);
});

test("a store that refuses fails the task with its words, and is told to forget", { timeout: 180_000 }, async () => {
  const { store, server } = await started();
  store.fault = ({ query }) =>
    query.has("partNumber") ? { status: 400, body: "<Error>EntityTooSmall</Error>" } : null;
  const task = await server.write("POST", "/snapshots");
  assert.equal(task.status, "failed");
  assert.equal(task.error?.code, "invalid_s3_snapshot_request");
  assert.match(task.error?.message ?? "", /400 .*EntityTooSmall/);
  assert.equal(store.uploads.size, 0);
  store.fault = () => null;
  assert.equal((await server.write("POST", "/snapshots")).status, "succeeded");
  await stopped(store, server);
});

test("a snapshot that is canceled while its parts are sent stops", { timeout: 180_000 }, async () => {
  const { store, server } = await started();
  store.gate = new Promise(() => {});
  const { body } = await server.request<{ taskUid: number }>("POST", "/snapshots");
  await until(
    () => store.partsAtOnce > 0,
    () => "a part is sent",
  );
  await server.request("POST", `/tasks/cancel?uids=${body.taskUid}`);
  assert.equal((await server.waitTask(body.taskUid)).status, "canceled");
  assert.equal(store.uploads.size, 0);
  await stopped(store, server);
});

test("an archive in the store that is cut short is refused", { timeout: 180_000 }, async () => {
  const { store, server } = await started();
  await server.write("POST", "/snapshots");
  const [[key, bytes] = ["", Buffer.alloc(0)]] = [...store.objects];
  store.objects.set(key, bytes.subarray(0, bytes.length >> 1));
  const directory = temporaryDirectory();
  const args = [...argumentsFor(store), "--import-snapshot", `s3://${BUCKET}/${key}`];
  await assert.rejects(TestServer.start({ directory, args }), /cannot be imported/);
  store.objects.set(key, bytes);
  await stopped(store, server, await TestServer.start({ directory, args }));
});
