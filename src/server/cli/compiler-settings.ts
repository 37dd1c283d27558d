/**
 * With how many threads the JavaScript engine compiles and collects. Node takes four on every machine; on one with fewer
 * cores they take turns with the threads that answer, most of all in the first seconds of a load, when both have much to do.
 * Node reads the number when a process starts, and from nowhere later.
 */
import { availableParallelism } from "node:os";

const VARIABLE = "NODE_OPTIONS";
const OPTION = "--v8-pool-size";
/** What Node takes by itself. */
const THREADS_MAX = 4;

/** The settings that this process should have been started with and was not; what the user set is left alone. */
export function missingCompilerSettings(
  env: NodeJS.ProcessEnv,
  words: readonly string[] = process.execArgv,
  cores: number = availableParallelism(),
): Record<string, string> {
  const options = env[VARIABLE] ?? "";
  const threads = Math.max(1, cores - 1);
  if (threads >= THREADS_MAX || [options, ...words].some((given) => given.includes(OPTION))) return {};
  return { [VARIABLE]: `${options} ${OPTION}=${threads}`.trimStart() };
}
