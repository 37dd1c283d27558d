/** With which environment the process has to be started once more to serve well; null when it may go on as it is. */
import { thisMachine } from "../../base/native/machine.ts";
import { isServer } from "./command-line.ts";
import { missingSettings } from "./memory-settings.ts";

export function launchEnvironment(args: readonly string[]): NodeJS.ProcessEnv | null {
  if (!isServer(args)) return null;
  const missing = missingSettings(process.env);
  // No other C library reads them.
  if (Object.keys(missing).length === 0 || thisMachine().libc !== "glibc") return null;
  return { ...process.env, ...missing };
}
