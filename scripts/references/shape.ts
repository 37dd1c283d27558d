// Values of the interface in words: what a field takes, and the fields of an object with all below them.
import { openApiDocument } from "../../src/base/contract/openapi.ts";
import { code, codes } from "./markdown.ts";

/** A schema as the OpenAPI document has it. */
export interface Shape {
  $ref?: string;
  type?: string;
  enum?: string[];
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: boolean | Shape;
  required?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

export interface FieldRow {
  /** With dots; `[]` stands for any item of a list, `{name}` for any key. */
  path: string;
  takes: string;
  isRequired: boolean;
  /** As JSON, null where there is none worth telling. */
  fallback: string | null;
}

/** Longer lists of names are counted. */
const NAMES_SHOWN = 12;

export function resolve(shape: Shape): Shape {
  if (shape.$ref === undefined) return shape;
  const { schemas } = openApiDocument()["components"] as unknown as { schemas: Record<string, Shape> };
  return schemas[shape.$ref.split("/").at(-1)!]!;
}

export function inWords(given: Shape): string {
  const shape = resolve(given);
  if (shape.anyOf) return [...new Set(shape.anyOf.map(inWords))].join(" or ");
  if (shape.enum) return shape.enum.length > NAMES_SHOWN ? `one of ${shape.enum.length} names` : codes(shape.enum);
  if (shape.type === "array")
    return `list of ${inWords(shape.items ?? {}).replace(/\b(string|object|number)\b/g, "$1s")}`;
  if (shape.type === "integer") return `whole number${bounds(shape)}`;
  if (shape.type === "number") return `number${bounds(shape)}`;
  if (shape.type === "null") return code("null");
  return shape.type ?? "anything";
}

function bounds({ minimum, maximum }: Shape): string {
  if (maximum !== undefined) return `, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined || minimum === 0 ? "" : `, from ${minimum}`;
}

/** The fields of an object, each followed by those below it; none for other values. */
export function fieldRows(given: Shape, before = ""): FieldRow[] {
  const shape = resolve(given);
  const rows: FieldRow[] = [];
  for (const option of shape.anyOf ?? []) rows.push(...fieldRows(option, before));
  if (shape.items) rows.push(...fieldRows(shape.items, `${before}[]`));
  const free = shape.additionalProperties;
  if (typeof free === "object") rows.push(...fieldRows(free, `${before}.{name}`));
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const path = before === "" ? name : `${before}.${name}`;
    const { default: fallback } = resolve(field);
    rows.push({
      path,
      takes: inWords(field),
      isRequired: shape.required?.includes(name) ?? false,
      fallback: fallback === undefined || fallback === null ? null : JSON.stringify(fallback),
    });
    rows.push(...fieldRows(field, path));
  }
  return rows;
}
