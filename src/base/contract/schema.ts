/**
 * The vocabulary in which bodies are described: TypeBox schemas that also carry the interface's error codes.
 * One description serves validation, types and the OpenAPI document. Builders only; nothing is checked here.
 *
 *     object({ uid: text({ code: "invalid_index_uid", missing: "missing_index_uid" }),
 *              primaryKey: orNull(text({ code: "invalid_index_primary_key" })) })
 */

import type { Static, TSchema } from "typebox";
// All of it by names: only what is used goes into the bundles.
import * as Type from "typebox";
import type { ErrorCode } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";
import type { Place } from "./validate.ts";

export interface Rule<Value = never> {
  /** Code of every problem in this value and below it, unless something below has its own. */
  code?: ErrorCode;
  /** Code when the key is absent; without it, the code of the object that lacks the key. */
  missing?: ErrorCode;
  /** Makes the key mandatory no longer: this value stands in when it is absent. */
  default?: Json;
  /** Further rules; refuses with `at.refuse(reason)` or by throwing an `ApiError`. */
  check?: (value: Value, at: Place) => void;
  description?: string;
}

export interface ObjectRule<Value = JsonObject> extends Rule<Value> {
  /** Keys that exist but cannot be written, with the code that says so. */
  immutable?: Record<string, ErrorCode>;
  /** Unknown keys are passed over instead of refused. */
  ignoreUnknown?: boolean;
}

export type Schema = TSchema;

const annotated = (rule: object): Record<string, unknown> => ({ ...rule });

export const text = (rule: Rule<string> & { maxLength?: number } = {}) => Type.String(annotated(rule));
export const flag = (rule: Rule<boolean> = {}) => Type.Boolean(annotated(rule));

/** A whole number from 0 on. */
export const count = (rule: Rule<number> & { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, ...annotated(rule) });

export const integer = (rule: Rule<number> = {}) => Type.Integer(annotated(rule));

export const decimal = (rule: Rule<number> & { minimum?: number; maximum?: number } = {}) =>
  Type.Number(annotated(rule));

export const choice = <const Names extends string[]>(names: readonly [...Names], rule: Rule<string> = {}) =>
  Type.Enum(names, annotated(rule));

export const list = <Item extends TSchema>(item: Item, rule: Rule<Json[]> & { maxItems?: number } = {}) =>
  Type.Array(item, annotated(rule));
export const texts = (rule: Rule<Json[]> & { maxItems?: number } = {}) => list(text(), rule);
/** Names of attributes in a question. */
export const askedNames = (code: ErrorCode, check?: Rule<Json[]>["check"]) =>
  list(text({ maxLength: limits.nameUnits }), {
    code,
    maxItems: limits.namesPerSearch,
    ...(check === undefined ? {} : { check }),
  });
/** The same with patterns among them. */
export const askedPatterns = (code: ErrorCode) => askedNames(code, checkPatterns);

function checkPatterns(names: Json[], at: Place): void {
  const count = names.filter((name) => typeof name === "string" && /^\*.|.\*$/s.test(name)).length;
  const most = limits.patternsPerSearch;
  if (count > most) at.refuse(`${count} patterns are more than the ${most} that are accepted`);
}

/** An object whose keys are free: what `Type.Record` makes, which would bring along the library's whole engine for types. */
export const dictionary = <Value extends TSchema>(value: Value, rule: Rule<JsonObject> = {}) =>
  Type.Unsafe<Record<string, Static<Value>>>({
    type: "object",
    patternProperties: { "^.*$": value },
    ...annotated(rule),
  });

export const object = <Properties extends Record<string, TSchema>>(properties: Properties, rule: ObjectRule = {}) =>
  Type.Object(properties, { additionalProperties: rule.ignoreUnknown === true, ...annotated(rule) });

/** Any JSON object. */
export const anyObject = (rule: Rule<JsonObject> = {}) => Type.Unsafe<JsonObject>(dictionary(Type.Unknown(), rule));

/** Any JSON value at all. */
export const anything = (rule: Rule<Json> = {}) => Type.Unsafe<Json>(Type.Unknown(annotated(rule)));

export const either = <Options extends TSchema[]>(options: [...Options], rule: Rule<Json> = {}) =>
  Type.Union(options, annotated(rule));

export const nothing = () => Type.Null();

export const optional = <Value extends TSchema>(value: Value) => Type.Optional(value);

/** Accepts null, and stands as `fallback` when absent. */
export const orNull = <Value extends TSchema>(value: Value, fallback: Json = null) =>
  Type.Union([value, Type.Null()], { ...inherited(value), default: fallback });

/** Accepts null, which then differs from being absent: for partial updates. */
export const resettable = <Value extends TSchema>(value: Value) =>
  Type.Optional(Type.Union([value, Type.Null()], inherited(value)));

/** A union speaks for the value it wraps: same code, same text. */
function inherited(value: TSchema): Record<string, unknown> {
  const { code, missing, description } = value as TSchema & Rule;
  return Object.fromEntries(Object.entries({ code, missing, description }).filter(([, set]) => set !== undefined));
}
