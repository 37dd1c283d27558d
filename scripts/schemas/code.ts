// Pieces of TypeScript, and what reading and building code both need to know of a definition.
import type { Definition, Field, Scalar } from "./schema.ts";

/** A member of a class. */
export function method(signature: string, ...lines: string[]): string {
  return `  ${signature} {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n`;
}

export function docComment(doc: readonly string[], indent = ""): string {
  if (doc.length === 0) return "";
  if (doc.length === 1) return `${indent}/** ${doc[0]} */\n`;
  return `${indent}/**\n${doc.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** `row_lists` as `rowLists`. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `row_lists` as `RowLists`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel[0]!.toUpperCase() + camel.slice(1);
}

interface StructLayout {
  bytes: number;
  alignment: number;
  /** In order; `end` is where the next one begins, with padding in between. */
  fields: { name: string; scalar: Scalar; at: number; end: number }[];
}

/** Every field at a multiple of its size, and the whole a multiple of the largest. */
export function structLayout({ fields }: Definition): StructLayout {
  const scalars = fields.map(scalarOf);
  const alignment = Math.max(...scalars.map(({ bytes }) => bytes));
  const places: number[] = [];
  let end = 0;
  for (const { bytes } of scalars) {
    const at = alignedTo(end, bytes);
    places.push(at);
    end = at + bytes;
  }
  const bytes = alignedTo(end, alignment);
  return {
    bytes,
    alignment,
    fields: fields.map(({ name }, index) => ({
      name: camelCase(name),
      scalar: scalars[index]!,
      at: places[index]!,
      end: places[index + 1] ?? bytes,
    })),
  };
}

function scalarOf({ name, type }: Field): Scalar {
  if (type.kind !== "scalar") throw new Error(`not a scalar: ${name}`);
  return type.scalar;
}

function alignedTo(at: number, bytes: number): number {
  return Math.ceil(at / bytes) * bytes;
}
