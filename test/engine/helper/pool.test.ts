import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { ApiError } from "../../../src/base/errors/errors.ts";
import { decodePayload } from "../../../src/base/payload/prepare.ts";
import { HelperClient, serveHelperClient } from "../../../src/engine/helper/client.ts";
import { HelperPool } from "../../../src/engine/helper/pool.ts";
import { stringsOf } from "../../base/document/ids.ts";
import { until, within } from "../../lib/patience.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

function poolFor(t: TestContext): { pool: HelperPool; folder: string } {
  const pool = new HelperPool(2);
  const folder = temporaryDirectory();
  t.after(() => pool.stop());
  return { pool, folder };
}

test("a payload file is checked and rewritten, then scanned", async (t) => {
  const { pool, folder } = poolFor(t);
  const path = join(folder, "body");
  writeFileSync(path, '{"id":1,"a":2}\n{"id":2,"b":3}\n');
  const made = await pool.run("payload.prepareFile", { path, body: null, format: "ndjson", delimiter: 44 });
  const encoded = readFileSync(path);
  assert.deepEqual(made, { documents: 2, bytes: encoded.length });
  assert.equal(decodePayload(encoded).ranges.length, 4);
  const scan = await pool.run("payload.scan", { path, primaryKey: null });
  assert.deepEqual(
    [scan.primaryKey, stringsOf(scan.ids), scan.fields, scan.error],
    ["id", ["1", "2"], ["id", "a", "b"], null],
  );
  assert.equal(scan.ranges.length, 4);
});

test("a body that is handed over makes the file that it would make from a file", async (t) => {
  const { pool, folder } = poolFor(t);
  const [path, other] = [join(folder, "body"), join(folder, "other")];
  const text = '{"id":1,"a":"é"}\n{"id":2,"b":3}\n';
  writeFileSync(path, text);
  const made = await pool.run("payload.prepareFile", { path, body: null, format: "ndjson", delimiter: 44 });
  const body = new TextEncoder().encode(text);
  const input = { path: other, body, format: "ndjson", delimiter: 44 } as const;
  assert.deepEqual(await pool.run("payload.prepareFile", input, [body.buffer]), made);
  assert.deepEqual(readFileSync(other), readFileSync(path));
  assert.equal(body.length, 0);
});

/** Whether somebody reads a pipe; who does is told that nothing comes. Not by waiting for them, since threads need this one to start. */
function hasReader(pipe: string): boolean {
  try {
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

test("documents that somebody sends do not wait behind what is built", {
  skip: process.platform === "win32",
}, async () => {
  const pool = new HelperPool(1);
  const folder = temporaryDirectory();
  const [pipe, path] = [join(folder, "pipe"), join(folder, "body")];
  // Whoever opens it waits until somebody writes.
  execFileSync("mkfifo", [pipe]);
  const built = pool.run("segment.verifyBodies", { path: pipe }).catch(() => null);
  try {
    writeFileSync(path, '[{"id":1}]');
    const made = await within(
      pool.run("payload.prepareFile", { path, body: null, format: "json", delimiter: 44 }),
      () => "a payload, while the only builder is busy",
      30,
    );
    assert.equal(made.documents, 1);
    assert.equal(pool.pending, 1);
  } finally {
    await until(
      () => hasReader(pipe),
      () => "the builder opens what it is to read",
    );
    await built;
    await pool.stop();
  }
});

test("what a job throws arrives as what it was", async (t) => {
  const { pool, folder } = poolFor(t);
  const path = join(folder, "body");
  writeFileSync(path, '{"id":');
  await assert.rejects(
    pool.run("payload.prepareFile", { path, body: null, format: "json", delimiter: 44 }),
    (error) => error instanceof ApiError && error.code === "malformed_payload" && error.status === 400,
  );
  await assert.rejects(pool.run("segment.verifyBodies", { path: join(folder, "absent") }), { code: "ENOENT" });
  writeFileSync(path, "no segment at all");
  assert.equal(typeof (await pool.run("segment.verifyBodies", { path })), "string");
});

test("another thread runs jobs through its port", async (t) => {
  const { pool, folder } = poolFor(t);
  const { port1, port2 } = new MessageChannel();
  serveHelperClient(pool, port1);
  const client = new HelperClient(port2);
  const path = join(folder, "body");
  writeFileSync(path, '[{"id":1}]');
  const jobs = await Promise.all([
    client.run("payload.prepareFile", { path, body: null, format: "json", delimiter: 44 }),
    client.run("segment.verifyBodies", { path: join(folder, "absent") }).catch((error) => error.code),
  ]);
  assert.deepEqual(jobs, [{ documents: 1, bytes: readFileSync(path).length }, "ENOENT"]);
  client.close();
});

test("a helper thread runs at a lower priority than its process", { skip: process.platform !== "linux" }, async () => {
  const thread = threadFile(import.meta.url, "../../../src/engine/helper/thread");
  const code = `import { readFileSync } from "node:fs";
    import { parentPort } from "node:worker_threads";
    await import(${JSON.stringify(pathToFileURL(thread.filename).href)});
    const fields = readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1].split(" ");
    parentPort.postMessage(Number(fields[16]));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { execArgv: thread.execArgv });
  const niceness = await new Promise<number>((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
  const own = Number(readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1]!.split(" ")[16]);
  assert.ok(niceness > own, `${niceness} against ${own}`);
});
