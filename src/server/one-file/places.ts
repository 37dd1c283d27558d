/** Where programs keep what they can make again: the user's cache, or else the folder for temporary files. */
import os from "node:os";
import path from "node:path";

const NAME = "sabre-search";

export function cachePlaces(env: NodeJS.ProcessEnv, home: () => string = os.homedir): string[] {
  const temporary = path.join(os.tmpdir(), `${NAME}-${process.getuid?.() ?? os.userInfo().username}`);
  const cache = cacheFolder(env, home);
  return cache === null ? [temporary] : [path.join(cache, NAME), temporary];
}

/** Null for a user who has no place of their own. */
function cacheFolder(env: NodeJS.ProcessEnv, home: () => string): string | null {
  const named = process.platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_CACHE_HOME"];
  // What is not absolute is to be ignored, by the convention that the variable comes from.
  if (named !== undefined && path.isAbsolute(named)) return named;
  try {
    return path.join(home(), ".cache");
  } catch {
    return null;
  }
}
