/**
 * The kinds of options: how the text of one is read and checked, and what it is when nobody gives it. An entry of the
 * table is made by one of these functions. Opens nothing.
 */
import { OptionError } from "./error.ts";

/** What a default may be made from. */
export interface Basis {
  cores: number;
  /** Two thirds of what this process may take. */
  memoryBytes: number;
  /** As given, or by default. */
  indexingBytes(): number;
}

interface More {
  /** The default as `--help` shows it, where there is one to show. */
  shown?: string;
  /** Placeholder of the value in `--help`. */
  value?: string;
  /** Where the name of the environment variable does not follow the rule. */
  env?: string;
  /** Its value is never shown. */
  secret?: true;
  /** The name of the option without which it means nothing. */
  needs?: string;
  /** Why this server cannot honour the option; giving it refuses to start, since ignoring it would mislead. */
  unavailable?: string;
}

export interface Option<T = unknown> extends More {
  /** As on the command line; the environment and the file derive theirs from it. */
  name: string;
  kind: "text" | "path" | "size" | "count" | "choice" | "flag" | "interval";
  help: string;
  /** `from` says in messages where the text was found. */
  read(text: string, from: string): T;
  otherwise(basis: Basis): T;
}

/** What the options of a table are, by the keys of the table. */
export type Values<T> = { -readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never };

type Read<T> = Option<T>["read"];
/** What an option is when nobody gives it: null unless it is said. */
type Default<D> = D | ((basis: Basis) => D);
type Entry<D> = More & { otherwise?: Default<D> };

function option<T, D>(
  names: Pick<Option, "name" | "kind" | "help">,
  { otherwise = null as D, ...more }: Entry<D>,
  read: Read<T>,
  format: (value: D) => string = String,
): Option<T | D> {
  const isMade = (value: Default<D>): value is (basis: Basis) => D => typeof value === "function";
  const shown = isMade(otherwise) || otherwise === null || otherwise === false ? {} : { shown: format(otherwise) };
  return { ...names, ...shown, ...more, read, otherwise: isMade(otherwise) ? otherwise : () => otherwise };
}

type Check = (text: string, from: string) => void;

export function text<D extends string | null = null>(
  name: string,
  help: string,
  { check, ...more }: Entry<D> & { check?: Check } = {},
): Option<string | D> {
  return option<string, D>({ name, kind: "text", help }, more, (given, from) => {
    check?.(given, from);
    return given;
  });
}

export function path<D extends string | null = null>(
  name: string,
  help: string,
  more: Entry<D> = {},
): Option<string | D> {
  return option<string, D>({ name, kind: "path", help }, more, (given) => given);
}

export function list(name: string, help: string, more: More): Option<string[]> {
  const read = (given: string): string[] => given.split(",").map((part) => part.trim());
  return option<string[], string[]>({ name, kind: "text", help }, { ...more, otherwise: [] }, (given) =>
    read(given).filter((part) => part !== ""),
  );
}

export function flag(name: string, help: string, more: Entry<boolean> = {}): Option<boolean> {
  return option<boolean, boolean>({ name, kind: "flag", help }, { otherwise: false, ...more }, toFlag);
}

export function choice<const T extends string>(
  name: string,
  help: string,
  accepted: readonly T[],
  more: Entry<NoInfer<T>>,
): Option<T> {
  return option<T, T>({ name, kind: "choice", help }, more, (given, from) => {
    const found = accepted.find((candidate) => candidate === given.trim().toLowerCase());
    if (found === undefined) throw new OptionError(`${from}: \`${given}\` is not one of ${accepted.join(", ")}`);
    return found;
  });
}

interface Bounds {
  least?: number;
  most?: number;
}

export function count<D extends number | null = null>(
  name: string,
  help: string,
  { least = 0, most, ...more }: Entry<D> & Bounds = {},
): Option<number | D> {
  return option<number, D>({ name, kind: "count", help }, more, (given, from) =>
    within(toCount(given, from, least), from, { most }),
  );
}

export function size<D extends number | null = null>(
  name: string,
  help: string,
  { least, most, ...more }: Entry<D> & Bounds = {},
): Option<number | D> {
  const read: Read<number> = (given, from) => within(toSize(given, from), from, { least, most });
  return option<number, D>({ name, kind: "size", help }, more, read, (bytes) => sizeText(Number(bytes)));
}

/** More than there can be of it is taken as the most. */
export function capped(option: Option<number>, most: number): Option<number> {
  return {
    ...option,
    read: (given, from) => Math.min(option.read(given, from), most),
    otherwise: (basis) => Math.min(option.otherwise(basis), most),
  };
}

/** Seconds, `true` for the usual interval, or `false` for none. */
export function interval(name: string, help: string, usual: number): Option<number | null> {
  const shown = `${usual}`;
  return option<number | null, null>({ name, kind: "interval", help }, { value: "seconds", shown }, (given, from) => {
    if (given === "true") return usual;
    return given === "false" ? null : toCount(given, from, 1);
  });
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

/** In the unit that takes the smallest whole number. */
function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "KiB", "MiB", "GiB"].map((unit) => ({ unit, bytes: toSize(`1 ${unit}`) }));
  const whole = units.filter((unit) => bytes % unit.bytes === 0).sort((a, b) => b.bytes - a.bytes);
  return `${bytes / whole[0]!.bytes} ${whole[0]!.unit}`;
}

function toCount(text: string, from: string, least: number): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw new OptionError(`${from}: \`${text}\` is no whole number of at least ${least}`);
  }
  return value;
}

function within(value: number, from: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Partial<Bounds>): number {
  if (value < least || value > most) throw new OptionError(`${from}: must lie between ${least} and ${most}`);
  return value;
}

function toFlag(text: string, from: string): boolean {
  const value = text.trim().toLowerCase();
  if (["true", "1", "yes", "on"].includes(value)) return true;
  if (["false", "0", "no", "off"].includes(value)) return false;
  throw new OptionError(`${from}: \`${text}\` is neither \`true\` nor \`false\``);
}

/** Of a program that speaks HTTP. */
export function checkUrl(text: string, from: string): void {
  if (!/^https?:\/\//.test(text)) throw new OptionError(`${from}: must begin with \`http://\` or \`https://\``);
}

/** `host:port`, `[::1]:7700`; the host may not be empty. */
export function parseAddress(address: string): { host: string; port: number } {
  const match = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(address);
  const port = match ? Number(match[2]) : Number.NaN;
  if (!match || port > 65_535) throw new OptionError(`\`${address}\` is no address of the form host:port`);
  return { host: match[1]!.replace(/^\[|\]$/g, ""), port };
}

/** The name of its variable in the environment. */
export function envName({ env, name }: Pick<Option, "env" | "name">): string {
  return env ?? `MEILI_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** Its name in the configuration file. */
export function keyName({ name }: Pick<Option, "name">): string {
  return name.replaceAll("-", "_");
}
