import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";
import test, { mock } from "node:test";
import { parseAddress, toSize } from "../../../src/server/options/kinds.ts";
import { OptionError, type Options, readOptions } from "../../../src/server/options/options.ts";
import { OPTION_TABLE } from "../../../src/server/options/table.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

function options(args: string[], env: NodeJS.ProcessEnv = {}): Options {
  const startup = readOptions(args, env, "1.2.3");
  assert.equal(startup.kind, "run");
  return (startup as { options: Options }).options;
}

const refused = (args: string[], pattern: RegExp, env: NodeJS.ProcessEnv = {}): void =>
  assert.throws(
    () => readOptions(args, env, "1.2.3"),
    (error) => error instanceof OptionError && pattern.test(error.message) && !error.message.includes("\n"),
  );

test("the defaults", () => {
  const given = options([]);
  assert.equal(given.dbPath, "./data.ms");
  assert.equal(given.httpAddr, "localhost:7700");
  assert.equal(given.env, "development");
  assert.equal(given.httpPayloadSizeLimit, 100_000_000);
  assert.equal(given.masterKey, null);
  assert.equal(given.scheduleSnapshot, null);
  assert.equal(given.searchQueueSize, 1000);
});

test("memory is that of the machine, or of the container where it may take less", () => {
  const limits: [number, number][] = [
    [3_000_000, 2_000_000],
    [0, Math.floor((totalmem() * 2) / 3)],
    [2 ** 64, Math.floor((totalmem() * 2) / 3)],
  ];
  for (const [limit, expected] of limits) {
    const constrained = mock.method(process, "constrainedMemory", () => limit);
    const { memoryBudget, maxIndexingMemory } = options([]);
    assert.deepEqual([memoryBudget, maxIndexingMemory], [expected, expected]);
    constrained.mock.restore();
  }
});

test("the command line wins over the environment, which wins over the file", () => {
  const file = join(temporaryDirectory(), "config.toml");
  writeFileSync(
    file,
    'db_path = "file"\nhttp_addr = "file:1"\nmaster_key = "file"\nexperimental_search_queue_size = 7\n',
  );
  const given = options(["--config-file-path", file, "--db-path=cli"], {
    MEILI_DB_PATH: "env",
    MEILI_HTTP_ADDR: "env:2",
    MEILI_UNKNOWN: "ignored",
  });
  assert.equal(given.dbPath, "cli");
  assert.equal(given.httpAddr, "env:2");
  assert.equal(given.masterKey, "file");
  assert.equal(given.searchQueueSize, 7);
});

test("flags take no value on the command line and true or 1 elsewhere", () => {
  assert.equal(options(["--experimental-enable-metrics", "--db-path", "x"]).enableMetrics, true);
  assert.equal(options([], { MEILI_EXPERIMENTAL_ENABLE_METRICS: "1" }).enableMetrics, true);
  assert.equal(options([], { MEILI_EXPERIMENTAL_ENABLE_METRICS: "false" }).enableMetrics, false);
  assert.equal(options([], { MEILI_EXPERIMENTAL_LEGACY_SEARCH: "true" }).legacySearch, true);
  refused([], /neither/, { MEILI_NO_ANALYTICS: "x", MEILI_EXPERIMENTAL_ENABLE_METRICS: "perhaps" });
});

test("the transport is chosen by itself unless one is named", () => {
  assert.equal(options([]).httpTransport, "auto");
  assert.equal(options(["--http-transport", "node"]).httpTransport, "node");
  assert.equal(options([], { MEILI_HTTP_TRANSPORT: "uws" }).httpTransport, "uws");
  refused(["--http-transport", "carrier-pigeon"], /not one of auto, uws, node/);
});

test("the snapshot interval may stand alone", () => {
  assert.equal(options(["--schedule-snapshot"]).scheduleSnapshot, 86_400);
  assert.equal(options(["--schedule-snapshot", "60"]).scheduleSnapshot, 60);
  assert.equal(options(["--schedule-snapshot=60"]).scheduleSnapshot, 60);
  assert.equal(options(["--schedule-snapshot", "--db-path", "x"]).scheduleSnapshot, 86_400);
});

test("sizes have units, binary and decimal", () => {
  assert.equal(toSize("123"), 123);
  assert.equal(toSize("100 MB"), 100_000_000);
  assert.equal(toSize("100mb"), 100_000_000);
  assert.equal(toSize("2 GiB"), 2 * 1024 ** 3);
  assert.equal(toSize("1.5 KiB"), 1536);
  for (const bad of ["", "MB", "1 XB", "-1", "1 2", "1e3"]) assert.throws(() => toSize(bad), OptionError);
});

test("addresses", () => {
  assert.deepEqual(parseAddress("localhost:7700"), { host: "localhost", port: 7700 });
  assert.deepEqual(parseAddress("[::1]:80"), { host: "::1", port: 80 });
  for (const bad of ["localhost", ":80", "a:b", "a:99999", "::1:80"])
    assert.throws(() => parseAddress(bad), OptionError);
});

test("what is wrong is said in one line", () => {
  refused(["--nonsense"], /unknown option `--nonsense`/);
  refused(["nonsense"], /unexpected argument/);
  refused(["--db-path"], /needs a value/);
  refused(["--db-path", "--env"], /needs a value/);
  refused(["--db-path", "a", "--db-path", "b"], /twice/);
  refused(["--env", "staging"], /not one of/);
  refused(["--http-payload-size-limit", "much"], /no size/);
  refused(["--readers", "0"], /at least 1/);
  refused(["--http-addr", "nowhere"], /host:port/);
  refused(["--import-dump", "a", "--import-snapshot", "b"], /exclude/);
  refused(["--ignore-missing-dump"], /needs `--import-dump`/);
  refused(["--ssl-cert-path", "a"], /needs `--ssl-key-path`/);
  refused(["--ssl-require-auth"], /TLS/);
  refused(["--s3-bucket-name", "b"], /`--s3-bucket-name` needs `--s3-bucket-url`/);
  refused(["--config-file-path", "/no/such/file"], /cannot read/);
});

test("unknown keys in the file are refused", () => {
  const file = join(temporaryDirectory(), "config.toml");
  writeFileSync(file, "colour = 1\n");
  refused(["--config-file-path", file], /unknown key `colour`/);
});

test("production needs a master key of sixteen bytes", () => {
  refused(["--env", "production"], /at least 16 bytes/);
  refused(["--env", "production", "--master-key", "short"], /has 5/);
  assert.equal(options(["--env", "production", "--master-key", "éééééééé"]).env, "production");
});

test("help names every option, version the version", () => {
  const help = readOptions(["--help"], {}, "1.2.3");
  assert.ok(
    help.kind === "print" && help.text.includes("--http-payload-size-limit") && help.text.includes("--readers"),
  );
  assert.deepEqual(readOptions(["-V"], {}, "1.2.3"), { kind: "print", text: "sabre-search 1.2.3" });
});

test("no name is given twice, and what an option needs is one", () => {
  const names = OPTION_TABLE.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const { name, needs } of OPTION_TABLE) assert.ok(needs === undefined || names.includes(needs), name);
});

test("what is shown as the default is the default", () => {
  for (const { kind, name, shown, read, otherwise } of OPTION_TABLE) {
    if (shown === undefined || !/^\d/.test(shown) || kind === "interval") continue;
    assert.equal(read(shown, name), otherwise({ cores: 1, memoryBytes: 1, indexingBytes: () => 1 }), name);
  }
});

test("what may be the rest of a key is not said", () => {
  assert.throws(
    () => options(["--master-key", "first", "second"]),
    /^OptionError: unexpected argument; does the value of `--master-key` need/,
  );
  assert.throws(() => options(["--db-path", "x", "second"]), /unexpected argument `second`/);
});
