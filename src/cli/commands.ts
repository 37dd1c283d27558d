/**
 * The commands of the program by name. Each is a module of its own that is loaded only when it is asked for: one that asks
 * the running server for something must not load a second server.
 */
import { OptionError } from "../options.ts";
import { namesNone } from "./command-line.ts";

/** Takes what follows the name of the command; resolves with the exit status. */
export type Run = (args: readonly string[]) => Promise<number>;

export interface Command {
  load(): Promise<Run>;
}

export const COMMANDS = {
  serve: { load: async () => (await import("./serve.ts")).serve },
  health: { load: async () => (await import("./health.ts")).health },
} satisfies Record<string, Command>;

export function commandIn(words: readonly string[]): { command: Command; args: readonly string[] } {
  if (namesNone(words)) return { command: COMMANDS.serve, args: words };
  const [name = "", ...args] = words;
  const command = new Map<string, Command>(Object.entries(COMMANDS)).get(name);
  if (command === undefined) {
    throw new OptionError(`unknown command \`${name}\`: there are ${Object.keys(COMMANDS).join(", ")}; see --help`);
  }
  return { command, args };
}
