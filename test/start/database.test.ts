import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { OptionError, type Options, readOptions } from "../../src/options.ts";
import { openDatabase } from "../../src/start/database.ts";
import { lockDatabase } from "../../src/start/lock.ts";
import { temporaryDirectory } from "../lib/temporary.ts";

function optionsFor(dbPath: string, ...more: string[]): Options {
  const startup = readOptions(["--db-path", dbPath, ...more], {}, "1.0.0");
  assert.ok(startup.kind === "run");
  return startup.options;
}

test("a database is locked by a living process and by no other", async () => {
  const path = temporaryDirectory();
  const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"]);
  const stat = readFileSync(`/proc/${other.pid}/stat`, "utf8");
  const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  writeFileSync(join(path, "LOCK"), `${other.pid} ${startedAt}`);
  assert.throws(() => lockDatabase(path), OptionError);
  writeFileSync(join(path, "LOCK"), `${other.pid} 1`);
  lockDatabase(path)();
  writeFileSync(join(path, "LOCK"), `${other.pid} ${startedAt}`);
  other.kill("SIGKILL");
  await new Promise((resolve) => other.once("exit", resolve));
  const unlock = lockDatabase(path);
  unlock();
  assert.equal(existsSync(join(path, "LOCK")), false);
});

test("data of another version is refused, or upgraded when asked for", () => {
  const path = join(temporaryDirectory(), "data.ms");
  openDatabase(optionsFor(path), "1.0.0").close();
  assert.throws(() => openDatabase(optionsFor(path), "0.9.0"), /newer/);
  assert.throws(() => openDatabase(optionsFor(path), "1.1.0"), /--upgrade-db/);
  const upgraded = openDatabase(optionsFor(path, "--upgrade-db"), "1.1.0");
  assert.equal(upgraded.upgradedFrom, "1.0.0");
  upgraded.close();
  const again = openDatabase(optionsFor(path), "1.1.0");
  assert.equal(again.upgradedFrom, null);
  again.close();
});
