import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { Log } from "../../../src/base/log/log.ts";
import { Secrets } from "../../../src/base/log/secrets.ts";
import { hideSecretArguments, withoutSecrets } from "../../../src/server/options/secret-arguments.ts";
import { TestServer } from "../../lib/server.ts";

test("a known secret is in no line, in whatever message or field it is said", () => {
  const around = fc.string({ unit: fc.constantFrom("0", " ", "\n", '"', "é") });
  const secret = fc
    .string({ unit: fc.constantFrom("Q", '"', "\\", "$", "&"), minLength: 4 })
    .map((text) => `Q${text}Q`);
  fc.assert(
    fc.property(secret, around, around, (key, before, after) => {
      const lines: string[] = [];
      const log = new Log("info", "json", (line) => lines.push(line));
      log.secrets.add(null, key);
      const text = `${before}${key}${after}`;
      log.info("main", text, { cause: text, count: 1 });
      const { fields } = JSON.parse(lines[0]!);
      const shown = `${before}***${after}`;
      assert.deepEqual(fields, { message: shown, cause: shown, count: 1 });
    }),
  );
});

test("what looks like a secret of others is hidden, too", () => {
  const secrets = new Secrets();
  const hidden: [string, string][] = [
    ["sent Authorization: Bearer abcdefgh1234 there", "sent Authorization: Bearer *** there"],
    ["calling https://me:pass@host/path", "calling https://***@host/path"],
    ["/keys/d0552b41536279a0ad88bd595327b96f01176a60c2243e906c52ac02375f9bc4", "/keys/***"],
    [`the key ${"0f".repeat(32)} is wrong`, "the key *** is wrong"],
    ["Incorrect API key provided: sk-proj-12345678", "Incorrect API key provided: ***"],
  ];
  for (const [said, shown] of hidden) assert.equal(secrets.hideIn(said), shown);
  for (const plain of ["http://localhost:7700/keys", "the bearer of news", "a@b.c", "/indexes/keys/documents"]) {
    assert.equal(secrets.hideIn(plain), plain);
  }
});

test("lists of processes do not show them", () => {
  assert.deepEqual(withoutSecrets(["--master-key", "abc", "--db-path", "x", "--master-key=d=e"]), [
    "--master-key",
    "***",
    "--db-path",
    "x",
    "--master-key=***",
  ]);
  const open = { argv: ["node", "main.js", "--db-path", "x"], argv0: "node", execArgv: [], title: "as it was" };
  hideSecretArguments(open);
  assert.equal(open.title, "as it was");
});

test("a server says its keys nowhere, whatever it logs and however it was told", { timeout: 180_000 }, async () => {
  const key = "MasterKeyThatNobodyMaySee";
  const header = "WebhookSecretThatNobodyMaySee";
  const args = ["--log-level", "TRACE", "--task-webhook-url", "http://127.0.0.1:9/"];
  args.push(`--task-webhook-authorization-header=${header}`);
  args.push("--s3-bucket-url", "http://127.0.0.1:9", "--s3-bucket-region", "r", "--s3-bucket-name", "b");
  args.push("--s3-snapshot-prefix", "p", "--s3-access-key", "IdThatNobodyMaySee");
  args.push("--s3-secret-key", "StoreSecretThatNobodyMaySee");
  const server = await TestServer.start({ key, args });
  const { body } = await server.request<{ results: { key: string }[] }>("GET", "/keys");
  const apiKey = body.results[0]!.key;
  await server.request("GET", `/keys/${apiKey}`);
  await server.request("GET", "/indexes", undefined, { authorization: `Bearer wrong${apiKey}` });
  await server.write("POST", "/indexes", { uid: "books" });
  const failed = await server.write("POST", "/export", {
    url: "http://127.0.0.1:9/",
    apiKey: "ExportKeyThatNobodyMaySee",
  });
  assert.equal(failed.status, "failed");
  assert.equal(readFileSync(`/proc/${server.pid}/cmdline`, "utf8").includes("NobodyMaySee"), false);
  await server.stop();
  assert.match(server.output, /a task failed/);
  assert.equal(server.output.includes("NobodyMaySee"), false);
  assert.equal(server.output.includes(apiKey), false);
});
