/**
 * The program as one file that needs no Node (`npm run binary`): starts itself once more where a server needs it, unpacks what
 * it carries, and runs it from there. Threads start from the unpacked files and never come by here.
 */
import { createRequire } from "node:module";
import path from "node:path";
import { getAsset, getRawAsset } from "node:sea";
import { EXIT_FAILURE } from "../cli/exit-status.ts";
import { launchEnvironment } from "../cli/launch-environment.ts";
import { followLauncher, relaunch } from "../cli/relaunch.ts";
import { BOOT_FILE, CONTENTS_ASSET, type FileEntry, LIST_ASSET, MAIN_FILE } from "./file-list.ts";
import { cachePlaces } from "./places.ts";
import { unpack } from "./unpack.ts";

async function main(): Promise<void> {
  // The second word is the name of the program once more.
  const args = process.argv.slice(2);
  const environment = launchEnvironment(args);
  if (environment !== null) return await relaunch(args, environment);
  const list = JSON.parse(getAsset(LIST_ASSET, "utf8")) as FileEntry[];
  const contents = (): Uint8Array => new Uint8Array(getRawAsset(CONTENTS_ASSET) as ArrayBuffer);
  const folder = unpack({ list, contents }, cachePlaces(process.env));
  followLauncher();
  process.argv[1] = path.join(folder, MAIN_FILE);
  // By way of a small file on disk: what is inside the executable can load nothing but parts of Node.
  createRequire(path.join(folder, BOOT_FILE))(`./${BOOT_FILE}`);
}

main().catch((error: Error) => {
  process.stderr.write(`sabre-search: ${error.message}\n`);
  process.exit(EXIT_FAILURE);
});
