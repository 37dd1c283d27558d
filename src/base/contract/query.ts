/**
 * Reads query strings: each parameter has a reader, a default and a code. The first problem is reported, in the order
 * in which the client wrote the parameters; absent mandatory ones come last. Throws nothing but `ApiError`.
 */

import { type ApiError, apiError, badRequest, type ErrorCode } from "../errors/errors.ts";
import { U64_MAX } from "../json/number.ts";
import type { Json } from "../json/value.ts";

import { readBound } from "../time/dates.ts";
import type { Micros } from "../time/time.ts";
import { indexUidReason, isIndexUid } from "./names.ts";
import { choice, count, decimal, flag, type Schema, text } from "./schema.ts";
import { expectedOneOf, quoteNames } from "./wording.ts";

const U32_MAX = 4_294_967_295;
const ZERO = 0x30;
/** As far from a zero as digits are told by. */
const COMMA = 0x2c - ZERO;
const UID_DIGITS_MAX = 10;
/** Of digits that a number holds exactly. */
const SHORT_COUNT = /^\d{1,15}$/;

/** How JSON can begin; most filters do not, and are spared the cost of a parser that throws. */
const MAYBE_JSON = /^\s*(?:[["{\d-]|(?:true|false|null)\s*$)/;

export interface Param<Value> {
  code: ErrorCode;
  /** Throws an `ApiError` when the text is not acceptable. */
  read(raw: string, name: string, code: ErrorCode): Value;
  /** Code of its absence, when that has one of its own. */
  missing?: ErrorCode;
  /** Stands in when the parameter is absent; without it the parameter is mandatory. */
  absent?: { value: Value };
  /** How the OpenAPI document describes it. */
  schema: Schema;
}

type Values<Params> = { [Name in keyof Params]: Params[Name] extends Param<infer Value> ? Value : never };

/** `*` anywhere in the list stands for everything. */
export type StarOr<Item> = "*" | Item[];

export function readQuery<Params extends Record<string, Param<unknown>>>(
  query: string,
  params: Params,
): Values<Params> {
  const values: Record<string, unknown> = {};
  // Most requests have none, and to find that takes as long as to read some.
  const given = query === "" ? [] : new URLSearchParams(query);
  for (const [name, raw] of given) {
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (!param) throw badRequest(`Unknown parameter \`${name}\`: ${expectedOneOf(name, Object.keys(params))}`);
    values[name] = param.read(raw, name, param.code);
  }
  for (const name of Object.keys(params)) {
    if (Object.hasOwn(values, name)) continue;
    const param = params[name]!;
    if (!param.absent) throw apiError(param.missing ?? param.code, `Missing parameter \`${name}\``);
    values[name] = param.absent.value;
  }
  return values as Values<Params>;
}

/** The same parameter with null for absent. */
export function optionalParam<Value>(param: Omit<Param<Value>, "absent">): Param<Value | null> {
  return { ...param, absent: { value: null } };
}

export function countParam(code: ErrorCode, value = 0): Param<number> {
  return { code, schema: count({ default: value }), absent: { value }, read: readCount };
}

export function u32Param(code: ErrorCode, value = 0): Param<number> {
  return { code, schema: count({ default: value, maximum: U32_MAX }), absent: { value }, read: readU32 };
}

export function flagParam(code: ErrorCode): Param<boolean> {
  return { code, schema: flag({ default: false }), absent: { value: false }, read: readFlag };
}

export function decimalParam(code: ErrorCode): Param<number> {
  return { code, schema: decimal(), read: readDecimal };
}

export function textParam(code: ErrorCode, missing?: ErrorCode): Param<string> {
  return { code, missing, schema: text(), read: readText };
}

export function choiceParam<const Name extends string>(code: ErrorCode, names: readonly Name[]): Param<Name> {
  return {
    code,
    schema: choice([...names], { default: names[0]! }),
    absent: { value: names[0]! },
    read: (raw, name) => readChoice(raw, name, code, names),
  };
}

/** Comma separated; each element is read on its own. Nothing between commas is no element. */
export function listParam<Item>(code: ErrorCode, read: Param<Item>["read"]): Param<Item[]> {
  return { code, schema: text(), read: (raw, name) => readItems(raw, name, code, read) };
}

export function starListParam<Item>(code: ErrorCode, read: Param<Item>["read"]): Param<StarOr<Item>> {
  return {
    code,
    schema: text(),
    read: (raw, name) => {
      let isEverything = false;
      const items = readItems<Item | null>(raw, name, code, (item, at) => {
        if (item !== "*") return read(item, at, code);
        isEverything = true;
        return null;
      });
      return isEverything ? "*" : (items as Item[]);
    },
  };
}

/** Tens of thousands of uids may come in one head: where nothing else stands there, they are read digit by digit. */
export function uidListParam(code: ErrorCode): Param<StarOr<number>> {
  const param = starListParam(code, readU32);
  return { ...param, read: (raw, name) => plainUids(raw) ?? param.read(raw, name, code) };
}

/** Null unless there is nothing but uids, and commas between them. */
function plainUids(raw: string): number[] | null {
  const uids: number[] = [];
  let uid = 0;
  let digits = 0;
  for (let at = 0; at <= raw.length; at++) {
    const digit = at === raw.length ? COMMA : raw.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      uid = uid * 10 + digit;
      digits++;
    } else {
      if (digit !== COMMA || digits === 0 || digits > UID_DIGITS_MAX || uid > U32_MAX) return null;
      uids.push(uid);
      uid = 0;
      digits = 0;
    }
  }
  return uids;
}

export function dateParam(code: ErrorCode, side: "before" | "after"): Param<"*" | Micros> {
  return {
    code,
    schema: text(),
    read: (raw, name) => {
      if (raw === "*") return "*";
      const bound = readBound(raw, side);
      if (bound === null) throw unreadable(raw, name, code, "a date, in the form of RFC 3339 or of YYYY-MM-DD");
      return bound;
    },
  };
}

/** A filter given as text may itself be JSON, which is how lists of filters fit into a query string. */
export function filterParam(code: ErrorCode): Param<Json> {
  return {
    code,
    schema: text(),
    read: (raw, name) => {
      const value = MAYBE_JSON.test(raw) ? jsonOr(raw) : raw;
      if (value === null) throw refused(name, code, "a filter is a string or an array, not `null`");
      return value;
    },
  };
}

/** The value of JSON text; the text itself when it is none. */
function jsonOr(raw: string): Json {
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return raw;
  }
}

function readCount(raw: string, name: string, code: ErrorCode): number {
  // Thousands of them may come in one list, and large numbers take their time.
  if (SHORT_COUNT.test(raw)) return Number(raw);
  if (!/^\d{1,20}$/.test(raw) || BigInt(raw) > U64_MAX) throw unreadable(raw, name, code, "a positive integer");
  return Number(raw);
}

function readU32(raw: string, name: string, code: ErrorCode): number {
  const value = readCount(raw, name, code);
  if (value > U32_MAX) throw unreadable(raw, name, code, "a positive integer");
  return value;
}

export function readDecimal(raw: string, name: string, code: ErrorCode): number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(raw)) throw unreadable(raw, name, code, "a number");
  return Number(raw);
}

export function readText(raw: string): string {
  return raw;
}

export function readIndexUid(raw: string, name: string, code: ErrorCode): string {
  if (!isIndexUid(raw)) throw refused(name, code, indexUidReason(raw));
  return raw;
}

/** Names compare without regard to case, as the interface writes them in any. */
export function readChoiceIn<const Name extends string>(names: readonly Name[]): Param<Name>["read"] {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (raw, name, code) => {
    const found = known.get(raw.toLowerCase());
    if (found === undefined) {
      throw refused(name, code, `\`${raw}\` is not among the accepted values, which are ${quoteNames(names)}.`);
    }
    return found;
  };
}

export function refused(name: string, code: ErrorCode, reason: string): ApiError {
  return apiError(code, `Invalid value in parameter \`${name}\`: ${reason}`);
}

function readFlag(raw: string, name: string, code: ErrorCode): boolean {
  if (raw === "true") return true;
  if (raw === "false") return false;
  throw unreadable(raw, name, code, "a boolean, expected either `true` or `false`");
}

function readChoice<Name extends string>(raw: string, name: string, code: ErrorCode, names: readonly Name[]): Name {
  const found = names.find((known) => known === raw);
  if (found === undefined) {
    throw apiError(code, `Unknown value \`${raw}\` for parameter \`${name}\`: ${expectedOneOf(raw, names)}`);
  }
  return found;
}

function readItems<Item>(raw: string, name: string, code: ErrorCode, read: Param<Item>["read"]): Item[] {
  const parts = raw.split(",").filter((part) => part !== "");
  return parts.map((part, position) => {
    try {
      return read(part, name, code);
    } catch (refusal) {
      // Only a message names the place, and most lists need none.
      if (parts.length === 1) throw refusal;
      return read(part, `${name}[${position}]`, code);
    }
  });
}

function unreadable(raw: string, name: string, code: ErrorCode, what: string): ApiError {
  return refused(name, code, `could not parse \`${raw}\` as ${what}`);
}
