/** How many files the system lets this process have open. With too few the writer could never start, and would try for ever. */
import { readFileSync } from "node:fs";
import { OptionError } from "../options/options.ts";

/** Threads, connections and the files of a few small indexes. */
const OPEN_FILES_MIN = 256;

export function mustHaveOpenFiles(): void {
  const limit = openFilesLimit();
  if (limit === null || limit >= OPEN_FILES_MIN) return;
  throw new OptionError(
    `the system allows ${limit} open files and at least ${OPEN_FILES_MIN} are needed; see \`ulimit -n\``,
  );
}

/** Null where it is not told, or there is none. */
export function openFilesLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found === null ? null : Number(found[1]);
  } catch {
    return null;
  }
}
