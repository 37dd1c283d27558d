#!/usr/bin/env node
/**
 * The program as it is installed. A server needs settings of the allocator that count only from the start of a process, so
 * one that lacks them is started once more with them; every other command runs right here. What is loaded before that
 * second start is loaded twice: nothing that is not needed for it.
 */
import { fileURLToPath } from "node:url";
import { launchEnvironment } from "./server/cli/launch-environment.ts";
import { followLauncher, relaunch } from "./server/cli/relaunch.ts";

const args = process.argv.slice(2);
const environment = launchEnvironment(args);
if (environment !== null) {
  void relaunch([...process.execArgv, fileURLToPath(import.meta.url), ...args], environment);
} else {
  void followLauncher();
  void import("./main.ts");
}
