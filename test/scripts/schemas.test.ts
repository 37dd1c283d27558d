// The code that is generated from schemas: what it builds, it reads, and it lies as FlatBuffers say.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { Builder, ByteBuffer } from "flatbuffers";
import { generate } from "../../scripts/schemas/generate.ts";
import { parseSchema } from "../../scripts/schemas/parse.ts";
import { SCALARS } from "../../scripts/schemas/schema.ts";
import {
  INNER,
  OUTER,
  type RandomField,
  type RandomSchema,
  type RandomSingle,
  type RandomValue,
  STRUCT,
  schemas,
  valuesOf,
} from "./random-schema.ts";

/** Accessors of an object of a generated class, and its static functions. */
type Accessors = Record<string, (index?: number) => unknown>;
type Statics = Record<string, (...args: unknown[]) => unknown>;
type Classes = Record<string, Statics>;

const folder = mkdtempSync(path.join(tmpdir(), "schemas-"));
after(() => rmSync(folder, { recursive: true }));
let loaded = 0;

async function load(schema: RandomSchema): Promise<Classes> {
  const home = path.join(folder, String(loaded++));
  mkdirSync(path.join(home, "generated"), { recursive: true });
  const runtime = new URL("../../src/storage/segment/flat-read.ts", import.meta.url).href;
  writeFileSync(path.join(home, "flat-read.ts"), `export * from ${JSON.stringify(runtime)};\n`);
  writeFileSync(path.join(home, "package.json"), '{ "type": "module" }');
  const files = generate(new Map([["test", parseSchema(schema.text)]]));
  for (const [name, code] of files) writeFileSync(path.join(home, "generated", name), code);
  const modules = await Promise.all(
    [...files.keys()].map((name) => import(pathToFileURL(path.join(home, "generated", name)).href)),
  );
  return Object.assign({}, ...modules);
}

suite("Generated code", () => {
  test("reads what it has built", async () => {
    const samples = schemas.chain((schema) => fc.tuple(fc.constant(schema), valuesOf(schema, schema.outer)));
    await fc.assert(
      fc.asyncProperty(samples, async ([schema, value]) => {
        const classes = await load(schema);
        const builder = new Builder(16);
        const outer = classes[OUTER]!;
        outer[`finish${OUTER}Buffer`]!(builder, build(classes, schema, OUTER, builder, value));
        const buffer = new ByteBuffer(Uint8Array.from(builder.asUint8Array()));
        assert.equal(outer["bufferHasIdentifier"]!(buffer), true);
        const table = outer[`getRootAs${OUTER}`]!(buffer) as Accessors;
        check(schema, schema.outer, table, value);
        checkLayout(schema.outer, buffer, value);
      }),
      { numRuns: 40 },
    );
  });
});

suite("A schema", () => {
  test("is read with its comments and attributes", () => {
    const { definitions, root } = parseSchema(`
      include "other.fbs"; attribute "packed";
      /// What it is.
      table One (packed) { /// First,
        /// and more.
        a_b:[ubyte] (force_align: 64); // not told
        c : Other; }
      root_type One; file_identifier "ABCD";`);
    assert.deepEqual(root, { name: "One", identifier: "ABCD" });
    const ubyte = { kind: "scalar", scalar: SCALARS["ubyte"] };
    assert.deepEqual(definitions, [
      {
        kind: "table",
        name: "One",
        isPacked: true,
        doc: ["What it is."],
        fields: [
          { name: "a_b", type: ubyte, isVector: true, forceAlign: 64, doc: ["First,", "and more."] },
          { name: "c", type: { kind: "named", name: "Other" }, isVector: false, forceAlign: null, doc: [] },
        ],
      },
    ]);
  });

  for (const [problem, text] of [
    ["line 2: `enum` is not supported", "table A {}\nenum B:ubyte { C }"],
    ["line 1: `long` is not supported", "table A { b:long; }"],
    ["expected `;`, not `=`", "table A { b:int = 3; }"],
    ["`id` is no known attribute", "table A { b:int (id: 0); }"],
    ["structs of other than scalars", "struct A { b:string; }"],
    ["a struct has fields", "struct A {}"],
    ["only vectors are aligned", "table A { b:int (force_align: 8); }"],
    ["an identifier has four letters", 'table A {} root_type A; file_identifier "ABC";'],
    ["expected `;`, not `the end`", "table A { b:int"],
    ["no such type: B", "table A { b:B; }"],
    ["vectors of structs", "struct B { c:int; } table A { b:[B]; }"],
    ["the same name", "table A {} table A {}"],
    ["no such table: B", 'table A {} root_type B; file_identifier "ABCD";'],
  ] as const) {
    test(`is refused: ${problem}`, () => {
      assert.throws(
        () => generate(new Map([["test", parseSchema(text)]])),
        (error: Error) => error.message.includes(problem),
      );
    });
  }
});

function fieldsOf(schema: RandomSchema, name: string): readonly RandomField[] {
  return name === INNER ? schema.inner : schema.outer;
}

/** Offset of a new table. */
function build(classes: Classes, schema: RandomSchema, name: string, builder: Builder, value: RandomValue): number {
  const statics = classes[name]!;
  const fields = fieldsOf(schema, name).filter((field) => field.name in value);
  const offsetOf = ({ kind, type }: RandomField, single: RandomSingle): unknown => {
    if (kind === "string") return builder.createString(single as string);
    return kind === "table" ? build(classes, schema, type, builder, single as RandomValue) : single;
  };
  const ready = fields.map((field): unknown => {
    const given = value[field.name]!;
    if (!field.isVector) return offsetOf(field, given as RandomSingle);
    const elements = (given as RandomSingle[]).map((each) => offsetOf(field, each));
    const isBytes = SCALARS[field.type]?.read === "Uint8" && SCALARS[field.type]?.type === "number";
    return statics[`create${pascal(field.name)}Vector`]!(
      builder,
      isBytes ? Uint8Array.from(elements as number[]) : elements,
    );
  });
  statics[`start${name}`]!(builder);
  for (const [index, field] of fields.entries()) {
    const struct = () => Object.values(inOrder(schema.struct, value[field.name] as RandomValue));
    const add = field.kind === "struct" ? classes[STRUCT]![`create${STRUCT}`]!(builder, ...struct()) : ready[index];
    statics[`add${pascal(field.name)}`]!(builder, add);
  }
  return statics[`end${name}`]!(builder) as number;
}

function inOrder(fields: readonly RandomField[], value: RandomValue): RandomValue {
  return Object.fromEntries(fields.map(({ name }) => [name, value[name]!]));
}

function check(schema: RandomSchema, fields: readonly RandomField[], table: Accessors, value: RandomValue): void {
  for (const field of fields) {
    const name = camel(field.name);
    const given = value[field.name];
    if (!field.isVector) {
      checkSingle(schema, field, table[name]!(), given as RandomSingle | undefined);
      continue;
    }
    const elements = (given ?? []) as RandomSingle[];
    assert.equal(table[`${name}Length`]!(), elements.length);
    for (const [index, each] of elements.entries()) checkSingle(schema, field, table[name]!(index), each);
    if (field.kind !== "scalar") continue;
    const array = table[`${name}Array`]!() as ArrayLike<number> | null;
    assert.deepEqual(array === null ? null : Array.from(array), given === undefined ? null : elements.map(Number));
  }
}

function checkSingle(schema: RandomSchema, field: RandomField, read: unknown, given: RandomSingle | undefined): void {
  if (field.kind === "scalar") {
    assert.equal(read, given ?? (SCALARS[field.type]!.type === "boolean" ? false : 0));
  } else if (given === undefined || field.kind === "string") {
    assert.equal(read, given ?? null);
  } else {
    const fields = field.kind === "struct" ? schema.struct : fieldsOf(schema, field.type);
    check(schema, fields, read as Accessors, given as RandomValue);
  }
}

/** Every field has its slot, and what it holds lies at a multiple of its size. */
function checkLayout(fields: readonly RandomField[], buffer: ByteBuffer, value: RandomValue): void {
  const table = buffer.__indirect(0);
  for (const [index, { name, type, kind, isVector, forceAlign }] of fields.entries()) {
    const offset = buffer.__offset(table, 4 + 2 * index);
    const given = value[name];
    if (given === undefined) assert.equal(offset, 0);
    else if (isVector || kind !== "scalar") assert.notEqual(offset, 0);
    if (offset === 0) continue;
    const bytes = kind === "scalar" ? SCALARS[type]!.bytes : 4;
    if (isVector) assert.equal(buffer.__vector(table + offset) % Math.max(bytes, forceAlign ?? 1), 0);
    else if (kind !== "struct") assert.equal((table + offset) % bytes, 0);
  }
}

function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function pascal(name: string): string {
  return camel(`_${name}`);
}
