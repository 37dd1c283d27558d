import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { until } from "../../lib/patience.ts";
import { freePort, TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { FakeTerminal, run, start } from "./program.ts";

const FOLDER = temporaryDirectory();
const documents = Array.from({ length: 3000 }, (_, id) => ({
  id,
  text: `number ${id}, "quoted"\nand more ${"x".repeat(id % 50)}`,
}));
const FORMS: Record<string, string> = {
  json: JSON.stringify(documents, null, 1),
  ndjson: documents.map((each) => JSON.stringify(each)).join("\n"),
  csv: ["id:number,text", ...documents.map(({ id, text }) => `${id},"${text.replaceAll('"', '""')}"`)].join("\n"),
};

function written(name: string, content: string | Buffer): string {
  const place = path.join(FOLDER, name);
  writeFileSync(place, content);
  return place;
}

async function assertWhole(server: TestServer, index: string, expected: readonly unknown[] = documents): Promise<void> {
  const { body } = await server.request<{ results: unknown[]; total: number }>(
    "GET",
    `/indexes/${index}/documents?limit=100000`,
  );
  assert.equal(body.total, expected.length);
  assert.deepEqual(body.results, expected);
}

test("files of every format, compressed or not, and pipes", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const env = { SABRE_URL: server.base };
  for (const [format, text] of Object.entries(FORMS)) {
    const files = [written(`all.${format}`, text), written(`all.${format}.gz`, gzipSync(text))];
    for (const [i, file] of files.entries()) {
      const index = `${format}-${i}`;
      const { status, stdout, stderr } = await run(["import", file, "--index", index, "--batch-size", "20 kB"], env);
      assert.equal(status, 0, stderr);
      assert.match(stdout, new RegExp(`^${index}: 3,000 documents in .* \\d{1,2} tasks?\\n$`));
      await assertWhole(server, index);
    }
    assert.equal((await run(["import", "--index", `${format}-pipe`], env, text)).status, 0);
    await assertWhole(server, `${format}-pipe`);
  }
  await server.dispose();
});

test("JSON may be one object, or several without an array, and begin with a mark", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const env = { SABRE_URL: server.base };
  const some = documents.slice(0, 200).map((each) => ({ ...each, inner: { list: [{ a: 1 }] } }));
  const lines = some.map((each) => JSON.stringify(each)).join("\n");
  const forms: Record<string, [name: string, text: string]> = {
    lines: ["lines.json", lines],
    marked: ["marked.ndjson", `\uFEFF${lines}`],
    spread: ["spread.json", some.map((each) => JSON.stringify(each, null, 2)).join("\n")],
    array: ["array.json", `\uFEFF${JSON.stringify(some)}`],
  };
  for (const [index, [name, text]] of Object.entries(forms)) {
    for (const form of [text, gzipSync(text)]) {
      const args = ["import", written(name, form), "--index", index, "--batch-size", "2 kB"];
      const { status, stdout, stderr } = await run(args, env);
      assert.equal(status, 0, `${name}: ${stderr}`);
      assert.match(stdout, new RegExp(`^${index}: 200 documents in .* \\d+ tasks?\n$`));
      await assertWhole(server, index, some);
    }
  }
  const piped = await run(["import", "--index", "piped"], env, forms["spread"]![1]);
  assert.equal(piped.status, 0, piped.stderr);
  await assertWhole(server, "piped", some);
  const one = await run(["import", written("one.json", JSON.stringify(some[0], null, 2)), "--index", "one"], env);
  assert.equal(one.status, 0, one.stderr);
  await assertWhole(server, "one", some.slice(0, 1));
  await server.dispose();
});

test("a file that is none of documents is told of by its name", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const env = { SABRE_URL: server.base };
  const said = async (place: string) => {
    const { status, stderr } = await run(["import", place, "--index", "a"], env);
    return [status, stderr];
  };
  const binary = written("binary", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]));
  const neither = "sabre-search: binary is neither JSON, NDJSON nor CSV, in UTF-8, as it is or compressed by gzip\n";
  assert.deepEqual(await said(binary), [2, neither]);
  assert.deepEqual(await said("/nowhere/x.json"), [2, "sabre-search: there is no file `/nowhere/x.json`\n"]);
  assert.deepEqual(await said(written("hello.txt", "hello\n")), [
    0,
    "hello.txt: there are no documents in it, read as CSV\n",
  ]);
  const middle = "it ends in the middle of a document, or of their list\n";
  assert.deepEqual(await said(written("cut.json", '[{"id":1},{"id":2')), [1, `sabre-search: cut.json: ${middle}`]);
  const [status, cutOff] = await said(written("cut.ndjson.gz", gzipSync("x".repeat(1e5)).subarray(0, -20)));
  assert.equal(status, 1);
  assert.match(String(cutOff), /^sabre-search: cut\.ndjson\.gz: unexpected end of file\n$/);
  await server.dispose();
});

test("what the server refuses is told, and so is a task that fails", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const env = { SABRE_URL: server.base };
  const broken = await run(["import", "--index", "a", "--format", "ndjson"], env, '{"id":1}\nnonsense\n');
  assert.equal(broken.status, 1);
  assert.match(broken.stderr, /malformed/i);
  const keyless = await run(["import", "--index", "b"], env, '{"x":1}\n');
  assert.equal(keyless.status, 1);
  assert.match(keyless.stderr, /task \d+ \(documentAdditionOrUpdate\) failed: .*primary key/);
  assert.match(keyless.stderr, /^--primary-key names the field with the ids$/m);
  assert.equal((await run(["import", "x.json"], env)).status, 2);
  await server.dispose();
});

/** Enough for several seconds of import. */
const many = Array.from({ length: 40_000 }, (_, id) => ({ id, text: `entry ${id} ${"word ".repeat(id % 20)}`.trim() }));

test("an import goes on when the server is killed and comes back", { timeout: 180_000 }, async () => {
  const file = written("many.ndjson", many.map((each) => JSON.stringify(each)).join("\n"));
  const port = await freePort();
  let server = await TestServer.start({ port });
  const { directory } = server;
  const child = start(["import", file, "--index", "many", "--batch-size", "50 kB"], { SABRE_URL: server.base });
  const said = child.stderr!.toArray();
  for (let kills = 0; kills < 3; kills++) {
    const before = (await server.request<{ total: number }>("GET", "/tasks?limit=1")).body.total;
    while (child.exitCode === null) {
      const { total } = (await server.request<{ total: number }>("GET", "/tasks?limit=1")).body;
      if (total > before + 3) break;
    }
    await server.kill();
    server = await TestServer.start({ port, directory });
  }
  child.ref();
  if (child.exitCode === null) await once(child, "exit");
  assert.equal(child.exitCode, 0, Buffer.concat(await said).toString());
  await assertWhole(server, "many", many);
  await server.dispose();
});

test("an import that was killed itself goes on where it was", { timeout: 180_000 }, async (t) => {
  const file = written("again.ndjson.gz", gzipSync(many.map((each) => JSON.stringify(each)).join("\n")));
  const server = await TestServer.start();
  const env = { SABRE_URL: server.base, XDG_STATE_HOME: path.join(FOLDER, "state") };
  const args = ["import", file, "--index", "again", "--batch-size", "50 kB"];
  const child = start(args, env);
  const tasks = async () => (await server.request<{ total: number }>("GET", "/tasks?limit=1")).body.total;
  await until(
    async () => (await tasks()) >= 5,
    () => "some tasks are there",
  );
  child.ref();
  child.kill("SIGKILL");
  await once(child, "exit");
  const known = await tasks();
  const { status, stdout, stderr } = await run(args, env);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /again\.ndjson\.gz: goes on after .* documents/);
  assert.ok(!stdout.includes("40,000 documents"), stdout);
  t.diagnostic(`${known} tasks before, ${await tasks()} in all`);
  await assertWhole(server, "again", many);
  assert.deepEqual(readdirSync(path.join(FOLDER, "state", "sabre", "imports")), []);
  await server.dispose();
});

test("an import begins anew at a server that lost its data", { timeout: 180_000 }, async () => {
  const file = written("lost.ndjson", many.map((each) => JSON.stringify(each)).join("\n"));
  const port = await freePort();
  const first = await TestServer.start({ port });
  const args = ["import", file, "--index", "lost", "--batch-size", "50 kB"];
  const child = start(args, { SABRE_URL: first.base });
  await until(
    async () => (await first.request<{ total: number }>("GET", "/tasks?limit=1")).body.total >= 5,
    () => "some tasks are there",
  );
  child.ref();
  child.kill("SIGKILL");
  await once(child, "exit");
  await first.kill();
  const second = await TestServer.start({ port });
  const { status, stderr } = await run(args, { SABRE_URL: second.base });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /lost\.ndjson: begins anew, as the server does not have what was sent before/);
  await assertWhole(second, "lost", many);
  await first.dispose();
  await second.dispose();
});

test("on a terminal it tells how far it is", { timeout: 180_000 }, async () => {
  const server = await TestServer.start();
  const terminal = new FakeTerminal({ SABRE_URL: server.base });
  const file = written("shown.ndjson", many.map((each) => JSON.stringify(each)).join("\n"));
  assert.equal(await terminal.run("import", file, "--index", "shown", "--batch-size", "30 kB"), 0);
  assert.match(terminal.output.text, /^shown: 40,000 documents in /);
  const line = /shown\.ndjson [^\r]*█[^\r]* MB of [\d.]+ MB {2}[\d,]+ docs\/s {2}\d+:\d\d left {2}\d+ of \d+ tasks/;
  assert.match(terminal.notes.text.replaceAll(/\x1b\[[0-9;]*m/g, ""), line);
  await server.dispose();
});
