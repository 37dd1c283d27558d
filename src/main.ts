#!/usr/bin/env node
/** The program: runs the command that the first argument names, the server when it names none. */
import "./base/native/guard.ts";
import { commandIn } from "./server/cli/commands.ts";
import { EXIT_FAILURE, EXIT_USAGE } from "./server/cli/exit-status.ts";
import { isOptionError } from "./server/options/options.ts";

async function main(): Promise<void> {
  const { command, args } = commandIn(process.argv.slice(2));
  const run = await command.load();
  process.exitCode = await run(args);
}

main().catch((error: unknown) => {
  process.stderr.write(`sabre-search: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(isOptionError(error) ? EXIT_USAGE : EXIT_FAILURE);
});
