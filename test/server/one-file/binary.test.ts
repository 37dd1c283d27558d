// The one-file executable, made and used as by somebody who has no Node.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../../lib/patience.ts";
import { portOf } from "../../lib/server.ts";

const SCRIPT = fileURLToPath(new URL("../../../scripts/binary.ts", import.meta.url));
const FOLDER = mkdtempSync(path.join(tmpdir(), "binary-"));
after(() => rmSync(FOLDER, { recursive: true }));
const PROGRAM = path.join(FOLDER, "sabre-search");
const CACHE = path.join(FOLDER, "cache", "sabre-search");
const run = promisify(execFile);

const options = { cwd: FOLDER, env: { PATH: "", XDG_CACHE_HOME: path.dirname(CACHE) } };
const variables = process.config.variables as { single_executable_application?: boolean };
const skip = variables.single_executable_application === false ? "this Node cannot carry a program" : false;

test("it serves, searches, tells its health and stops, with nothing but itself", {
  skip,
  timeout: 240_000,
}, async () => {
  execFileSync(process.execPath, ["--import", import.meta.resolve("tsx"), SCRIPT, "--quick", "--out", PROGRAM]);
  assert.match((await run(PROGRAM, ["--version"], options)).stdout, /^sabre-search \d+\.\d+\.\d+\n$/);
  await assert.rejects(run(PROGRAM, ["nonsense"], options), { code: 2 });

  const args = ["--http-addr", "127.0.0.1:0", "--db-path", path.join(FOLDER, "db"), "--no-warmup"];
  const server = spawn(PROGRAM, args, { ...options, stdio: ["ignore", "inherit", "pipe"] });
  let output = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const exit = once(server, "close");
  const address = `127.0.0.1:${await portOf(server, () => output)}`;
  await run(PROGRAM, ["health", "--http-addr", address], options);

  const json = { "content-type": "application/json" };
  const ask = async <T>(method: string, url: string, body?: string): Promise<T> =>
    (await fetch(`http://${address}${url}`, { method, headers: body === undefined ? {} : json, body })).json() as T;
  const { taskUid } = await ask<{ taskUid: number }>(
    "POST",
    "/indexes/a/documents",
    '[{"id":7,"title":"Middlemarch"}]',
  );
  let status = "";
  await until(
    async () => {
      ({ status } = await ask<{ status: string }>("GET", `/tasks/${taskUid}`));
      return status !== "enqueued" && status !== "processing";
    },
    () => `the task ends: ${status}`,
  );
  assert.equal(status, "succeeded");
  const found = await ask<{ hits: { id: number }[] }>("POST", "/indexes/a/search", '{"q":"midlemarch"}');
  assert.deepEqual(
    found.hits.map(({ id }) => id),
    [7],
  );

  server.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
  // Threads do not begin where the program does.
  assert.equal(output.split("the server listens").length, 2);

  const [unpacked] = readdirSync(CACHE);
  writeFileSync(path.join(CACHE, unpacked!, "dist", "main.js"), "process.exit(77);");
  assert.match((await run(PROGRAM, ["--version"], options)).stdout, /^sabre-search/);
});
