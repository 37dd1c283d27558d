import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { bannerText, showsColours } from "../../../src/server/start/banner.ts";
import { TestServer } from "../../lib/server.ts";

const FACTS = {
  version: "1.2.3",
  host: "localhost",
  port: 7700,
  isTls: false,
  dataPath: "./data.ms",
  hasMasterKey: false,
  hasPage: true,
  transport: "some transport",
  program: null,
};

test("it says where to go, where the data is, and who may do what", () => {
  const text = bannerText(FACTS, false);
  for (const part of ["Sabre 1.2.3", "http://localhost:7700\n", "http://localhost:7700/docs\n", "some transport"]) {
    assert.ok(text.includes(part), part);
  }
  assert.ok(text.includes(path.resolve("./data.ms")));
  assert.match(text, /master key +not set/);
  assert.match(bannerText({ ...FACTS, hasMasterKey: true }, false), /master key +set\n/);
  const without = bannerText({ ...FACTS, hasPage: false }, false);
  assert.match(without, /docs +http:\/\/localhost:7700\/openapi.json\n/);
  assert.doesNotMatch(without, /page/);
});

test("the address can be opened on this machine, whatever the server listens on", () => {
  const addressOf = (changes: Partial<typeof FACTS>): string | undefined =>
    /address +(\S+)/.exec(bannerText({ ...FACTS, ...changes }, false))?.[1];
  assert.equal(addressOf({ host: "0.0.0.0", port: 80 }), "http://localhost:80");
  assert.equal(addressOf({ host: "::" }), "http://localhost:7700");
  assert.equal(addressOf({ host: "::1" }), "http://[::1]:7700");
  assert.equal(addressOf({ host: "10.1.2.3", isTls: true }), "https://10.1.2.3:7700");
});

test("colours are for terminals that have some, and for those who ask", () => {
  const ESCAPE = "\x1b[";
  assert.ok(bannerText(FACTS, true).includes(ESCAPE));
  assert.equal(bannerText(FACTS, false).includes(ESCAPE), false);
  const terminal = { isTTY: true };
  assert.equal(showsColours(terminal, { TERM: "xterm-256color" }), true);
  assert.equal(showsColours(terminal, { TERM: "xterm-256color", NO_COLOR: "1" }), false);
  assert.equal(showsColours(terminal, { TERM: "dumb" }), false);
  assert.equal(showsColours({}, { TERM: "xterm-256color" }), false);
  assert.equal(showsColours({}, { FORCE_COLOR: "1" }), true);
  assert.equal(showsColours({}, { FORCE_COLOR: "0" }), false);
});

async function printed(args: string[], env: Record<string, string> = {}, isQuiet = false): Promise<string> {
  const server = await TestServer.start({ args, env, isQuiet });
  await server.stop();
  await server.dispose();
  return server.output;
}

test("a server shows it once it listens, unless machines read its log or nobody does", {
  timeout: 180_000,
}, async () => {
  const [plain, coloured, json, quiet] = await Promise.all([
    printed([], { FORCE_COLOR: "0" }),
    printed([], { FORCE_COLOR: "1" }),
    printed(["--experimental-logs-mode", "JSON"], { FORCE_COLOR: "1" }),
    printed(["--log-level", "WARN"], {}, true),
  ]);
  assert.match(plain, /the server listens[\s\S]*Sabre \d+\.\d+\.\d+ is ready[\s\S]*http:\/\/127\.0\.0\.1:\d+/);
  assert.equal(plain.includes("\x1b"), false);
  assert.match(coloured, /\x1b\[1mSabre/);
  const lines = json.trimEnd().split("\n");
  const messages = lines.map((line) => (JSON.parse(line) as { fields: { message: string } }).fields.message);
  assert.ok(messages.includes("the server listens"));
  assert.doesNotMatch(quiet, /ready/);
});
