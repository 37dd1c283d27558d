import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { selfSigned } from "../../lib/certificate.ts";
import { portOf, TestServer } from "../../lib/server.ts";
import { endsWithTests, temporaryDirectory } from "../../lib/temporary.ts";
import { MAIN, type Outcome, runMain } from "./program.ts";

const FOLDER = temporaryDirectory();

const ONE_LINE = /^[^\n]+\n$/;
/** What a check may load, in bytes of bundles; the server is ten times that. */
const LOADED_BYTES_MAX = 100_000;

function assertWell({ status, stdout, stderr }: Outcome): void {
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, ONE_LINE);
}

function assertUnwell({ status, stdout, stderr }: Outcome, pattern: RegExp): void {
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, ONE_LINE);
  assert.match(stderr, pattern);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("a running server is well, wherever its address comes from, and a stopped one is not", async () => {
  const server = await TestServer.start({ key: "a master key of some length" });
  const { port } = new URL(server.base);
  const file = path.join(server.directory, "config.toml");
  writeFileSync(file, `http_addr = "127.0.0.1:${port}"\n`);
  assertWell(await runMain(["health", "--http-addr", `127.0.0.1:${port}`]));
  assertWell(await runMain(["health"], { MEILI_HTTP_ADDR: `0.0.0.0:${port}` }));
  assertWell(await runMain(["health", "--config-file-path", file]));
  assertWell(await runMain(["health", "--url", server.base]));
  assertWell(await runMain(["health", `--url=127.0.0.1:${port}`, "--http-addr", "127.0.0.1:1"]));
  assertWell(await runMain(["health"], { SABRE_URL: `${server.base}/`, MEILI_HTTP_ADDR: "127.0.0.1:1" }));
  assertWell(await runMain(["health", "--http-addr", `127.0.0.1:${port}`], { SABRE_URL: "http://127.0.0.1:1" }));
  assertUnwell(
    await runMain(["health"], { SABRE_URL: "http://127.0.0.1:1" }),
    /no answer from http:\/\/127\.0\.0\.1:1:/,
  );
  assertUnwell(await runMain(["health", "--url"]), /`--url` needs a value/);
  assertUnwell(await runMain(["health", "--url", "http://[nowhere"]), /no address of a server/);
  // The server may have got its key in another way than its check.
  assertWell(await runMain(["health"], { MEILI_HTTP_ADDR: `localhost:${port}`, MEILI_ENV: "production" }));
  assert.equal(await server.stop(), 0);
  assertUnwell(await runMain(["health", "--http-addr", `127.0.0.1:${port}`]), /no answer from .*ECONNREFUSED/);
  await server.dispose();
});

test("a server on every IPv6 address is asked on the loopback one", async () => {
  const server = createHttpServer((_, res) => res.end('{"status":"available"}')).listen(0, "::1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  assertWell(await runMain(["health", "--http-addr", `[::]:${port}`]));
  server.close();
});

test("a server that serves TLS is asked over TLS", async () => {
  const directory = mkdtempSync(path.join(FOLDER, "tls-"));
  const { cert, key } = selfSigned("search.example");
  const files = { "ssl-cert-path": cert, "ssl-key-path": key, "ssl-auth-path": cert };
  const args = Object.entries(files).flatMap(([name, content]) => {
    writeFileSync(path.join(directory, name), content);
    return [`--${name}`, path.join(directory, name)];
  });
  args.push("--db-path", path.join(directory, "db"));
  const server = endsWithTests(
    spawn(process.execPath, [MAIN, ...args, "--http-addr", "127.0.0.1:0"], {
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
    }),
  );
  let output = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  const address = `127.0.0.1:${await portOf(server, () => output)}`;
  const outcome = await runMain(["health", ...args, "--http-addr", address]);
  assertWell(outcome);
  assert.match(outcome.stdout, /^https:/);
  server.kill();
  assert.deepEqual(await once(server, "exit"), [0, null]);
});

test("refusals, nonsense and silence are no health", async () => {
  const answers: [RequestListener, RegExp][] = [
    [(_, res) => res.writeHead(503).end("{}"), /status 503/],
    [(_, res) => res.end('{"status":"sleeping"}'), /not well: sleeping/],
    [(_, res) => res.end("x".repeat(100_000)), /no JSON/],
  ];
  for (const [listener, pattern] of answers) {
    const server = createHttpServer(listener);
    const port = await listening(server);
    assertUnwell(await runMain(["health", "--http-addr", `127.0.0.1:${port}`]), pattern);
    server.close();
  }
  const silent = createServer((socket) => socket.resume());
  const port = await listening(silent);
  const outcome = await runMain(["health", "--http-addr", `127.0.0.1:${port}`]);
  assertUnwell(outcome, /no answer .*ms passed/);
  assert.ok(outcome.milliseconds >= 2000, `gave up after ${outcome.milliseconds} ms`);
  silent.close();
});

test("an answer that never ends is given up as well", async () => {
  const server = createHttpServer((_, res) => res.write('{"status":'));
  const port = await listening(server);
  assertUnwell(await runMain(["health", "--http-addr", `127.0.0.1:${port}`]), /ms passed|aborted/);
  server.closeAllConnections();
  server.close();
});

test("every mistake ends with status 1, the only other one that health checks know", async () => {
  assertUnwell(await runMain(["health", "--nonsense"]), /unknown option/);
  assertUnwell(await runMain(["health", "--http-addr", "127.0.0.1:0"]), /port 0/);
  const help = await runMain(["health", "--help"]);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /Usage: sabre-search health/);
});

test("a check loads none of the server", async () => {
  const coverage = mkdtempSync(path.join(FOLDER, "coverage-"));
  await runMain(["health", "--http-addr", "127.0.0.1:1"], { NODE_V8_COVERAGE: coverage });
  const [report] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(path.join(coverage, report!), "utf8")) as { result: { url: string }[] };
  const loaded = result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  assert.ok(loaded.length > 0);
  const bytes = loaded.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  assert.ok(bytes < LOADED_BYTES_MAX, `${bytes} bytes in ${loaded.join(", ")}`);
});
