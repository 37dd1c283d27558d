/** With which environment the process has to be started once more to serve well; null when it may go on as it is. */
import { isServer } from "./command-line.ts";
import { missingCompilerSettings } from "./compiler-settings.ts";
import { missingMemorySettings } from "./memory-settings.ts";

export function launchEnvironment(args: readonly string[]): NodeJS.ProcessEnv | null {
  if (!isServer(args)) return null;
  const missing = { ...missingMemorySettings(process.env), ...missingCompilerSettings(process.env) };
  return Object.keys(missing).length === 0 ? null : { ...process.env, ...missing };
}
