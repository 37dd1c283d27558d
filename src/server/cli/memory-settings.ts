/**
 * How the allocator of the C library is to behave: large buffers come straight from the system and go back to it, and
 * threads share their pools. Without this, much of what was freed stays with the process. glibc reads the settings from
 * the environment when a process starts, and from nowhere later.
 */

import { thisMachine } from "../../base/native/machine.ts";

export const MEMORY_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "262144",
  MALLOC_TRIM_THRESHOLD_: "1048576",
};

/** Another way to set the same; whoever took it knows better. */
const TUNABLES = "GLIBC_TUNABLES";

/** The settings that this process should have been started with and was not; what the user set is left alone. */
export function missingMemorySettings(env: NodeJS.ProcessEnv): Record<string, string> {
  // No other C library reads them.
  if (thisMachine().libc !== "glibc" || env[TUNABLES]?.includes("glibc.malloc.")) return {};
  return Object.fromEntries(Object.entries(MEMORY_SETTINGS).filter(([name]) => env[name] === undefined));
}
