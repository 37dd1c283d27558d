import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before } from "node:test";
import { fileURLToPath } from "node:url";

/** As it is shipped: the build takes a moment, and what only goes wrong in it shows here. */
const BUILD = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url));
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
before(() => assert.equal(spawnSync(process.execPath, [BUILD], { stdio: "inherit" }).status, 0));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(folder: string): Promise<{ base: string; process: ChildProcess; exit: Promise<number | null> }> {
  const port = await freePort();
  const args = ["--db-path", "data", "--http-addr", `127.0.0.1:${port}`, "--readers", "1", "--log-level", "error"];
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const base = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 600; i++) {
    if (
      await fetch(`${base}/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    await pause(50);
  }
  return { base, process: child, exit };
}

async function json(url: string, init?: RequestInit): Promise<{ status: string; total: number; taskUid: number }> {
  return (await fetch(url, init)).json() as Promise<{ status: string; total: number; taskUid: number }>;
}

async function finished(base: string, uid: number): Promise<string> {
  for (let i = 0; i < 600; i++) {
    const { status } = await json(`${base}/tasks/${uid}`);
    if (status !== "enqueued" && status !== "processing") return status;
    await pause(20);
  }
  return "never";
}

test("documents survive a stop by signal and a kill", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "whole-"));
  const first = await start(folder);
  const add = (base: string, body: string): Promise<{ taskUid: number }> =>
    json(`${base}/indexes/movies/documents`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const small = await add(first.base, '[{"id":1},{"id":2}]');
  assert.equal(await finished(first.base, small.taskUid), "succeeded");
  const large = await add(first.base, JSON.stringify([{ id: 3, text: "word ".repeat(60_000) }]));
  assert.equal(await finished(first.base, large.taskUid), "succeeded");
  first.process.kill("SIGTERM");
  assert.equal(await first.exit, 0);

  const second = await start(folder);
  assert.equal((await json(`${second.base}/indexes/movies/documents?limit=0`)).total, 3);
  const acknowledged = await add(second.base, '[{"id":4}]');
  second.process.kill("SIGKILL");
  await second.exit;

  const third = await start(folder);
  assert.equal(await finished(third.base, acknowledged.taskUid), "succeeded");
  assert.equal((await json(`${third.base}/indexes/movies/documents?limit=0`)).total, 4);
  third.process.kill("SIGTERM");
  assert.equal(await third.exit, 0);
});

test("refusals of the threads behind the front arrive as such", { timeout: 120_000 }, async () => {
  const { base, process: server, exit } = await start(mkdtempSync(join(tmpdir(), "whole-")));
  const missing = await fetch(`${base}/indexes/nope/documents/1`);
  assert.deepEqual([missing.status, ((await missing.json()) as { code: string }).code], [404, "index_not_found"]);
  for (const body of ["[{", `[${'{"id":1},'.repeat(50_000)}`]) {
    const headers = { "content-type": "application/json" };
    const refused = await fetch(`${base}/indexes/movies/documents`, { method: "POST", headers, body });
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [400, "malformed_payload"]);
  }
  server.kill("SIGTERM");
  assert.equal(await exit, 0);
});
