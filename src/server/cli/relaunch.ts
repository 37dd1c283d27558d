/**
 * Runs a command line in the place of this process: really in its place where Node can, else as a child that shares its
 * terminal, gets its signals, ends when it ends, and whose end is its own.
 */
import { EXIT_FAILURE } from "./exit-status.ts";

/** Marks a child that is to end with its launcher. */
const FOLLOWER = "SABRE_FOLLOWS_LAUNCHER";
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/** Node 22.15 and 23.11 brought it; it does not return. */
type Execve = (file: string, words: readonly string[], env: NodeJS.ProcessEnv) => never;

/** `args` without the name of the program, which stays the same. */
export async function relaunch(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { execve } = process as { execve?: Execve };
  if (execve) execve(process.execPath, [process.execPath, ...args], env);
  // Loaded only now: the other way is the quick one.
  const [{ spawn }, { constants }, { hideSecretArguments }, { readLate }] = await Promise.all([
    import("node:child_process"),
    import("node:os"),
    import("../options/secret-arguments.ts"),
    import("../../base/net/extra-authorities.ts"),
  ]);
  hideSecretArguments(process);
  const child = spawn(process.execPath, args, {
    // Nothing is said over the channel; the child notices by it that this process is gone, however it went.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...readLate(env), [FOLLOWER]: "1" },
  });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    process.stderr.write(`sabre-search: cannot start: ${error.message}\n`);
    process.exit(EXIT_FAILURE);
  });
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? EXIT_FAILURE);
    for (const passed of PASSED_ON) process.removeAllListeners(passed);
    process.kill(process.pid, signal);
    // A signal that does not end a process of Node by itself.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
}

/** In a child that was launched so: stops as if told to when the launcher is gone. */
export function followLauncher(): void {
  if (process.env[FOLLOWER] === undefined) return;
  delete process.env[FOLLOWER];
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
