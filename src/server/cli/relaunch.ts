/**
 * Runs a command line in the place of this process: really in its place where Node can, else as a child that shares its
 * terminal, gets its signals, ends when it ends, and whose end is its own.
 */
import { EXIT_FAILURE } from "./exit-status.ts";

/** Marks a child that is to end with its launcher: the file descriptor of a pipe whose other end only the launcher has. */
const FOLLOWER = "SABRE_FOLLOWS_LAUNCHER";
const PIPE = 3;
const PASSED_ON: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"];

/** Node 22.15 and 23.11 brought it; it does not return. */
type Execve = (file: string, words: readonly string[], env: NodeJS.ProcessEnv) => never;

/** `args` without the name of the program, which stays the same. */
export async function relaunch(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { execve } = process as { execve?: Execve };
  if (execve) execve(process.execPath, [process.execPath, ...args], env);
  // Loaded only now: the other way is the quick one.
  const [{ spawn }, { readLate }] = await Promise.all([
    import("node:child_process"),
    import("../../base/net/extra-authorities.ts"),
  ]);
  const child = spawn(process.execPath, args, {
    // Nothing is said through the pipe; the child notices by it that this process is gone, however it went. No channel of
    // Node's for messages: setting one up takes both processes several milliseconds.
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...readLate(env), [FOLLOWER]: String(PIPE) },
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
    setTimeout(async () => process.exit(128 + (await import("node:os")).constants.signals[signal]), 1000);
  });
  // While the child starts, which waits for none of this.
  const { hideSecretArguments } = await import("../options/secret-arguments.ts");
  hideSecretArguments(process);
}

/** In a child that was launched so: stops as if told to when the launcher is gone. */
export async function followLauncher(): Promise<void> {
  const pipe = process.env[FOLLOWER];
  if (pipe === undefined) return;
  delete process.env[FOLLOWER];
  const { Socket } = await import("node:net");
  const launcher = new Socket({ fd: Number(pipe), writable: false });
  launcher.once("close", () => process.kill(process.pid, "SIGTERM"));
  // A pipe that breaks is closed after it, too.
  launcher.on("error", () => {});
  launcher.resume().unref();
}
