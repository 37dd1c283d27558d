#!/usr/bin/env node
/**
 * The program as it is installed. A server needs settings of the allocator that count only from the start of a process, so
 * one that lacks them is started once more with them; every other command runs right here.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isServer } from "./cli/command-line.ts";
import { missingSettings, readsSettings } from "./cli/memory-settings.ts";
import { followLauncher, relaunch } from "./cli/relaunch.ts";

const args = process.argv.slice(2);
const missing = isServer(args) ? missingSettings(process.env) : {};
if (
  Object.keys(missing).length > 0 &&
  readsSettings(process.platform, () => readFileSync("/proc/self/maps", "latin1"))
) {
  await relaunch([...process.execArgv, fileURLToPath(import.meta.url), ...args], { ...process.env, ...missing });
} else {
  followLauncher();
  await import("./main.ts");
}
