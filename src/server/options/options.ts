/**
 * What can be set at start: every option with its default, read from the command line, the environment and a TOML
 * file, in that order of precedence. Decides nothing beyond "is this value acceptable"; opens no data.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { limits, MIB } from "../../base/limits.ts";
import type { LogLevel } from "../../base/log/target.ts";
import type { S3Options } from "../../storage/s3/options.ts";
import { OptionError } from "./error.ts";
import { resolveS3 } from "./s3.ts";
import { OPTION_TABLE, type OptionKey, type OptionSpec } from "./table.ts";
import { parseToml } from "./toml.ts";

export { isOptionError, OptionError } from "./error.ts";

export interface Options {
  dbPath: string;
  httpAddr: string;
  masterKey: string | null;
  env: "development" | "production";
  noDashboard: boolean;
  noAnalytics: boolean;
  /** Null: usage data is sent nowhere. */
  telemetryUrl: string | null;
  /** Searches are counted, and stay here. */
  analyticsLocal: boolean;
  httpTransport: "auto" | "uws" | "node";
  httpPayloadSizeLimit: number;
  logLevel: LogLevel;
  logsMode: "human" | "json";
  dumpDir: string;
  importDump: string | null;
  ignoreMissingDump: boolean;
  ignoreDumpIfDbExists: boolean;
  snapshotDir: string;
  /** Seconds between two snapshots; null = none. */
  scheduleSnapshot: number | null;
  importSnapshot: string | null;
  ignoreMissingSnapshot: boolean;
  ignoreSnapshotIfDbExists: boolean;
  /** Where snapshots go instead of the directory; null without a store. */
  s3: S3Options | null;
  modelsDir: string;
  modelsDownload: boolean;
  maxIndexingMemory: number;
  maxIndexingThreads: number;
  taskWebhookUrl: string | null;
  taskWebhookAuthorizationHeader: string | null;
  sslCertPath: string | null;
  sslKeyPath: string | null;
  sslAuthPath: string | null;
  recover: boolean;
  upgradeDb: boolean;
  containsFilter: boolean;
  enableMetrics: boolean;
  enableLogsRoute: boolean;
  legacySearch: boolean;
  searchQueueSize: number;
  dropSearchAfter: number;
  maxBatchedTasks: number;
  batchedTasksTotalSize: number;
  embeddingCacheEntries: number;
  personalizationApiKey: string | null;
  personalizationUrl: string | null;
  personalizationModel: string | null;
  /** Private networks (CIDR) that outgoing calls may reach, or `any`. */
  allowedIpNetworks: string[];
  readers: number;
  noRehearsal: boolean;
  memoryBudget: number;
  searchCacheSize: number;
  /** Null: where searches gain by it. */
  vectorCellsFrom: number | null;
  vectorGraphsFrom: number | null;
  vectorGraphBuilder: "own" | "hnswlib";
}

/** What the command line asked for instead of a server. */
export type Startup = { kind: "run"; options: Options } | { kind: "print"; text: string };

type Given = { text: string; from: string };
type Settings = Map<OptionSpec, Given>;

const SNAPSHOT_INTERVAL_S = 86_400;
const DEFAULT_CONFIG_FILE = "./config.toml";
/** Demanded in production, advised elsewhere. */
export const MASTER_KEY_BYTES_MIN = 16;

/** What the options are read for: to start a server with them, unless told otherwise. */
export interface Purpose {
  /** Whether they must do for a server: another process may have been given the rest of them, the master key above all. */
  starts: boolean;
  help(): string;
}
const START: Purpose = { starts: true, help: helpText };

export function readOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  version: string,
  { starts, help } = START,
): Startup {
  const cli = readArguments(args);
  if (cli.print === "help") return { kind: "print", text: help() };
  if (cli.print === "version") return { kind: "print", text: `sabre-search ${version}` };
  const fromEnv = readEnvironment(env);
  const file = cli.configFile ?? env["MEILI_CONFIG_FILE_PATH"] ?? null;
  const fromFile = readConfigFile(file);
  const given: Settings = new Map([...fromFile, ...fromEnv, ...cli.settings]);
  const options = resolve(given, env);
  if (starts) checkTogether(options);
  return { kind: "run", options };
}

/** Whether each option was set to something else than what it is by default. */
export function changedOptions(options: Options): Record<string, boolean> {
  const defaults = Object.entries(resolve(new Map(), {}));
  const given = new Map(Object.entries(options));
  return Object.fromEntries(
    defaults.map(([name, value]) => [name, JSON.stringify(given.get(name)) !== JSON.stringify(value)]),
  );
}

function readArguments(args: readonly string[]): {
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

function readEnvironment(env: NodeJS.ProcessEnv): Settings {
  const settings: Settings = new Map();
  for (const spec of OPTION_TABLE) {
    const variable = envName(spec);
    const text = env[variable];
    if (text !== undefined && text !== "") settings.set(spec, { text, from: `environment variable \`${variable}\`` });
  }
  return settings;
}

function readConfigFile(named: string | null): Settings {
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
  if ("problem" in parsed)
    throw new OptionError(`configuration file \`${path}\`, line ${parsed.line}: ${parsed.problem}`);
  for (const [key, value] of parsed.values) {
    const spec = OPTION_TABLE.find((candidate) => candidate.name.replaceAll("-", "_") === key);
    if (!spec) throw new OptionError(`configuration file \`${path}\`: unknown key \`${key}\``);
    settings.set(spec, { text: String(value), from: `key \`${key}\` of \`${path}\`` });
  }
  return settings;
}

function resolve(given: Settings, env: NodeJS.ProcessEnv): Options {
  const read = <T>(key: OptionKey, otherwise: T, convert: (text: string, from: string) => T): T => {
    for (const [spec, value] of given) if (spec.key === key) return convert(value.text, value.from);
    return otherwise;
  };
  const text = (key: OptionKey): string | null => read<string | null>(key, null, (value) => value) || null;
  const flag = (key: OptionKey): boolean => read(key, false, toFlag);
  const count = (key: OptionKey, otherwise: number, least = 0): number =>
    read(key, otherwise, (value, from) => toCount(value, from, least));
  const size = (key: OptionKey, otherwise: number): number => read(key, otherwise, toSize);
  const choice = <T extends string>(key: OptionKey, otherwise: T, accepted: readonly T[]): T =>
    read(key, otherwise, (value, from) => toChoice(value, from, accepted));

  for (const [spec, value] of given) {
    if (spec.unavailable && value.text !== "false") throw new OptionError(`${value.from}: ${spec.unavailable}`);
  }
  const cores = availableParallelism();
  const twoThirds = Math.floor((memoryBytes() * 2) / 3);
  const maxIndexingMemory = size("maxIndexingMemory", twoThirds);
  const options: Options = {
    dbPath: text("dbPath") ?? "./data.ms",
    httpAddr: text("httpAddr") ?? "localhost:7700",
    masterKey: text("masterKey"),
    env: choice("env", "development", ["development", "production"]),
    noDashboard: flag("noDashboard"),
    noAnalytics: flag("noAnalytics"),
    telemetryUrl: text("telemetryUrl"),
    analyticsLocal: flag("analyticsLocal"),
    httpTransport: choice("httpTransport", "auto", ["auto", "uws", "node"]),
    httpPayloadSizeLimit: size("httpPayloadSizeLimit", limits.payloadBytes),
    logLevel: choice("logLevel", "info", ["off", "error", "warn", "info", "debug", "trace"]),
    logsMode: choice("logsMode", "human", ["human", "json"]),
    dumpDir: text("dumpDir") ?? "dumps/",
    importDump: text("importDump"),
    ignoreMissingDump: flag("ignoreMissingDump"),
    ignoreDumpIfDbExists: flag("ignoreDumpIfDbExists"),
    snapshotDir: text("snapshotDir") ?? "snapshots/",
    scheduleSnapshot: read<number | null>("scheduleSnapshot", null, toInterval),
    importSnapshot: text("importSnapshot"),
    ignoreMissingSnapshot: flag("ignoreMissingSnapshot"),
    ignoreSnapshotIfDbExists: flag("ignoreSnapshotIfDbExists"),
    s3: resolveS3({ text, count, size }, env),
    modelsDir: text("modelsDir") ?? "models/",
    modelsDownload: read("modelsDownload", true, toFlag),
    maxIndexingMemory,
    maxIndexingThreads: count("maxIndexingThreads", cores, 1),
    taskWebhookUrl: text("taskWebhookUrl"),
    taskWebhookAuthorizationHeader: text("taskWebhookAuthorizationHeader"),
    sslCertPath: text("sslCertPath"),
    sslKeyPath: text("sslKeyPath"),
    sslAuthPath: text("sslAuthPath"),
    recover: flag("recover"),
    upgradeDb: flag("upgradeDb"),
    containsFilter: flag("containsFilter"),
    enableMetrics: flag("enableMetrics"),
    enableLogsRoute: flag("enableLogsRoute"),
    legacySearch: flag("legacySearch"),
    searchQueueSize: count("searchQueueSize", 1000, 1),
    dropSearchAfter: count("dropSearchAfter", 60, 1),
    maxBatchedTasks: count("maxBatchedTasks", Number.MAX_SAFE_INTEGER, 1),
    batchedTasksTotalSize: size("batchedTasksTotalSize", Math.min(Math.floor(maxIndexingMemory / 2), 10 * 1024 * MIB)),
    embeddingCacheEntries: count("embeddingCacheEntries", 0),
    personalizationApiKey: text("personalizationApiKey"),
    personalizationUrl: text("personalizationUrl"),
    personalizationModel: text("personalizationModel"),
    allowedIpNetworks: (text("allowedIpNetworks") ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
    readers: Math.min(count("readers", cores, 1), limits.readersMax),
    noRehearsal: flag("noRehearsal"),
    memoryBudget: size("memoryBudget", twoThirds),
    searchCacheSize: size("searchCacheSize", limits.searchCacheBytes),
    vectorCellsFrom: read<number | null>("vectorCellsFrom", null, (value, from) => toCount(value, from, 1)),
    vectorGraphsFrom: read<number | null>("vectorGraphsFrom", null, (value, from) => toCount(value, from, 1)),
    vectorGraphBuilder: choice("vectorGraphBuilder", "own", ["own", "hnswlib"]),
  };
  parseAddress(options.httpAddr);
  return options;
}

/** Of the machine, or what its container or service may take of it; where there is no limit, 0 or a huge one is told. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** What no single option can see: values that need or exclude each other. */
function checkTogether(options: Options): void {
  if (options.importDump && options.importSnapshot) {
    throw new OptionError("`--import-dump` and `--import-snapshot` exclude each other");
  }
  if (options.telemetryUrl !== null && !/^https?:\/\//.test(options.telemetryUrl)) {
    throw new OptionError("`--telemetry-url` must begin with `http://` or `https://`");
  }
  const needs: [boolean, string, string | null, string][] = [
    [options.ignoreMissingDump, "--ignore-missing-dump", options.importDump, "--import-dump"],
    [options.ignoreDumpIfDbExists, "--ignore-dump-if-db-exists", options.importDump, "--import-dump"],
    [options.ignoreMissingSnapshot, "--ignore-missing-snapshot", options.importSnapshot, "--import-snapshot"],
    [options.ignoreSnapshotIfDbExists, "--ignore-snapshot-if-db-exists", options.importSnapshot, "--import-snapshot"],
    [options.sslCertPath !== null, "--ssl-cert-path", options.sslKeyPath, "--ssl-key-path"],
    [options.sslKeyPath !== null, "--ssl-key-path", options.sslCertPath, "--ssl-cert-path"],
    [options.sslAuthPath !== null, "--ssl-auth-path", options.sslCertPath, "--ssl-cert-path"],
  ];
  for (const [given, name, other, needed] of needs) {
    if (given && other === null) throw new OptionError(`\`${name}\` needs \`${needed}\``);
  }
  if (options.env === "production") {
    const bytes = options.masterKey === null ? 0 : Buffer.byteLength(options.masterKey);
    if (bytes < MASTER_KEY_BYTES_MIN) {
      throw new OptionError(
        `in production a master key of at least ${MASTER_KEY_BYTES_MIN} bytes is needed (--master-key or MEILI_MASTER_KEY)` +
          (bytes > 0 ? `; this one has ${bytes}` : ""),
      );
    }
  }
}

/** `host:port`, `[::1]:7700`; the host may not be empty. */
export function parseAddress(address: string): { host: string; port: number } {
  const match = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(address);
  const port = match ? Number(match[2]) : Number.NaN;
  if (!match || port > 65_535) throw new OptionError(`\`${address}\` is no address of the form host:port`);
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

const SIZE_UNITS: Record<string, number> = { "": 1, b: 1 };
for (const [power, letter] of ["k", "m", "g", "t"].entries()) {
  SIZE_UNITS[letter] = SIZE_UNITS[`${letter}b`] = 1000 ** (power + 1);
  SIZE_UNITS[`${letter}ib`] = 1024 ** (power + 1);
}

export function toSize(text: string, from = "size"): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = match ? SIZE_UNITS[match[2]!.toLowerCase()] : undefined;
  const bytes = match && unit !== undefined ? Math.floor(Number(match[1]) * unit) : Number.NaN;
  if (!Number.isSafeInteger(bytes)) {
    throw new OptionError(`${from}: \`${text}\` is no size; write bytes or a unit, such as \`100 MB\` or \`2 GiB\``);
  }
  return bytes;
}

function toCount(text: string, from: string, least: number): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw new OptionError(`${from}: \`${text}\` is no whole number of at least ${least}`);
  }
  return value;
}

function toFlag(text: string, from: string): boolean {
  const value = text.trim().toLowerCase();
  if (["true", "1", "yes", "on"].includes(value)) return true;
  if (["false", "0", "no", "off"].includes(value)) return false;
  throw new OptionError(`${from}: \`${text}\` is neither \`true\` nor \`false\``);
}

function toChoice<T extends string>(text: string, from: string, accepted: readonly T[]): T {
  const found = accepted.find((candidate) => candidate === text.trim().toLowerCase());
  if (found === undefined) throw new OptionError(`${from}: \`${text}\` is not one of ${accepted.join(", ")}`);
  return found;
}

function toInterval(text: string, from: string): number | null {
  if (text === "true") return SNAPSHOT_INTERVAL_S;
  if (text === "false") return null;
  return toCount(text, from, 1);
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && /^\d+$/.test(text);
}

export function envName(spec: OptionSpec): string {
  return spec.env ?? `MEILI_${spec.name.replaceAll("-", "_").toUpperCase()}`;
}

function helpText(): string {
  const lines = [
    "sabre-search: a search server",
    "",
    "Usage: sabre-search [serve] [OPTIONS]",
    "       sabre-search health [OPTIONS]    (asks the running server whether it is well)",
    "       sabre-search import FILE… --index NAME    (documents from files or a pipe)",
    "       sabre-search search INDEX [QUERY]         (as you type, on a terminal)",
    "       sabre-search tasks [--watch]",
    "       sabre-search settings get|set|diff INDEX",
    "       sabre-search dump",
    "       sabre-search snapshot",
    "       sabre-search restore FILE [OPTIONS]       (from a dump or a snapshot)",
    "       sabre-search keys [create|delete]",
    "       sabre-search status",
    "       sabre-search demo                         (an index to try things out on)",
    "       sabre-search migrate --from URL           (all of a running Meilisearch)",
    "       sabre-search doctor [OPTIONS]             (would a server run well here?)",
    "",
    "`sabre` is the same program. Each command has its own --help.",
    "",
    "Every option can also be given as an environment variable (--db-path is MEILI_DB_PATH) or as a key of a TOML file",
    "(db_path); the command line wins over the environment, which wins over the file.",
    "",
    "Options:",
  ];
  const shown = OPTION_TABLE.filter((spec) => !spec.unavailable);
  const labels = shown.map((spec) => `--${spec.name}${spec.kind === "flag" ? "" : ` <${spec.value ?? spec.kind}>`}`);
  const others: [string, string][] = [
    ["--config-file-path <path>", "TOML file to read [default: ./config.toml if it exists]"],
    ["-h, --help", "Print this text"],
    ["-V, --version", "Print the version"],
  ];
  const width = Math.max(...labels.map((label) => label.length), ...others.map(([label]) => label.length));
  for (const [i, spec] of shown.entries()) lines.push(`  ${labels[i]!.padEnd(width)}  ${spec.help}`);
  for (const [label, help] of others) lines.push(`  ${label.padEnd(width)}  ${help}`);
  return lines.join("\n");
}
