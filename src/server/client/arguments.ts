/** What a command was given: words, options of its own, and those that every command has: the server and the key. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { OptionError } from "../options/error.ts";
import { Connection, NoAnswer, ServerError } from "./connection.ts";
import { say, type Terminal } from "./terminal.ts";

export interface Usage {
  /** What follows the name of the program. */
  line: string;
  /** What it does, in a sentence or two. */
  does: string;
  /** By name; those that end with a value in angle brackets take one. */
  options?: Record<string, string>;
  /** How many words there may be. */
  words?: readonly [least: number, most: number];
}

const COMMON: Record<string, string> = {
  "url <address>": "server to ask [SABRE_URL, default: http://localhost:7700]",
  "key <key>": "API key, or the master key [SABRE_KEY, MEILI_MASTER_KEY]",
  help: "print this text",
};

const KEY_PROBLEMS = ["invalid_api_key", "missing_authorization_header"];

export class Given {
  readonly words: readonly string[];
  readonly #values: Record<string, unknown>;
  readonly #env: NodeJS.ProcessEnv;

  constructor(words: readonly string[], values: Record<string, unknown>, env: NodeJS.ProcessEnv) {
    this.words = words;
    this.#values = values;
    this.#env = env;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | null {
    const value = this.#values[name];
    return typeof value === "string" ? value : null;
  }

  demand(name: string): string {
    const value = this.text(name);
    if (value === null) throw new OptionError(`option \`--${name}\` is needed; see --help`);
    return value;
  }

  /** Separated by commas. */
  list(name: string): string[] | null {
    const value = this.text(name);
    return value === null ? null : value.split(",").map((part) => part.trim());
  }

  count(name: string, otherwise: number): number {
    const value = this.text(name);
    if (value === null) return otherwise;
    if (!/^\d{1,9}$/.test(value)) throw new OptionError(`option \`--${name}\`: \`${value}\` is no number`);
    return Number(value);
  }

  connection(): Connection {
    const url = this.text("url") || this.#env["SABRE_URL"] || this.#env["MEILI_HTTP_ADDR"] || "localhost:7700";
    return new Connection(url, this.text("key") || this.#env["SABRE_KEY"] || this.#env["MEILI_MASTER_KEY"] || null);
  }
}

/** Reads what was given and does what was asked with the server that is named; or says how the command is used. */
export async function withServer(
  args: readonly string[],
  usage: Usage,
  terminal: Terminal,
  act: (given: Given, connection: Connection) => Promise<number>,
): Promise<number> {
  const given = readArguments(args, usage, terminal.env);
  if (typeof given === "string") {
    say(terminal.output, given);
    return 0;
  }
  const connection = given.connection();
  try {
    return await act(given, connection);
  } catch (error) {
    if (isAboutKey(error, connection)) throw withKeyOption(error, "--key or SABRE_KEY");
    if (!(error instanceof NoAnswer) || error.nobodyAt !== connection.base.origin) throw error;
    const start = `${terminal.program} serve`;
    throw new Error(`nobody listens at ${error.nobodyAt}: \`${start}\` starts a server, --url names another one`);
  } finally {
    connection.close();
  }
}

export function isAboutKey(error: unknown, connection: Connection): error is ServerError {
  return error instanceof ServerError && KEY_PROBLEMS.includes(error.code) && error.connection === connection;
}

export function withKeyOption({ message, connection }: ServerError, option: string): Error {
  return new Error(`${message} ${option} names ${connection.hasKey ? "another" : "one"}.`);
}

/** The text of the help instead, where that is asked for. */
function readArguments(args: readonly string[], usage: Usage, env: NodeJS.ProcessEnv): Given | string {
  const described = { ...usage.options, ...COMMON };
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const label of Object.keys(described)) {
    options[nameOf(label)] = { type: label.includes("<") ? "string" : "boolean" };
  }
  options["help"] = { type: "boolean", short: "h" };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new OptionError(`${(error as Error).message.split(". ")[0]}; see --help`);
  }
  if (parsed.values["help"] === true) return helpText(usage, described);
  const [least, most] = usage.words ?? [0, 0];
  const words = parsed.positionals;
  if (words.length < least) throw new OptionError(`something is missing: \`${usage.line}\`; see --help`);
  if (words.length > most) throw new OptionError(`unexpected argument \`${words[most]}\`; see --help`);
  return new Given(words, parsed.values, env);
}

function nameOf(label: string): string {
  return label.split(" ")[0]!;
}

function helpText({ line, does }: Usage, described: Record<string, string>): string {
  const labels = Object.keys(described).map((label) => `--${label}`);
  const width = Math.max(...labels.map((label) => label.length));
  const rows = Object.values(described).map((meaning, i) => `  ${labels[i]!.padEnd(width)}  ${meaning}`);
  return [`Usage: sabre ${line}`, "", does, "", "Options:", ...rows].join("\n");
}
