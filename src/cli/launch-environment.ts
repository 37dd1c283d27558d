/** With which environment the process has to be started once more to serve well; null when it may go on as it is. */
import { readFileSync } from "node:fs";
import { isServer } from "./command-line.ts";
import { missingSettings, readsSettings } from "./memory-settings.ts";

export function launchEnvironment(args: readonly string[]): NodeJS.ProcessEnv | null {
  if (!isServer(args)) return null;
  const missing = missingSettings(process.env);
  if (Object.keys(missing).length === 0) return null;
  if (!readsSettings(process.platform, () => readFileSync("/proc/self/maps", "latin1"))) return null;
  return { ...process.env, ...missing };
}
