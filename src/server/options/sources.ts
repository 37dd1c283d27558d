/**
 * Where options are given: the command line, the environment, a TOML file. Each gives texts, and says in words where it
 * found them; what they mean is the table's to say.
 */
import { existsSync, readFileSync } from "node:fs";
import { OptionError } from "./error.ts";
import { envName, keyName, type Option } from "./kinds.ts";
import { OPTION_TABLE } from "./table.ts";
import { parseToml } from "./toml.ts";

export type Settings = Map<Option, { text: string; from: string }>;

const DEFAULT_CONFIG_FILE = "./config.toml";

export function readArguments(args: readonly string[]): {
  settings: Settings;
  configFile: string | null;
  print: "help" | "version" | null;
} {
  const settings: Settings = new Map();
  let configFile: string | null = null;
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    if (argument === "--help" || argument === "-h") return { settings, configFile, print: "help" };
    if (argument === "--version" || argument === "-V") return { settings, configFile, print: "version" };
    if (!argument.startsWith("--")) throw unexpected(args, i);
    const equals = argument.indexOf("=");
    const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    const attached = equals < 0 ? null : argument.slice(equals + 1);
    const spec = OPTION_TABLE.find((candidate) => candidate.name === name);
    const isConfig = name === "config-file-path";
    if (!spec && !isConfig) throw new OptionError(`unknown option \`--${name}\`; see --help`);
    if (spec && settings.has(spec)) throw new OptionError(`option \`--${name}\` is given twice`);
    let text = attached;
    if (text === null && spec?.kind === "flag") text = "true";
    if (text === null && (spec?.kind !== "interval" || isNumber(args[i + 1]))) text = args[++i] ?? null;
    if (text === null && spec?.kind === "interval") text = "true";
    if (text === null || (attached === null && spec?.kind !== "flag" && text.startsWith("--"))) {
      throw new OptionError(`option \`--${name}\` needs a value`);
    }
    if (isConfig) configFile = text;
    else if (spec) settings.set(spec, { text, from: `option \`--${name}\`` });
  }
  return { settings, configFile, print: null };
}

/** What follows a secret may be the rest of it: a key with a space in it, without quotes. */
function unexpected(args: readonly string[], at: number): OptionError {
  const secret = OPTION_TABLE.find(
    (spec) => spec.secret && args.slice(0, at).some((word) => word.startsWith(`--${spec.name}`)),
  );
  if (secret === undefined) return new OptionError(`unexpected argument \`${args[at]}\`; see --help`);
  return new OptionError(`unexpected argument; does the value of \`--${secret.name}\` need quotes? See --help`);
}

export function readEnvironment(env: NodeJS.ProcessEnv): Settings {
  const settings: Settings = new Map();
  for (const spec of OPTION_TABLE) {
    const variable = envName(spec);
    const text = env[variable];
    if (text !== undefined && text !== "") settings.set(spec, { text, from: `environment variable \`${variable}\`` });
  }
  return settings;
}

export function readConfigFile(named: string | null): Settings {
  const path = named ?? DEFAULT_CONFIG_FILE;
  const settings: Settings = new Map();
  if (named === null && !existsSync(path)) return settings;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new OptionError(`cannot read the configuration file \`${path}\`: ${(error as Error).message}`);
  }
  const parsed = parseToml(text);
  if ("problem" in parsed) {
    const line = parsed.line === undefined ? "" : `, line ${parsed.line}`;
    throw new OptionError(`configuration file \`${path}\`${line}: ${parsed.problem}`);
  }
  for (const [key, value] of parsed.values) {
    const spec = OPTION_TABLE.find((candidate) => keyName(candidate) === key);
    if (!spec) throw new OptionError(`configuration file \`${path}\`: unknown key \`${key}\``);
    settings.set(spec, { text: String(value), from: `key \`${key}\` of \`${path}\`` });
  }
  return settings;
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^\d+$/.test(text);
}
