/** hnswlib-node for tests: compiled when the first of them asks for it, where there is a compiler. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { addonFolder, packageFolder } from "../../../src/base/native/folder.ts";
import { hnswlib, type NewHnswlibIndex } from "../../../src/engine/helper/hnswlib.ts";

const LOCK = path.join(addonFolder, "compiling");
const LOOK_MS = 100;

export const NO_HNSWLIB = "hnswlib-node cannot be compiled here";

/** Null where it cannot be compiled. */
export function compiledHnswlib(): NewHnswlibIndex | null {
  const there = hnswlib();
  if (there !== null) return there;
  mkdirSync(addonFolder, { recursive: true });
  while (!lock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  try {
    if (hnswlib() === null) spawnSync("npm", ["run", "--silent", "hnswlib"], { cwd: packageFolder, stdio: "ignore" });
  } finally {
    rmSync(LOCK, { force: true });
  }
  return hnswlib();
}

/** Test files run at once, and one compilation is enough for all of them. */
function lock(): boolean {
  try {
    const file = openSync(LOCK, "wx");
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch {
    if (!ownerLives()) rmSync(LOCK, { force: true });
    return false;
  }
}

function ownerLives(): boolean {
  try {
    const owner = readFileSync(LOCK, "utf8");
    return owner === "" || process.kill(Number(owner), 0);
  } catch {
    return false;
  }
}
