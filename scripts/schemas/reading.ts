// The code that reads tables and structs where they lie.
import { camelCase, docComment, method, structLayout } from "./code.ts";
import type { Definition, Field, Scalar, Single } from "./schema.ts";

/** Tables and structs by name. */
export type Kinds = ReadonlyMap<string, Definition["kind"]>;

/** Where the place of a table's first field stands in its table of fields. */
const FIRST_SLOT = 4;
const SLOT_BYTES = 2;
/** Of what leads from one place to another. */
const OFFSET_BYTES = 4;

export function structAccessors(definition: Definition): string[] {
  return structLayout(definition).fields.map(({ name, scalar, at }, index) => {
    const value = scalarAt(scalar, at === 0 ? "this.#at" : `this.#at + ${at}`);
    return docComment(definition.fields[index]!.doc, "  ") + method(`${name}(): ${scalar.type}`, `return ${value};`);
  });
}

export function tableAccessors({ fields }: Definition, kinds: Kinds): string[] {
  return fields.map((field, index) => {
    const slot = FIRST_SLOT + index * SLOT_BYTES;
    return docComment(field.doc, "  ") + (field.isVector ? vectorAccessors : accessor)(field, slot, kinds);
  });
}

function accessor({ name, type }: Field, slot: number, kinds: Kinds): string {
  const { valueType, absent, valueAt } = reading(type, kinds);
  const found = `const at = fieldAt(this.#buffer, this.#at, ${slot});`;
  return method(`${camelCase(name)}(): ${valueType}`, found, `return at === 0 ? ${absent} : ${valueAt("at")};`);
}

function vectorAccessors({ name, type }: Field, slot: number, kinds: Kinds): string {
  const { valueType, absent, valueAt } = reading(type, kinds);
  const elementBytes = type.kind === "scalar" ? type.scalar.bytes : OFFSET_BYTES;
  const found = `const at = fieldAt(this.#buffer, this.#at, ${slot});`;
  const value = valueAt(`elementAt(this.#buffer, at, index, ${elementBytes})`);
  const camel = camelCase(name);
  const members = [
    method(`${camel}(index: number): ${valueType}`, found, `return at === 0 ? ${absent} : ${value};`),
    method(`${camel}Length(): number`, found, "return lengthAt(this.#buffer, at);"),
  ];
  if (type.kind === "scalar") {
    const arrayType = `${type.scalar.read}Array`;
    const array = `return arrayAt(${arrayType}, this.#buffer, at);`;
    members.push(method(`${camel}Array(): ${arrayType} | null`, found, array));
  }
  return members.join("\n");
}

interface Reading {
  valueType: string;
  /** The value of a field that is not there. */
  absent: string;
  valueAt(place: string): string;
}

function reading(type: Single, kinds: Kinds): Reading {
  if (type.kind === "scalar") {
    const { scalar } = type;
    const absent = scalar.type === "boolean" ? "false" : "0";
    return { valueType: scalar.type, absent, valueAt: (place) => scalarAt(scalar, place) };
  }
  if (type.kind === "string") {
    return { valueType: "string | null", absent: "null", valueAt: (place) => `stringAt(this.#buffer, ${place})` };
  }
  const isTable = kinds.get(type.name) === "table";
  return {
    valueType: `${type.name} | null`,
    absent: "null",
    valueAt: (place) => `new ${type.name}(this.#buffer, ${isTable ? `tableAt(this.#buffer, ${place})` : place})`,
  };
}

function scalarAt({ read, type }: Scalar, place: string): string {
  const value = `this.#buffer.read${read}(${place})`;
  return type === "boolean" ? `${value} !== 0` : value;
}
