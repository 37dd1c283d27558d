import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { COMMANDS } from "../../../src/server/cli/commands.ts";
import { demoDocuments } from "../../../src/server/client/demo.ts";
import { until } from "../../lib/patience.ts";
import { TestServer } from "../../lib/server.ts";
import { FakeTerminal, run, start } from "./program.ts";

const KEY = "a master key of some length";
let server: TestServer;
let env: Record<string, string>;

before(async () => {
  server = await TestServer.start({ key: KEY });
  env = { SABRE_URL: server.base, SABRE_KEY: KEY };
});
after(() => server.dispose());

const file = (name: string, content: string): string => {
  const place = path.join(server.directory, name);
  writeFileSync(place, content);
  return place;
};

async function good(args: string[], input = ""): Promise<string> {
  const { status, stdout, stderr } = await run(args, env, input);
  assert.equal(status, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

test("every command tells how it is used, and refuses what it does not know", { timeout: 180_000 }, async () => {
  for (const name of Object.keys(COMMANDS)) {
    const help = await run([name, "--help"], env);
    assert.equal(help.status, 0, name);
    assert.match(help.stdout, /Usage: sabre/, name);
    const wrong = await run([name, "--nonsense"], env);
    assert.ok(wrong.status === 2 || name === "health" || name === "doctor", `${name}: ${wrong.status}`);
    assert.match(wrong.stdout + wrong.stderr, /nonsense/, name);
  }
});

test("the demo fills an index that can be searched, in a pipe and as JSON", async () => {
  assert.match(await good(["demo"]), new RegExp(`8,271 characters .*${new URL(server.base).host}/`, "s"));
  const lines = (await good(["search", "characters", "black", "chess", "knight", "--fields", "character,name"])).split(
    "\n",
  );
  assert.deepEqual(lines.slice(0, 2), ["character\tname", "♞\tBlack chess knight"]);
  assert.match(await good(["search", "--index", "characters", "chess", "knight", "--limit", "1"]), /knight/);
  const nothing = await run(["search"], env);
  assert.equal(nothing.status, 2);
  assert.match(nothing.stderr, /no index is named: `search INDEX/);
  assert.match(
    await good(["demo", "--url", server.base]),
    new RegExp(`launch\\.js search characters --url ${server.base}\n`),
  );
  const answer = JSON.parse(
    await good(["search", "characters", "knight", "--json", "--limit", "1", "--filter", "codePoint > 9000"]),
  );
  assert.deepEqual(answer.hits[0].character, "♘");
  const { status, stderr } = await run(["search", "nowhere", "x"], env);
  assert.deepEqual([status, stderr], [1, "sabre-search: Index `nowhere` not found.\n"]);
  const refused = await run(["search", "characters", "x"], { ...env, SABRE_KEY: "wrong" });
  assert.match(refused.stderr, /The provided API key is invalid\. --key or SABRE_KEY names another\.\n/);
  const keyless = await run(["search", "characters", "x"], { ...env, SABRE_KEY: "" });
  assert.match(keyless.stderr, /Authorization header is missing.* --key or SABRE_KEY names one\.\n/);
});

test("the demo opens the page where somebody can see it", async () => {
  const opened = path.join(server.directory, "opened");
  const opener = file("xdg-open", `#!/bin/sh\necho "$1" > "${opened}.new" && mv "${opened}.new" "${opened}"\n`);
  chmodSync(opener, 0o755);
  const onScreen = { ...env, DISPLAY: ":0", PATH: `${server.directory}:/usr/bin:/bin` };
  for (const unseen of [env, onScreen]) {
    const flags = unseen === env ? [] : ["--no-open"];
    assert.equal(await new FakeTerminal(unseen).run("demo", ...flags), 0);
  }
  assert.equal(existsSync(opened), false);
  assert.equal(await new FakeTerminal(onScreen).run("demo"), 0);
  await until(
    () => existsSync(opened),
    () => "the page is opened",
  );
  assert.equal(readFileSync(opened, "utf8"), `${server.base}/#/search/characters\n`);
});

test("the documents of the demo have names and ids of their own", () => {
  const documents = demoDocuments();
  assert.equal(new Set(documents.map(({ id }) => id)).size, documents.length);
  for (const { id, character, name, block, kind } of documents) {
    assert.match(id, /^[0-9A-F]{2,5}$/);
    assert.equal([...character].length, 1);
    assert.ok(name.length > 1 && block !== "" && kind !== "other", id);
  }
});

test("settings are shown, compared and set", async () => {
  await good(["demo", "--index", "set"]);
  assert.deepEqual(JSON.parse(await good(["settings", "get", "set", "sortableAttributes"])), ["codePoint", "name"]);
  const wanted = file("settings.json", '{ "sortableAttributes": ["name"], "searchableAttributes": ["name"] }');
  const different = await run(["settings", "diff", "set", wanted], env);
  assert.equal(different.status, 1);
  assert.match(different.stdout, /^sortableAttributes\n- \["codePoint","name"\]\n\+ \["name"\]\n/);
  assert.match(await good(["settings", "set", "set", wanted]), /settings changed/);
  assert.equal(await good(["settings", "diff", "set", wanted]), "");
  // What would change nothing is no difference: members that are not given, the order of what has none.
  const parts = file("parts.json", '{ "typoTolerance": { "enabled": false }, "stopWords": ["of", "a"] }');
  const changes = (await run(["settings", "diff", "set", parts], env)).stdout;
  assert.match(
    changes,
    /^typoTolerance\n- \{"enabled":true,.*\n\+ \{"enabled":false,"minWordSizeForTypos":.*\nstopWords\n/,
  );
  await good(["settings", "set", "set", parts]);
  assert.equal(await good(["settings", "diff", "set", parts]), "");
  assert.match(await good(["settings", "set", "set", "-"], '{"stopWords":["of"]}'), /changed/);
  const broken = await run(["settings", "set", "set", "-"], env, "nonsense");
  assert.equal(broken.status, 2);
  const refused = await run(["settings", "set", "set", "-"], env, '{"nonsense":1}');
  assert.match(refused.stderr, /Unknown field `nonsense`/);
});

test("keys are made, listed and deleted", async () => {
  const key = (await good(["keys", "create", "--actions", "search", "--index", "a,b*", "--expires", "30d"])).trim();
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.match(await good(["keys"]), new RegExp(`\t${key}\tsearch\ta,b\\*\t20`));
  await good(["keys", "delete", key]);
  assert.ok(!(await good(["keys", "list"])).includes(key));
  assert.equal((await run(["keys", "create", "--actions", "search", "--expires", "soon"], env)).status, 2);
});

test("status and tasks tell what there is", async () => {
  assert.match(await good(["status"]), /is available, interface 1\.50\.0\n.*tasks waiting.*\n\nindex\tdocuments/);
  assert.match(await good(["tasks", "--limit", "3"]), /^task\tstatus\ttype\tindex\ttook\tproblem\n\d+\tsucceeded\t/);
  const lines = (await good(["tasks", "--json", "--types", "settingsUpdate"])).trim().split("\n");
  for (const line of lines) assert.equal(JSON.parse(line).type, "settingsUpdate");
  const { status, stderr } = await run(["status", "--url", "127.0.0.1:1"], env);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^sabre-search: nobody listens at http:\/\/127\.0\.0\.1:1: `node .*dist\/launch\.js serve` starts a server, --url names another one\n$/,
  );
});

test("tasks --watch tells of each task until its end", { timeout: 180_000 }, async () => {
  const child = start(["tasks", "--watch", "--json", "--index", "watched"], env);
  let heard = "";
  child.stdout!.on("data", (chunk) => {
    heard += chunk;
  });
  const statuses = (): string[] =>
    heard
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).status);
  while (!statuses().includes("succeeded")) {
    await server.write("POST", "/indexes/watched/documents", [{ id: 1 }]);
    await server.write("POST", "/indexes/other/documents", [{ id: 1 }]);
  }
  assert.ok(!heard.includes('"other"'));
  child.kill();
});

test("dumps and snapshots are written and can be restored", { timeout: 180_000 }, async () => {
  const name = (await good(["dump"])).trim();
  assert.ok(readdirSync(path.join(server.directory, "dumps")).includes(name));
  await good(["snapshot"]);
  const [snapshot] = readdirSync(path.join(server.directory, "snapshots"));
  for (const [i, from] of [path.join("dumps", name), path.join("snapshots", snapshot!)].entries()) {
    const directory = path.join(server.directory, `restored-${i}`);
    const args = ["--db-path", path.join(directory, "db"), "--log-level", "error"];
    await good(["restore", path.join(server.directory, from), ...args]);
    const restored = await TestServer.start({ directory, key: KEY });
    const { body } = await restored.request<{ numberOfDocuments: number }>("GET", "/indexes/characters/stats");
    assert.equal(body.numberOfDocuments, 8271);
    await restored.dispose();
  }
  assert.equal((await run(["restore"], env)).status, 2);
});

test("the doctor finds what is wrong", async () => {
  const data = path.join(server.directory, "db");
  const args = ["doctor", "--db-path", data];
  const { host } = new URL(server.base);
  for (const named of [[], ["--url", host], ["--http-addr", host]]) {
    assert.match(await good([...args, ...named]), new RegExp(`^ok +server +http://${host} is available$`, "m"));
  }
  const well = await good(args);
  for (const subject of ["Node", "machine", "memory", "LMDB", "configuration", "data", "disk", "lock", "server"]) {
    assert.match(well, new RegExp(`^ok +${subject} `, "m"));
  }
  const sick = await run([...args, "--readers", "none"], env);
  assert.equal(sick.status, 1);
  assert.match(sick.stdout, /^bad +configuration /m);
});

test("another server is copied, with settings, documents and keys", { timeout: 180_000 }, async () => {
  const huge = '[{"id":1,"number":12345678901234567890123,"text":"a \\"quoted\\" ] text"},{"id":2,"number":0.1}]';
  await server.write("POST", "/indexes/precise/documents", huge);
  await good(["keys", "create", "--actions", "search", "--name", "copied"]);
  const target = await TestServer.start({ key: KEY });
  const args = ["migrate", "--from", server.base, "--from-key", KEY, "--url", target.base, "--page-size", "777"];
  const said = await good(args);
  assert.match(said, /^characters: 8,271 documents, settings$/m);
  assert.match(said, /keys$/m);
  for (const uid of ["characters", "precise"]) {
    for (const part of ["/documents?limit=10000", "/settings"]) {
      const [theirs, ours] = await Promise.all(
        [server, target].map((one) => one.request("GET", `/indexes/${uid}${part}`)),
      );
      assert.deepEqual(ours!.body, theirs!.body, uid + part);
    }
  }
  const raw = await fetch(`${target.base}/indexes/precise/documents/1`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  assert.match(await raw.text(), /12345678901234567890123/);
  const keys = (await target.request<{ results: { name: string }[] }>("GET", "/keys")).body.results;
  assert.equal(keys.filter(({ name }) => name === "copied").length, 1);
  assert.match(await good(args), /^0 keys$/m);
  await target.dispose();
});

test("on a terminal a search goes on with every key", { timeout: 180_000 }, async () => {
  await good(["demo"]);
  const terminal = new FakeTerminal(env);
  const done = terminal.run("search", "characters", "--fields", "character,name");
  terminal.type("chess que");
  await terminal.until((shown) => /› chess que.*♕ {2}White chess queen/s.test(shown));
  assert.ok(terminal.output.text.includes("\x1b[33mchess"), "what matched is marked");
  terminal.type("\x7f\x7f\x7fking");
  await terminal.until((shown) => /› chess king.*♔/s.test(shown));
  terminal.type("\x1b[B\r");
  await terminal.until((shown) => /"name": ".* chess king/.test(shown));
  terminal.type("\x03");
  assert.equal(await done, 0);
  const nowhere = new FakeTerminal(env);
  await assert.rejects(nowhere.run("search", "nowhere"), /not found/);
});
