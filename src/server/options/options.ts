/**
 * What can be set at start: every option with its value, read from the command line, the environment and a TOML file, in
 * that order of precedence. Decides nothing beyond "is this value acceptable"; opens no data.
 */
import { availableParallelism, totalmem } from "node:os";
import type { S3Options } from "../../storage/s3/options.ts";
import { isInStore } from "./blobs.ts";
import { CLUSTER_TABLE, type ClusterOptions, resolveCluster } from "./cluster.ts";
import { OptionError } from "./error.ts";
import { helpText } from "./help.ts";
import type { Basis, Option, Values } from "./kinds.ts";
import { resolveS3, S3_TABLE } from "./s3.ts";
import { readArguments, readConfigFile, readEnvironment, type Settings } from "./sources.ts";
import { OPTION_TABLE, TABLE } from "./table.ts";

export { isOptionError, OptionError } from "./error.ts";

export interface Options extends Values<typeof TABLE> {
  /** Where snapshots go instead of the directory; null without a store. */
  s3: S3Options | null;
  /** The servers it shares its state with; null on its own. */
  cluster: ClusterOptions | null;
}

/** What the command line asked for instead of a server. */
type Startup = { kind: "run"; options: Options } | { kind: "print"; text: string };

/** Demanded in production, advised elsewhere. */
export const MASTER_KEY_BYTES_MIN = 16;

/** What the options are read for: to start a server with them, unless told otherwise. */
interface Purpose {
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

function resolve(given: Settings, env: NodeJS.ProcessEnv): Options {
  for (const [spec, value] of given) {
    if (spec.unavailable && value.text !== "false") throw new OptionError(`${value.from}: ${spec.unavailable}`);
  }
  const basis: Basis = {
    cores: availableParallelism(),
    memoryBytes: Math.floor((memoryBytes() * 2) / 3),
    indexingBytes: () => chosen(TABLE.maxIndexingMemory, given, basis),
  };
  const s3 = valuesOf(S3_TABLE, given, basis);
  const cluster = valuesOf(CLUSTER_TABLE, given, basis);
  return {
    ...valuesOf(TABLE, given, basis),
    s3: resolveS3(s3, env, isInStore(cluster.blobs)),
    cluster: resolveCluster(cluster, { given: s3, env }),
  };
}

function valuesOf<T extends Record<string, Option>>(table: T, given: Settings, basis: Basis): Values<T> {
  return Object.fromEntries(
    Object.entries(table).map(([key, option]) => [key, chosen(option, given, basis)]),
  ) as Values<T>;
}

/** An empty text is as good as none. */
function chosen<T>(option: Option<T>, given: Settings, basis: Basis): T {
  const value = given.get(option);
  return value === undefined || value.text === "" ? option.otherwise(basis) : option.read(value.text, value.from);
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
  if (options.cluster !== null && (options.importDump ?? options.importSnapshot) !== null) {
    throw new OptionError("a server of a cluster cannot begin with a dump or a snapshot (`--import-…`)");
  }
  const isGiven = new Map<string, boolean>();
  for (const [key, { name }] of Object.entries(TABLE)) {
    const value = options[key as keyof typeof TABLE];
    isGiven.set(name, value !== null && value !== false);
  }
  for (const { name, needs } of OPTION_TABLE) {
    if (needs !== undefined && isGiven.get(name) && !isGiven.get(needs)) {
      throw new OptionError(`\`--${name}\` needs \`--${needs}\``);
    }
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
