/** Loads the compiled part of a package from the server's own folder: the binary for this machine, checked. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import "./guard.ts";
import { compiledName } from "./compiled.ts";
import { addonFolder } from "./folder.ts";
import { glibcVersion, isAtLeast, type Machine, thisMachine } from "./machine.ts";
import { type Addon, type Pin, pinsFor, servedName } from "./pins.ts";

const LIBRARIES: Record<Addon, string> = { uws: "uWebSockets.js", lmdb: "LMDB" };

const require = createRequire(import.meta.url);

/** Throws one sentence that names the binary and says what is wrong with it. */
export function loadAddon(addon: Addon, machine = thisMachine(), folder = addonFolder): unknown {
  const fitting = pinsFor(addon, machine);
  for (const pin of fitting) {
    const file = path.join(folder, servedName(pin));
    if (!existsSync(file)) continue;
    try {
      return require(file);
    } catch (error) {
      // The next one is for older systems.
      if (!needsNewerGlibc(error)) throw error;
    }
  }
  throw new Error(whyNone(addon, fitting, machine, folder));
}

/** What was compiled here; null when nothing was. */
export function loadCompiled(addon: string): unknown {
  const file = path.join(addonFolder, compiledName(addon));
  return existsSync(file) ? require(file) : null;
}

function needsNewerGlibc(error: unknown): boolean {
  return /GLIBC_\S+' not found/.test((error as Error).message);
}

function whyNone(addon: Addon, fitting: readonly Pin[], { os, arch, libc }: Machine, folder: string): string {
  const last = fitting.at(-1);
  if (last === undefined) {
    const system = [os, arch, libc === "musl" ? "(musl)" : ""].join(" ").trim();
    return `there is no binary of ${LIBRARIES[addon]} for Node ${process.versions.node} on ${system}`;
  }
  const name = servedName(last);
  const glibc = last.glibc === undefined ? null : glibcVersion();
  if (last.glibc !== undefined && glibc !== null && !isAtLeast(glibc, last.glibc)) {
    return `\`${name}\` needs glibc ${last.glibc}, and this system has ${glibc}`;
  }
  return `\`${name}\` is not in ${folder} (in a checkout, \`npm run build\` fetches it)`;
}
