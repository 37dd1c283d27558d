// The code that builds tables and structs with the builder of the FlatBuffers runtime.
import { camelCase, method, pascalCase, structLayout } from "./code.ts";
import type { Kinds } from "./reading.ts";
import type { Definition, Field, Scalar } from "./schema.ts";

const OFFSET_BYTES = 4;

export function structCreator(definition: Definition): string {
  const { bytes, alignment, fields } = structLayout(definition);
  const parameters = fields.map(({ name, scalar }) => `, ${name}: ${scalar.type}`).join("");
  const lines = [`builder.prep(${alignment}, ${bytes});`];
  // The builder writes from the end to the beginning.
  for (const { name, scalar, at, end } of fields.toReversed()) {
    const padding = end - at - scalar.bytes;
    if (padding > 0) lines.push(`builder.pad(${padding});`);
    lines.push(`builder.write${scalar.write}(${written(scalar, name)});`);
  }
  lines.push("return builder.offset();");
  return method(`static create${definition.name}(builder: Builder${parameters}): number`, ...lines);
}

/** The names by which `flatPart` is given the fields of a table that is packed by hand. */
export function packedSlots({ fields }: Definition): string {
  const names = fields.map(({ name }) => JSON.stringify(camelCase(name))).join(", ");
  return `  /** Names of the fields, in order. */\n  static readonly SLOTS = [${names}] as const;\n`;
}

export function tableBuilders({ name, fields }: Definition, kinds: Kinds): string[] {
  return [
    method(`static start${name}(builder: Builder): void`, `builder.startObject(${fields.length});`),
    ...fields.map((field, slot) => adder(field, slot, kinds)),
    ...fields.filter(({ isVector }) => isVector).map(vectorCreator),
    method(`static end${name}(builder: Builder): number`, "return builder.endObject();"),
  ];
}

/** Strings, tables, vectors and structs are named by their offset; a struct must have been made just before. */
function adder({ name, type, isVector }: Field, slot: number, kinds: Kinds): string {
  const camel = camelCase(name);
  const add = `static add${pascalCase(name)}(builder: Builder`;
  if (type.kind === "scalar" && !isVector) {
    const { scalar } = type;
    const line = `builder.addField${scalar.write}(${slot}, ${written(scalar, camel)}, 0);`;
    return method(`${add}, ${camel}: ${scalar.type}): void`, line);
  }
  const isStruct = !isVector && type.kind === "named" && kinds.get(type.name) === "struct";
  const line = `builder.addField${isStruct ? "Struct" : "Offset"}(${slot}, ${camel}, 0);`;
  return method(`${add}, ${camel}: number): void`, line);
}

function vectorCreator({ name, type, forceAlign }: Field): string {
  const create = `static create${pascalCase(name)}Vector(builder: Builder, data: `;
  if (type.kind === "scalar" && type.scalar.read === "Uint8" && type.scalar.type === "number") {
    const align = forceAlign === null ? [] : [`builder.prep(${forceAlign}, data.length);`];
    return method(`${create}Uint8Array): number`, ...align, "return builder.createByteVector(data);");
  }
  const bytes = type.kind === "scalar" ? type.scalar.bytes : OFFSET_BYTES;
  const element = type.kind === "scalar" ? written(type.scalar, "data[i]!") : "data[i]!";
  return method(
    `${create}ArrayLike<${type.kind === "scalar" ? type.scalar.type : "number"}>): number`,
    `builder.startVector(${bytes}, data.length, ${Math.max(bytes, forceAlign ?? 1)});`,
    `for (let i = data.length - 1; i >= 0; i--) builder.add${type.kind === "scalar" ? type.scalar.write : "Offset"}(${element});`,
    "return builder.endVector();",
  );
}

function written({ type }: Scalar, value: string): string {
  return type === "boolean" ? `Number(${value})` : value;
}
