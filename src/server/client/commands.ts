/** The commands that talk to a running server, by name. A bundle of its own, which has none of the server in it. */

import { invocation } from "../options/invocation.ts";
import { dump, snapshot } from "./backup.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { importFiles } from "./import/command.ts";
import { keys } from "./keys.ts";
import { migrate } from "./migrate/command.ts";
import { search } from "./search.ts";
import { settings } from "./settings.ts";
import { status } from "./status.ts";
import { tasks } from "./tasks.ts";
import type { ClientCommand } from "./terminal.ts";

export const CLIENT_COMMANDS = {
  import: importFiles,
  search,
  tasks,
  settings,
  dump,
  snapshot,
  keys,
  status,
  doctor,
  migrate,
  demo,
} satisfies Record<string, ClientCommand>;

export type ClientName = keyof typeof CLIENT_COMMANDS;

/** In this process, whose list of words may name a key. */
export async function runClient(name: ClientName, args: readonly string[]): Promise<number> {
  process.title = `sabre ${name}`;
  // Whoever reads may stop reading, as `head` does.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
  });
  const { stdin: input, stdout: output, stderr: notes, env } = process;
  const terminal = { input, output, notes, env, program: invocation() };
  const status = await CLIENT_COMMANDS[name](args, terminal);
  // A pipe that was not read to its end would hold the process.
  process.stdin.unref?.();
  return status;
}
