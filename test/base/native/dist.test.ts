/** The build by itself: complete, guarded in every thread, and refusing to run what it was not built with. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import test, { after } from "node:test";
import { Worker } from "node:worker_threads";
import { COMPILED_LIST, compiledName } from "../../../src/base/native/compiled.ts";
import { addonFolder, packageFolder } from "../../../src/base/native/folder.ts";
import { thisMachine } from "../../../src/base/native/machine.ts";
import { pinsFor, servedName } from "../../../src/base/native/pins.ts";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { addonFile, DIST, spoil, spoiledCopy } from "./support.ts";

const servers: TestServer[] = [];
after(async () => {
  for (const server of servers) await server.dispose();
});

async function started(main: string, directory = temporaryDirectory()): Promise<TestServer> {
  const server = await TestServer.start({ main, directory });
  servers.push(server);
  return server;
}

/** What is published, and nothing else, in a folder of its own. */
function copyOfBuild(): string {
  const folder = temporaryDirectory();
  cpSync(DIST, path.join(folder, "dist"), { recursive: true });
  copyFileSync(path.join(packageFolder, "package.json"), path.join(folder, "package.json"));
  return folder;
}

const scripts = readdirSync(DIST).filter((name) => name.endsWith(".js"));
/** What is looked for by name and only loads the bundle of that name. */
const stubs = scripts.filter((name) => existsSync(path.join(DIST, "code", name)));
/** Loaded where they are installed, never part of the build. */
const OPTIONAL = ["@napi-rs/nice"];

test("every bundle is loaded by the guarded loader and needs nothing that is not in the build", () => {
  assert.deepEqual(
    readdirSync(path.join(DIST, "code"))
      .filter((name) => name.endsWith(".js"))
      .sort(),
    stubs.sort(),
  );
  assert.deepEqual(
    scripts.filter((name) => !stubs.includes(name)),
    ["launch.js", "load.js"],
  );
  for (const name of stubs) {
    assert.equal(readFileSync(path.join(DIST, name), "utf8"), 'require("./load.js").load(module, require);\n');
  }
  for (const file of [...scripts, ...stubs.map((name) => path.join("code", name))]) {
    const text = readFileSync(path.join(DIST, file), "utf8");
    for (const [, name] of text.matchAll(/\brequire\(["']([^"']+)["']\)/g)) {
      const known = name!.startsWith("./")
        ? scripts.includes(name!.slice(2))
        : isBuiltin(name!) || OPTIONAL.includes(name!);
      assert.ok(known, `${file} requires ${name}`);
    }
  }
});

for (const name of [...stubs, "load.js"]) {
  test(`compiled code that nobody knows is refused in ${name}`, async () => {
    const unknown = spoiledCopy(addonFile("lmdb")!, temporaryDirectory());
    const code = `
      const { parentPort } = require("node:worker_threads");
      import(${JSON.stringify(path.join(DIST, name))}).catch(() => {}).then(() => {
        try {
          process.dlopen({ exports: {} }, ${JSON.stringify(unknown)});
          parentPort.postMessage({ outcome: "loaded" });
        } catch (error) {
          parentPort.postMessage({ outcome: error.message });
        }
      });`;
    const worker = new Worker(code, { eval: true, argv: ["--version"], stdout: true, stderr: true });
    const outcome = await new Promise<string>((resolve, reject) => {
      worker.on("message", (message) => typeof message?.outcome === "string" && resolve(message.outcome));
      worker.on("error", reject);
    });
    assert.match(outcome, /is not what it should be, and is not loaded/);
    await worker.terminate();
  });
}

test("the build and package.json are all that the server needs", async () => {
  const main = path.join(copyOfBuild(), "dist", "main.js");
  const server = await started(main);
  const task = await server.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma" }]);
  assert.equal(task.status, "succeeded");
  const { body } = await server.request<{ hits: unknown[] }>("POST", "/indexes/books/search", { q: "emma" });
  assert.equal(body.hits.length, 1);
  const embedders = { own: { source: "ollama", model: "any", documentTemplate: "{{ doc.title" } };
  const refused = await server.request<{ message: string }>("PATCH", "/indexes/books/settings", { embedders });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /template/i, "templates are read");
  assert.equal(await server.stop(), 0);
  const again = await started(main, server.directory);
  assert.equal((await again.request<{ total: number }>("GET", "/indexes/books/documents")).body.total, 1);
});

/** What the server says when it does not start. */
function refusalOf(folder: string, ...args: string[]): { status: number | null; stderr: string } {
  const command = [path.join(folder, "dist", "main.js"), "--db-path", path.join(folder, "data"), ...args];
  return spawnSync(process.execPath, command, { encoding: "utf8", timeout: 30_000 });
}

test("the server does not start with a store that is not the pinned one", () => {
  const folder = copyOfBuild();
  const file = path.join(folder, "dist", "native", path.basename(addonFile("lmdb")!));
  spoil(file);
  const { status, stderr } = refusalOf(folder);
  assert.equal(status, 1);
  assert.ok(stderr.includes(`sabre-search: \`${file}\` is not what it should be, and is not loaded`), stderr);
});

test("who asks for hnswlib is told how it is compiled, and gets none that was changed since", () => {
  const folder = copyOfBuild();
  const native = path.join(folder, "dist", "native");
  const file = path.join(native, compiledName("hnswlib"));
  rmSync(file, { force: true });
  const without = refusalOf(folder, "--vector-graph-builder", "hnswlib");
  assert.equal(without.status, 2);
  assert.ok(without.stderr.includes(`to be compiled by: npm --prefix ${folder}/ run hnswlib`), without.stderr);
  writeFileSync(file, "changed");
  writeFileSync(path.join(native, COMPILED_LIST), JSON.stringify({ [path.basename(file)]: "another hash" }));
  const changed = refusalOf(folder, "--vector-graph-builder", "hnswlib");
  assert.match(changed.stderr, /hnswlib-.*\.node` is not what it should be, and is not loaded/);
});

const older = pinsFor("lmdb", thisMachine()).map(servedName)[1];
const olderFile = older === undefined ? null : path.join(addonFolder, older);
test("the binaries of the store for older and newer systems read what the other wrote", {
  skip: (olderFile === null || !isFile(olderFile)) && "needs what `npm run natives -- --all` fetches",
}, async () => {
  const folder = copyOfBuild();
  const main = path.join(folder, "dist", "main.js");
  const native = path.join(folder, "dist", "native");
  const directory = temporaryDirectory();
  for (const [round, file] of [addonFile("lmdb")!, olderFile!, addonFile("lmdb")!].entries()) {
    for (const name of readdirSync(native)) if (name.startsWith("lmdb-")) rmSync(path.join(native, name));
    copyFileSync(file, path.join(native, path.basename(file)));
    const server = await started(main, directory);
    const task = await server.write("POST", "/indexes/books/documents", [{ id: round, title: `volume ${round}` }]);
    assert.equal(task.uid, round);
    const { body } = await server.request<{ total: number }>("GET", "/indexes/books/documents");
    assert.equal(body.total, round + 1);
    assert.equal(await server.stop(), 0);
  }
});

function isFile(file: string): boolean {
  return readdirSync(path.dirname(file)).includes(path.basename(file));
}
