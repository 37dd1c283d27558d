/**
 * Brings the pinned binaries (`src/base/native/pins.json`) into the checkout: those for this machine, or with `--all` those that
 * the published package carries. What is there with the right hash stays; the rest is taken out of the packages that carry
 * it, installed ones first, then those of the registry. `--into FOLDER` is filled with copies of what was asked for.
 *
 * Without a binary of uWebSockets.js the server runs, more slowly: that it could not be had is said, and the exit code is 3.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { readArchive } from "../src/base/archive/reader.ts";
import { COMPILED_LIST, compiledName } from "../src/base/native/compiled.ts";
import { addonFolder, packageFolder } from "../src/base/native/folder.ts";
import { glibcVersion, isAtLeast, thisMachine } from "../src/base/native/machine.ts";
import { hashOf, served } from "../src/base/native/mend.ts";
import { type Addon, type Pin, pins, pinsFor, servedName } from "../src/base/native/pins.ts";

const EXIT_FAILURE = 1;
const EXIT_WITHOUT_UWS = 3;

const { values: flags } = parseArgs({ options: { all: { type: "boolean" }, into: { type: "string" } } });
const wanted = flags.all ? pins.filter(isPublished) : [bestFor("lmdb"), bestFor("uws")].filter((pin) => pin !== null);
mkdirSync(addonFolder, { recursive: true });
const missing = await provide(wanted.filter((pin) => !isThere(pin)));
const needed = missing.filter(({ addon }) => flags.all || addon !== "uws");
if (needed.length > 0) {
  console.error(`without ${needed.map(servedName).join(", ")} there is no server: build again when it can be fetched`);
  process.exit(EXIT_FAILURE);
}
if (flags.into !== undefined) copyInto(flags.into);
if (missing.length > 0) {
  console.error(
    "without uWebSockets.js the server has Node's own HTTP, which is slower; the next build looks for it again",
  );
  process.exitCode = EXIT_WITHOUT_UWS;
}

/** Of the store, which nothing runs without, all; of the HTTP library, whose binaries are large, what most servers need. */
function isPublished({ addon, os, arch }: Pin): boolean {
  return addon === "lmdb" || os === "linux" || (os === "darwin" && arch === "arm64");
}

/** Null where nothing fits: what that means is known when it is loaded. */
function bestFor(addon: Addon): Pin | null {
  const glibc = glibcVersion();
  const runs = (pin: Pin): boolean => pin.glibc === undefined || (glibc !== null && isAtLeast(glibc, pin.glibc));
  return pinsFor(addon, thisMachine()).find(runs) ?? null;
}

function isThere(pin: Pin): boolean {
  const file = path.join(addonFolder, servedName(pin));
  return existsSync(file) && hashOf(readFileSync(file)) === pin.sha256;
}

/** The pins that could not be had. */
async function provide(list: readonly Pin[]): Promise<Pin[]> {
  const distant = list.filter((pin) => !takeInstalled(pin));
  const left: Pin[] = [];
  for (const name of new Set(distant.map((pin) => pin.package))) {
    left.push(...(await takeFromRegistry(name, new Set(distant.filter((pin) => pin.package === name)))));
  }
  return left;
}

function takeInstalled(pin: Pin): boolean {
  const file = path.join(packageFolder, "node_modules", ...nameOf(pin.package).split("/"), pin.file);
  if (!existsSync(file)) return false;
  return keep(pin, readFileSync(file));
}

/** Without the version. */
function nameOf(name: string): string {
  return name.slice(0, name.lastIndexOf("@"));
}

function keep(pin: Pin, published: Uint8Array): boolean {
  const bytes = served(pin, published);
  if (bytes === null) return false;
  const file = path.join(addonFolder, servedName(pin));
  writeFileSync(`${file}.${process.pid}`, bytes, { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
  return true;
}

/** Takes the pins it finds out of the set, and returns the rest. */
async function takeFromRegistry(name: string, asked: Set<Pin>): Promise<Set<Pin>> {
  console.log(`fetching ${name} for ${Array.from(asked, servedName).join(", ")}`);
  const folder = mkdtempSync(path.join(tmpdir(), "sabre-natives-"));
  try {
    for await (const entry of readArchive(download(name, folder))) {
      const pin = Array.from(asked).find(({ file }) => entry.name === `package/${file}`);
      if (pin === undefined) continue;
      if (keep(pin, Buffer.concat(await copies(entry.pieces())))) asked.delete(pin);
      else console.error(`${entry.name} of ${name} is not the binary that is pinned, and was not taken`);
    }
  } catch (error) {
    console.error(`could not fetch ${name}: ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return asked;
}

async function copies(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return all;
}

/** The path of the archive. */
function download(name: string, folder: string): string {
  const args = [
    "pack",
    name,
    "--json",
    "--ignore-scripts",
    "--loglevel=error",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--pack-destination",
    folder,
  ];
  // Under `npm run` the very npm that runs us is named in the environment; elsewhere the one on the path is used.
  const npm = process.env["npm_execpath"];
  const [command, before] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const { status, stdout, stderr, error } = spawnSync(command, [...before, ...args], {
    cwd: folder,
    encoding: "utf8",
    shell: command === "npm" && process.platform === "win32",
  });
  if (status !== 0) throw error ?? new Error(stderr.trim().split("\n")[0] ?? `npm pack ended with ${status}`);
  const [packed] = JSON.parse(stdout) as [{ filename: string }];
  return path.join(folder, packed.filename);
}

/** What was compiled here belongs to this machine, so it is not for publishing. */
function copyInto(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const own = flags.all ? [] : [COMPILED_LIST, compiledName("hnswlib")];
  for (const name of [...wanted.map(servedName), ...own]) {
    const file = path.join(addonFolder, name);
    if (existsSync(file)) copyFileSync(file, path.join(folder, name));
  }
}
