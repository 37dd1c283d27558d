/**
 * Checks a parsed JSON body against its description and reports the first problem in the interface's words.
 * Keys are visited in the order in which the client wrote them, absent ones last. Throws nothing but `ApiError`.
 */

import type { Static, TSchema } from "typebox";
import { type ApiError, apiError, type ErrorCode } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import type { ObjectRule } from "./schema.ts";
import { alternatives, expectedOneOf, isWhole, kindOf, quoteValue } from "./wording.ts";

/** What the engine reads of a schema: a part of JSON Schema, and the annotations of `schema.ts`. */
interface Node extends Omit<ObjectRule, "check"> {
  type?: string;
  anyOf?: Node[];
  enum?: string[];
  items?: Node;
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  maxLength?: number;
  check?: (value: Json, at: Place) => void;
}

/** Where the engine stands in the body, and the code that a problem there carries. */
export class Place {
  readonly code: ErrorCode;
  readonly #outer: Place | null;
  /** A key, a position, or null for the place of `outer` itself. */
  readonly #step: string | number | null;

  constructor(code: ErrorCode, outer: Place | null = null, step: string | number | null = null) {
    this.code = code;
    this.#outer = outer;
    this.#step = step;
  }

  /** Put together only where it is told: most bodies have nothing wrong with them. */
  get path(): string {
    const outer = this.#outer;
    const step = this.#step;
    if (outer === null) return "";
    if (step === null) return outer.path;
    return typeof step === "number" ? `${outer.path}[${step}]` : `${outer.path}.${step}`;
  }

  key(name: string): Place {
    return new Place(this.code, this, name);
  }

  item(position: number): Place {
    return new Place(this.code, this, position);
  }

  withCode(code: ErrorCode | undefined): Place {
    return code === undefined || code === this.code ? this : new Place(code, this);
  }

  /** Refuses the value here for a reason that is not its type. */
  refuse(reason: string): never {
    throw apiError(this.code, `Invalid value${this.phrase("at")}: ${reason}`);
  }

  /** ` at `.a.b[0]``, or nothing at the root. */
  phrase(preposition: "at" | "inside"): string {
    return this.path === "" ? "" : ` ${preposition} \`${this.path}\``;
  }
}

/** The body with defaults filled in. `code` is what problems carry where the schema names none. */
export function validate<Schema extends TSchema>(
  schema: Schema,
  body: unknown,
  code: ErrorCode = "bad_request",
): Static<Schema> {
  return visit(schema as unknown as Node, body as Json, new Place(code)) as Static<Schema>;
}

function visit(schema: Node, value: Json, outer: Place): Json {
  const place = outer.withCode(schema.code);
  const result = visitByKind(schema, value, place);
  schema.check?.(result, place);
  return result;
}

function visitByKind(schema: Node, value: Json, place: Place): Json {
  if (schema.anyOf) {
    const branch = schema.anyOf.find((option) => acceptsKind(option, value));
    if (!branch) throw wrongKind(schema, value, place);
    return visit(branch, value, place);
  }
  if (!acceptsKind(schema, value)) throw wrongKind(schema, value, place);
  if (schema.enum) return visitName(schema.enum, value as string, place);
  if (typeof value === "number") return visitNumber(schema, value, place);
  if (typeof value === "string") return visitText(schema, value, place);
  if (schema.items) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
    const { length } = value as Json[];
    if (length > maxItems) place.refuse(`${length} elements are more than the ${maxItems} that are accepted`);
    return (value as Json[]).map((item, position) => visit(items, item, place.item(position)));
  }
  if (schema.properties) return visitObject(schema, schema.properties, value as JsonObject, place);
  if (schema.patternProperties) {
    const [values] = Object.values(schema.patternProperties);
    const entries = Object.entries(value as JsonObject);
    return Object.fromEntries(entries.map(([key, item]) => [key, visit(values!, item, place.key(key))]));
  }
  return value;
}

function visitObject(schema: Node, properties: Record<string, Node>, value: JsonObject, place: Place): JsonObject {
  const { constants, others } = absentOf(properties);
  // A copy of all constant defaults at once: results of one schema have one shape, which whoever reads them is grateful for.
  const result: JsonObject = { ...constants };
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) result[key] = visit(properties[key]!, value[key]!, place.key(key));
    else if (schema.immutable && Object.hasOwn(schema.immutable, key)) {
      throw unwritable(`Immutable field \`${key}\``, key, properties, place.withCode(schema.immutable[key]));
    } else if (!schema.ignoreUnknown) throw unwritable(`Unknown field \`${key}\``, key, properties, place);
  }
  for (const { key, property } of others) {
    if (Object.hasOwn(result, key)) continue;
    if (property.default !== undefined) result[key] = ownCopy(property.default);
    else throw apiError(property.missing ?? place.code, `Missing field \`${key}\`${place.phrase("inside")}`);
  }
  return result;
}

/** What stands in for keys that are absent. */
interface Absent {
  /** Defaults that are no objects. */
  constants: JsonObject;
  /** Keys whose default is an object, and keys that must not be absent. */
  others: { key: string; property: Node }[];
}

const absents = new WeakMap<Record<string, Node>, Absent>();

function absentOf(properties: Record<string, Node>): Absent {
  let absent = absents.get(properties);
  if (absent === undefined) {
    absent = { constants: {}, others: [] };
    for (const [key, property] of Object.entries(properties)) {
      const fallback = property.default;
      if (fallback !== undefined && (typeof fallback !== "object" || fallback === null)) {
        absent.constants[key] = fallback;
      } else if (fallback !== undefined || !isOptional(property)) absent.others.push({ key, property });
    }
    absents.set(properties, absent);
  }
  return absent;
}

/** Defaults belong to the schema: a caller that changes its result must not change them. */
function ownCopy(value: Json): Json {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

function visitName(names: string[], value: string, place: Place): string {
  if (names.includes(value)) return value;
  throw apiError(place.code, `Unknown value \`${value}\`${place.phrase("at")}: ${expectedOneOf(value, names)}`);
}

function visitNumber(schema: Node, value: number, place: Place): number {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (value < minimum) place.refuse(`value: \`${value}\` is too small to be accepted, minimum is \`${minimum}\``);
  if (value > maximum) place.refuse(`value: \`${value}\` is too large to be accepted, maximum is \`${maximum}\``);
  return value;
}

function visitText({ maxLength = Number.POSITIVE_INFINITY }: Node, value: string, place: Place): string {
  if (value.length > maxLength) {
    place.refuse(`${value.length} characters are more than the ${maxLength} that are accepted`);
  }
  return value;
}

function unwritable(opening: string, key: string, properties: Record<string, Node>, place: Place): ApiError {
  return apiError(place.code, `${opening}${place.phrase("inside")}: ${expectedOneOf(key, Object.keys(properties))}`);
}

function wrongKind(schema: Node, value: Json, place: Place): ApiError {
  const expected = alternatives([...new Set(kindsOf(schema))].filter((kind) => kind !== "null"));
  const found = `${kindOf(value)}: ${quoteValue(value)}`;
  return apiError(
    place.code,
    `Invalid value type${place.phrase("at")}: expected ${expected}, but found ${value === null ? "null" : found}`,
  );
}

function kindsOf(schema: Node): string[] {
  return schema.anyOf === undefined ? [expectedKind(schema)] : schema.anyOf.flatMap(kindsOf);
}

function isOptional(schema: Node): boolean {
  return "~optional" in schema;
}

function acceptsKind(schema: Node, value: Json): boolean {
  if (schema.anyOf) return schema.anyOf.some((option) => acceptsKind(option, value));
  if (schema.enum) return typeof value === "string";
  switch (schema.type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === schema.type;
    case "integer":
      return isWhole(value) && (value >= 0 || (schema.minimum ?? -1) < 0);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

function expectedKind(schema: Node): string {
  if (schema.enum) return "a string";
  switch (schema.type) {
    case "integer":
      return schema.minimum === undefined ? "an integer" : "a positive integer";
    case "array":
    case "object":
      return `an ${schema.type}`;
    case "null":
      return "null";
    default:
      return `a ${schema.type}`;
  }
}
