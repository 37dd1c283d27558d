/** What is loaded and what is refused, on the main thread and on others, from source. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { threadFile } from "../../../src/base/bundle/threads.ts";
import { admit, trustAddonsIn } from "../../../src/base/native/admission.ts";
import { COMPILED_LIST, hashOfCompiled } from "../../../src/base/native/compiled.ts";
import { loadAddon } from "../../../src/base/native/load.ts";
import { thisMachine } from "../../../src/base/native/machine.ts";
import type { Addon } from "../../../src/base/native/pins.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { addonFile, spoil, spoiledCopy } from "./support.ts";

const require = createRequire(import.meta.url);
const lmdb = addonFile("lmdb")!;

for (const addon of ["uws", "lmdb"] as Addon[]) {
  const file = addonFile(addon);
  test(`${addon} with one byte changed is refused by name`, { skip: file === null && "not for this machine" }, () => {
    const folder = temporaryDirectory();
    const copy = spoiledCopy(file!, folder);
    assert.throws(
      () => loadAddon(addon, thisMachine(), folder),
      (error: Error) =>
        error.message.startsWith(`\`${copy}\` is not what it should be`) && /SHA-256/.test(error.message),
    );
  });
}

test("any way of loading is guarded", () => {
  const file = path.join(temporaryDirectory(), "unknown.node");
  writeFileSync(file, "compiled by somebody else");
  assert.throws(() => require(file), /is compiled code that this server does not know, and is not loaded/);
  assert.throws(() => process.dlopen({ exports: {} }, file), /does not know/);
  assert.throws(() => Object.assign(process, { dlopen: () => {} }), TypeError, "and the guard stays");
});

test("a file that changes after it was admitted is refused", () => {
  const file = path.join(temporaryDirectory(), path.basename(lmdb));
  copyFileSync(lmdb, file);
  admit(file);
  admit(file);
  spoil(file);
  assert.throws(() => admit(file), /is not what it should be/);
});

test("a thread starts with the guard, and with what was admitted before", async () => {
  const folder = temporaryDirectory();
  const known = path.join(folder, "known.node");
  copyFileSync(lmdb, known);
  admit(known);
  const unknown = spoiledCopy(lmdb, folder);
  const thread = threadFile(import.meta.url, "./guarded-thread");
  const worker = new Worker(thread.filename, { workerData: { known, unknown }, execArgv: thread.execArgv });
  const said = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  assert.deepEqual(said, { known: "loaded", reads: 0, unknown: "refused" });
  await worker.terminate();
});

test("the end of the process, or of a thread, waits for a thread that loads compiled code", () => {
  // To end such a thread may end the process by an abort, whatever its exit code was to be.
  const program = fileURLToPath(new URL("./ending-process.ts", import.meta.url));
  const run = (...what: string[]): object => {
    const { status, stdout } = spawnSync(process.execPath, ["--import", "tsx", program, ...what], { encoding: "utf8" });
    return { status, stdout };
  };
  assert.deepEqual(run(), { status: 0, stdout: "loaded\n" });
  assert.deepEqual(run("thread"), { status: 0, stdout: "loaded\nended\n" });
});

test("what lies in a trusted folder is loaded, and nothing beside it", () => {
  const folder = temporaryDirectory();
  mkdirSync(path.join(folder, "package", "bin"), { recursive: true });
  mkdirSync(path.join(folder, "package-2"));
  const inside = spoiledCopy(lmdb, path.join(folder, "package", "bin"));
  const beside = spoiledCopy(lmdb, path.join(folder, "package-2"));
  assert.throws(() => admit(inside));
  trustAddonsIn(path.join(folder, "package"));
  admit(inside);
  assert.throws(() => admit(beside));
});

test("what was compiled here is known by file and by hash", () => {
  const folder = temporaryDirectory();
  const list = { "own.node": "the hash" };
  writeFileSync(path.join(folder, COMPILED_LIST), JSON.stringify(list));
  assert.equal(hashOfCompiled(path.join(folder, "own.node"), folder), "the hash");
  assert.equal(hashOfCompiled(path.join(folder, "other.node"), folder), null);
  assert.equal(hashOfCompiled(path.join(folder, "elsewhere", "own.node"), folder), null);
  assert.equal(hashOfCompiled(path.join(temporaryDirectory(), "own.node"), folder), null);
});

test("why there is no binary is said in one sentence", () => {
  const folder = temporaryDirectory();
  const machine = { os: "linux", arch: "x64", libc: "glibc", abi: 115 } as const;
  const version = process.versions.node;
  assert.throws(() => loadAddon("uws", { ...machine, abi: 1 }, folder), {
    message: `there is no binary of uWebSockets.js for Node ${version} on linux x64`,
  });
  assert.throws(() => loadAddon("uws", { ...machine, libc: "musl" }, folder), {
    message: `there is no binary of uWebSockets.js for Node ${version} on linux x64 (musl)`,
  });
  if (process.platform === "linux") {
    assert.throws(() => loadAddon("lmdb", machine, folder), /`lmdb-linux-x64-glibc2.17.node` is not in /);
  }
});

test("the pinned binary of the store is what the store has loaded", {
  skip: process.platform !== "linux",
}, async () => {
  await import("../../../src/storage/store/store.ts");
  const maps = readFileSync("/proc/self/maps", "utf8");
  assert.ok(maps.includes(lmdb));
  assert.ok(!/node_modules.*\.node\b/.test(maps));
});
