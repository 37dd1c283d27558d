/** What the engine made of the bundles, kept for the next start: used when it is right, ignored when it is anything else. */
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import test, { after } from "node:test";
import { cachedDataVersionTag } from "node:v8";
import vm from "node:vm";
import { type Bundle, keptFileOf, readKept, writeKept } from "../../../src/base/bundle/code-cache.ts";
import { Desk } from "../../../src/base/document/desk.ts";
import { packageFolder } from "../../../src/base/native/folder.ts";
import { collectGarbage } from "../../../src/storage/memory/garbage.ts";
import { TestServer } from "../../lib/server.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { DIST } from "../native/support.ts";

const SOURCE = Buffer.from("(function () { return 42; })");

const servers: TestServer[] = [];
after(async () => {
  for (const server of servers) await server.dispose();
});

function someBundle(): Bundle {
  return { file: path.join(temporaryDirectory(), "some.js"), source: SOURCE };
}

function compiled(cachedData?: Buffer): vm.Script {
  return new vm.Script(SOURCE.toString("latin1"), { ...(cachedData && { cachedData }) });
}

test("what was kept is taken by the engine", () => {
  const bundle = someBundle();
  assert.equal(readKept(bundle), undefined);
  writeKept(bundle, compiled().createCachedData());
  const kept = readKept(bundle);
  assert.ok(kept);
  assert.equal(compiled(kept).cachedDataRejected, false);
});

test("nothing is read that is damaged anywhere, cut short, or of another bundle", () => {
  const bundle = someBundle();
  const file = keptFileOf(bundle);
  writeKept(bundle, compiled().createCachedData());
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 1 << (at % 8);
    writeFileSync(file, damaged);
    assert.equal(readKept(bundle), undefined, `byte ${at}`);
    writeFileSync(file, bytes.subarray(0, at));
    assert.equal(readKept(bundle), undefined, `${at} bytes`);
  }
  writeFileSync(file, bytes);
  const source = Buffer.from(SOURCE.toString().replace("42", "43"));
  assert.equal(readKept({ ...bundle, source }), undefined, "of the same length");
  const moved = someBundle();
  mkdirSync(path.dirname(keptFileOf(moved)));
  copyFileSync(file, keptFileOf(moved));
  assert.equal(readKept(moved), undefined, "elsewhere");
  assert.ok(readKept(bundle));
});

test("where nothing can be written nothing is, and nothing is left behind", () => {
  const folder = temporaryDirectory();
  writeFileSync(path.join(folder, "compiled"), "");
  writeKept({ file: path.join(folder, "some.js"), source: SOURCE }, Buffer.alloc(8));
  assert.deepEqual(readdirSync(folder), ["compiled"]);
});

test("kernels and collections leave the flags of the engine as they were: with others it takes nothing kept", async () => {
  const before = cachedDataVersionTag();
  assert.ok(new Desk().kernels);
  await collectGarbage();
  assert.equal(cachedDataVersionTag(), before);
});

/** A copy of the build, and what it keeps. */
function copyOfBuild(): { main: string; kept: string } {
  const folder = temporaryDirectory();
  cpSync(DIST, path.join(folder, "dist"), { recursive: true });
  copyFileSync(path.join(packageFolder, "package.json"), path.join(folder, "package.json"));
  const kept = path.join(folder, "dist", "code", "compiled");
  rmSync(kept, { recursive: true, force: true });
  return { main: path.join(folder, "dist", "main.js"), kept };
}

async function answers(main: string): Promise<void> {
  const server = await TestServer.start({ main });
  servers.push(server);
  const task = await server.write("POST", "/indexes/books/documents", [{ id: 1, title: "Emma" }]);
  assert.equal(task.status, "succeeded");
  const { body } = await server.request<{ hits: unknown[] }>("POST", "/indexes/books/search", { q: "emma" });
  assert.equal(body.hits.length, 1);
  assert.equal(await server.stop(), 0);
}

test("a server starts on a damaged copy of what was kept, and with a folder that cannot be written", async () => {
  const { main, kept } = copyOfBuild();
  const code = path.dirname(kept);
  for (const name of readdirSync(code).filter((each) => each.endsWith(".js"))) {
    const file = path.join(code, name);
    // With checksums that fit: here the engine itself has to see it.
    writeKept({ file, source: readFileSync(file) }, Buffer.alloc(1000, 7));
  }
  await answers(main);
  rmSync(kept, { recursive: true });
  writeFileSync(kept, "no folder");
  chmodSync(path.dirname(kept), 0o500);
  try {
    await answers(main);
  } finally {
    chmodSync(path.dirname(kept), 0o700);
  }
});
