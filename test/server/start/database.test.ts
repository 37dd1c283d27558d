import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Log } from "../../../src/base/log/log.ts";
import { OptionError, type Options, readOptions } from "../../../src/server/options/options.ts";
import { openDatabase } from "../../../src/server/start/database.ts";
import { lockDatabase } from "../../../src/server/start/lock.ts";
import { openStore } from "../../../src/storage/store/store.ts";
import { forgetUpgrade } from "../../../src/storage/store/version.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

function optionsFor(dbPath: string, ...more: string[]): Options {
  const startup = readOptions(["--db-path", dbPath, ...more], {}, "1.0.0");
  assert.ok(startup.kind === "run");
  return startup.options;
}

const log = new Log("off", "human");

/** Holds the lock of a directory in another process until it is killed; resolves when it has it. */
async function heldElsewhere(path: string, prefix: readonly string[] = []): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("./hold-lock.ts", import.meta.url));
  const [command, ...args] = [...prefix, process.execPath, "--expose-gc", "--import", "tsx", script, path];
  const holder = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  return holder;
}

async function killed(holder: ChildProcess): Promise<void> {
  holder.kill("SIGKILL");
  // Not before its output is closed is whatever it has started gone as well.
  await once(holder, "close");
}

test("a database is locked while a process lives that has it, and no longer", async () => {
  const path = temporaryDirectory();
  const holder = await heldElsewhere(path);
  assert.throws(() => lockDatabase(path), new RegExp(`process ${holder.pid} on`));
  assert.throws(() => lockDatabase(path), OptionError);
  await killed(holder);
  const lock = lockDatabase(path);
  assert.throws(() => lockDatabase(path), /this very process/);
  assert.equal(lock.isHeld(), true);
  lock.release();
  lockDatabase(path).release();
});

// As two containers have it: each process is alone in its namespace, and both have the same number.
const namespace = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = spawnSync(namespace[0]!, [...namespace.slice(1), "true"]).status === 0;

test("a database is locked across namespaces of processes", {
  skip: canUnshare ? false : "needs unshare",
}, async () => {
  const path = temporaryDirectory();
  const holder = await heldElsewhere(path, namespace);
  assert.throws(() => lockDatabase(path), OptionError);
  const script = fileURLToPath(new URL("./hold-lock.ts", import.meta.url));
  const [command, ...args] = [...namespace, process.execPath, "--import", "tsx", script, path];
  assert.match(spawnSync(command!, args, { encoding: "utf8" }).stderr, /is in use by process \d+ on/);
  await killed(holder);
  lockDatabase(path).release();
});

test("data without a VERSION is not taken for a new database", async () => {
  const path = join(temporaryDirectory(), "data.ms");
  (await openDatabase(optionsFor(path), "1.0.0", log)).close();
  writeFileSync(join(path, "store", "data.mdb"), "");
  rmSync(join(path, "VERSION"));
  await assert.rejects(openDatabase(optionsFor(path), "1.0.0", log), /no file VERSION/);
});

for (const [how, damage] of [
  ["missing", (store: string) => rmSync(store, { recursive: true })],
  ["empty", (store: string) => writeFileSync(join(store, "data.mdb"), "")],
] as const) {
  test(`indexes whose store is ${how} are not swept away as a new database`, async () => {
    const path = temporaryDirectory();
    (await openDatabase(optionsFor(path), "1.0.0", log)).close();
    writeFileSync(join(path, "store", "data.mdb"), "something");
    mkdirSync(join(path, "indexes", "7"));
    writeFileSync(join(path, "indexes", "7", "0-a.seg"), "documents");
    damage(join(path, "store"));
    await assert.rejects(openDatabase(optionsFor(path), "1.0.0", log), /data\.mdb` is missing or empty.*--recover/);
    assert.ok(existsSync(join(path, "indexes", "7", "0-a.seg")));
    (await openDatabase(optionsFor(path, "--recover"), "1.0.0", log)).close();
    const lost = readdirSync(path).filter((name) => name.startsWith("lost-"));
    assert.equal(lost.length, 1);
    assert.equal(readFileSync(join(path, lost[0]!, "7", "0-a.seg"), "utf8"), "documents");
    (await openDatabase(optionsFor(path), "1.0.0", log)).close();
  });
}

test("a folder in the place of a file is named, and ends nothing without a word", async () => {
  const path = join(temporaryDirectory(), "data.ms");
  const start = (...more: string[]) => openDatabase(optionsFor(path, ...more), "1.0.0", log);
  (await start()).close();
  for (const name of ["owner.mdb", "owner.mdb-lock"]) {
    rmSync(join(path, name), { force: true });
    mkdirSync(join(path, name));
    await assert.rejects(start(), new RegExp(`/${name}\` is no file`));
    rmSync(join(path, name), { recursive: true });
  }
  rmSync(join(path, "VERSION"));
  mkdirSync(join(path, "VERSION"));
  await assert.rejects(start(), /\/VERSION` cannot be read: EISDIR/);
  rmSync(join(path, "VERSION"), { recursive: true });
  mkdirSync(join(path, "LOCK"));
  (await start()).close();
  const store = join(path, "store", "data.mdb");
  mkdirSync(store);
  assert.throws(() => openStore(join(path, "store")), /data\.mdb` is damaged: it is no file\. Start from a snapshot/);
  (await start("--recover")).close();
  await openStore(join(path, "store")).close();
});

test("a pipe in the place of a file, or in that of a folder, is named before anybody waits for it", async () => {
  const path = join(temporaryDirectory(), "data.ms");
  const start = () => openDatabase(optionsFor(path), "1.0.0", log);
  (await start()).close();
  await openStore(join(path, "store")).close();
  const elsewhere = join(temporaryDirectory(), "pipe");
  execFileSync("mkfifo", [elsewhere]);
  const named = (name: string) => new RegExp(`/${name}\` is neither a file nor a folder`);
  for (const name of [
    "VERSION",
    "LOCK",
    "owner.mdb-lock",
    "store/data.mdb",
    "store/lock.mdb",
    "indexes/0/0.seg",
    "insight",
  ]) {
    const place = join(path, name);
    const aside = join(path, "aside");
    if (existsSync(place)) renameSync(place, aside);
    mkdirSync(dirname(place), { recursive: true });
    execFileSync("mkfifo", [place]);
    await assert.rejects(start(), named(name));
    rmSync(place);
    symlinkSync(elsewhere, place);
    await assert.rejects(start(), named(name));
    rmSync(place);
    if (existsSync(aside)) renameSync(aside, place);
  }
  symlinkSync(join(path, "nowhere"), join(path, "of nobody"));
  (await start()).close();
});

test("a start that was cut off before there were documents is begun again", async () => {
  const path = temporaryDirectory();
  (await openDatabase(optionsFor(path), "1.0.0", log)).close();
  writeFileSync(join(path, "store", "data.mdb"), "");
  mkdirSync(join(path, "indexes", "0"));
  (await openDatabase(optionsFor(path), "1.0.0", log)).close();
});

test("data of another version is refused, or upgraded when asked for", async () => {
  const path = join(temporaryDirectory(), "data.ms");
  (await openDatabase(optionsFor(path), "1.0.0", log)).close();
  await assert.rejects(openDatabase(optionsFor(path), "0.9.0", log), /newer/);
  await assert.rejects(openDatabase(optionsFor(path), "1.1.0", log), /--upgrade-db/);
  const upgraded = await openDatabase(optionsFor(path, "--upgrade-db"), "1.1.0", log);
  assert.equal(upgraded.upgradedFrom, "1.0.0");
  forgetUpgrade(path);
  upgraded.close();
  const again = await openDatabase(optionsFor(path), "1.1.0", log);
  assert.equal(again.upgradedFrom, null);
  again.close();
});
