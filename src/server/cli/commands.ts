/**
 * The commands of the program by name. Each is a module of its own that is loaded only when it is asked for: one that asks
 * the running server for something must not load a second server.
 */
import type { ClientName } from "../client/commands.ts";
import { OptionError } from "../options/options.ts";
import { namesNone } from "./command-line.ts";

/** Takes what follows the name of the command; resolves with the exit status. */
type Run = (args: readonly string[]) => Promise<number>;

interface Command {
  load(): Promise<Run>;
}

/** One that talks to a running server. */
function client(name: ClientName): Command {
  return {
    async load() {
      const { runClient } = await import("../client/commands.ts");
      return (args) => runClient(name, args);
    },
  };
}

export const COMMANDS = {
  serve: { load: async () => (await import("./serve.ts")).serve },
  health: { load: async () => (await import("./health.ts")).health },
  import: client("import"),
  search: client("search"),
  tasks: client("tasks"),
  settings: client("settings"),
  dump: client("dump"),
  restore: { load: async () => (await import("./restore.ts")).restore },
  backups: { load: async () => (await import("./backups.ts")).backups },
  snapshot: client("snapshot"),
  keys: client("keys"),
  status: client("status"),
  doctor: client("doctor"),
  migrate: client("migrate"),
  demo: client("demo"),
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
