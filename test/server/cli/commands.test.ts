import assert from "node:assert/strict";
import test from "node:test";
import { COMMANDS, commandIn } from "../../../src/server/cli/commands.ts";
import { OptionError, readOptions } from "../../../src/server/options/options.ts";
import { runMain } from "./program.ts";

test("without a command, and with options alone, the server is meant", () => {
  assert.deepEqual(commandIn([]), { command: COMMANDS.serve, args: [] });
  assert.deepEqual(commandIn(["--db-path", "health"]), { command: COMMANDS.serve, args: ["--db-path", "health"] });
  assert.deepEqual(commandIn(["serve", "--help"]), { command: COMMANDS.serve, args: ["--help"] });
  assert.deepEqual(commandIn(["health", "-V"]), { command: COMMANDS.health, args: ["-V"] });
});

test("a name that is no command is the user's mistake", async () => {
  for (const name of ["nonsense", "Health", "constructor", "__proto__", ""]) {
    assert.throws(() => commandIn([name]), OptionError, name);
  }
  const { status, stdout, stderr } = await runMain(["nonsense"]);
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^sabre-search: unknown command `nonsense`: [^\n]+\n$/);
});

test("the help of the program names every command", () => {
  const help = readOptions(["--help"], {}, "1.2.3");
  assert.ok(help.kind === "print");
  for (const name of Object.keys(COMMANDS)) assert.match(help.text, new RegExp(`sabre-search \\[?${name}\\b`));
});
