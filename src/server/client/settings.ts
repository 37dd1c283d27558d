/** `settings`: what an index is set to, changed from a file, and how the two differ. */
import { promises as files } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { OptionError } from "../options/error.ts";
import { indexPath, type Settings } from "./api.ts";
import { type Usage, withServer } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import { finished } from "./task-events.ts";
import { coloursOf, say, type Terminal } from "./terminal.ts";

const USAGE: Usage = {
  line: "settings get INDEX [NAME] | set INDEX FILE | diff INDEX FILE",
  does: "Shows the settings of an index as JSON, changes those that a file of JSON names (`-` is standard input), or tells what\nthat would change; diff ends with status 1 where something would.",
  words: [2, 3],
};

/** Lists in which neither order nor repetition means anything. */
const SETS = ["sortableAttributes", "stopWords", "nonSeparatorTokens", "separatorTokens", "dictionary"];

export function settings(args: readonly string[], terminal: Terminal): Promise<number> {
  return withServer(args, USAGE, terminal, async (given, connection) => {
    const [what = "", index = "", third] = given.words;
    if (what === "get") return await show(connection, index, third, terminal);
    if (what !== "set" && what !== "diff") throw new OptionError(`\`${what}\` is not get, set or diff; see --help`);
    if (third === undefined) throw new OptionError("a file of settings is missing; see --help");
    const wanted = await readSettings(third, terminal);
    if (what === "diff") return await compare(connection, index, wanted, terminal);
    const { uid } = await finished(connection, "PATCH", indexPath(index, "/settings"), { body: wanted });
    say(terminal.output, `${index}: settings changed (task ${uid})`);
    return 0;
  });
}

async function show(
  connection: Connection,
  index: string,
  name: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const all = await connection.json<Settings>("GET", indexPath(index, "/settings"));
  if (name !== undefined && !Object.hasOwn(all, name)) throw new OptionError(`there is no setting \`${name}\``);
  say(terminal.output, JSON.stringify(name === undefined ? all : all[name], null, 2));
  return 0;
}

async function compare(connection: Connection, index: string, wanted: Settings, terminal: Terminal): Promise<number> {
  const current = await connection.json<Settings>("GET", indexPath(index, "/settings"));
  const { red, green, bold } = coloursOf(terminal.output, terminal.env);
  let differences = 0;
  for (const [name, given] of Object.entries(wanted)) {
    const value = name === "synonyms" ? given : merged(current[name], given);
    if (isSame(name, current[name], value)) continue;
    differences++;
    say(terminal.output, bold(name));
    say(terminal.output, red(`- ${JSON.stringify(current[name] ?? null)}`));
    say(terminal.output, green(`+ ${JSON.stringify(value)}`));
  }
  return differences === 0 ? 0 : 1;
}

/** As the server does it: of an object, only the members that are given change. Synonyms are replaced as a whole. */
function merged(current: unknown, given: unknown): unknown {
  if (!isObject(current) || !isObject(given)) return given;
  const changes = Object.entries(given).map(([name, value]) => [name, merged(current[name], value)]);
  return { ...current, ...Object.fromEntries(changes) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(name: string, current: unknown, value: unknown): boolean {
  if (!SETS.includes(name) || !Array.isArray(current) || !Array.isArray(value))
    return isDeepStrictEqual(current, value);
  return isDeepStrictEqual(new Set(current), new Set(value));
}

async function readSettings(file: string, { input }: Terminal): Promise<Settings> {
  const text = file === "-" ? await textOf(input) : await files.readFile(file, "utf8").catch(unreadable(file));
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new OptionError(`\`${file}\` is no JSON: ${(error as Error).message}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new OptionError(`\`${file}\` is no object of settings`);
  }
  return parsed as Settings;
}

function unreadable(file: string): (error: Error) => never {
  return (error) => {
    throw new OptionError(`cannot read \`${file}\`: ${error.message}`);
  };
}

async function textOf(input: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of input.setEncoding("utf8")) text += chunk;
  return text;
}
