// Random schemas with values for their tables, for the tests of the generator.
import fc from "fast-check";
import { SCALARS } from "../../scripts/schemas/schema.ts";

type Kind = "scalar" | "string" | "struct" | "table";

export interface RandomField {
  name: string;
  kind: Kind;
  /** As the schema names it. */
  type: string;
  isVector: boolean;
  forceAlign: number | null;
}

/** By name of the field; absent ones are not set. Tables and structs are values of the same form. */
export interface RandomValue {
  [name: string]: RandomSingle | RandomSingle[] | undefined;
}
export type RandomSingle = number | boolean | string | RandomValue;

export interface RandomSchema {
  text: string;
  struct: RandomField[];
  inner: RandomField[];
  outer: RandomField[];
}

export const STRUCT = "SomePlace";
export const INNER = "InnerTable";
export const OUTER = "OuterTable";

const scalarName = fc.constantFrom(...Object.keys(SCALARS));

function field(kind: Kind, type: fc.Arbitrary<string>, mayRepeat: boolean): fc.Arbitrary<Omit<RandomField, "name">> {
  return fc.record({
    kind: fc.constant(kind),
    type,
    isVector: mayRepeat ? fc.boolean() : fc.constant(false),
    forceAlign: fc.constant(null),
  });
}

const aligned = fc.record({
  kind: fc.constant<Kind>("scalar"),
  type: scalarName,
  isVector: fc.constant(true),
  forceAlign: fc.constantFrom(8, 16, 64),
});

function fields(of: fc.Arbitrary<Omit<RandomField, "name">>, minLength: number): fc.Arbitrary<RandomField[]> {
  return fc
    .array(of, { minLength, maxLength: 8 })
    .map((list) => list.map((each, index) => ({ ...each, name: `some_field_${"abcdefgh"[index]}` })));
}

const scalar = field("scalar", scalarName, true);
const string = field("string", fc.constant("string"), true);

/** Comments that say something, and such as do not, in all places where they may stand. */
const comment = fc.constantFrom("", "\n// no matter: [;{", "\n/// Told: to readers;", "\n/// One\n/// and two.");

export const schemas: fc.Arbitrary<RandomSchema> = fc
  .record({
    struct: fields(field("scalar", scalarName, false), 1),
    inner: fields(fc.oneof(scalar, string), 0),
    outer: fields(
      fc.oneof(
        scalar,
        string,
        aligned,
        field("struct", fc.constant(STRUCT), false),
        field("table", fc.constant(INNER), true),
        field("table", fc.constant(OUTER), true),
      ),
      1,
    ),
    comment,
  })
  .map(({ comment, ...parts }) => ({
    ...parts,
    text: [
      `// A schema.${comment}\nstruct ${STRUCT} {${parts.struct.map(fieldText).join(comment)}\n}`,
      `table ${INNER}{${parts.inner.map(fieldText).join(" ")}}${comment}`,
      `table ${OUTER} {${comment}${parts.outer.map(fieldText).join("\n")}}`,
      `root_type ${OUTER};file_identifier "TEST";\n`,
    ].join("\n"),
  }));

function fieldText({ name, type, isVector, forceAlign }: RandomField): string {
  const attributes = forceAlign === null ? "" : `(force_align : ${forceAlign})`;
  return `\n${name}: ${isVector ? `[${type}]` : type} ${attributes};`;
}

const DEPTH_MAX = 2;

/** Values for a table of the schema: any of its fields may be absent. */
export function valuesOf(schema: RandomSchema, of: readonly RandomField[], depth = 0): fc.Arbitrary<RandomValue> {
  const single = ({ kind, type }: RandomField): fc.Arbitrary<RandomSingle> => {
    if (kind === "scalar") return scalarValue(type);
    if (kind === "string") return fc.string({ unit: "grapheme", maxLength: 8 });
    if (kind === "struct") return whole(schema.struct);
    return valuesOf(schema, type === INNER ? schema.inner : schema.outer, depth + 1);
  };
  const present = of.filter(({ type }) => type !== OUTER || depth < DEPTH_MAX);
  const entries = present.map((each) => [
    each.name,
    each.isVector ? fc.array(single(each), { maxLength: 3 }) : single(each),
  ]);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] });
}

function whole(struct: readonly RandomField[]): fc.Arbitrary<RandomValue> {
  return fc.record(Object.fromEntries(struct.map(({ name, type }) => [name, scalarValue(type)])));
}

function scalarValue(type: string): fc.Arbitrary<number | boolean> {
  const { bytes, read, type: valueType } = SCALARS[type]!;
  if (valueType === "boolean") return fc.boolean();
  if (read === "Float32") return fc.float({ noNaN: true }).map((value) => value + 0);
  if (read === "Float64") return fc.double({ noNaN: true }).map((value) => value + 0);
  const range = 2 ** (bytes * 8);
  const min = read.startsWith("U") ? 0 : -range / 2;
  return fc.integer({ min, max: min + range - 1 });
}
