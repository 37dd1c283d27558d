/** Random documents, and random filters over their fields. */
import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";

export const FIELDS = ["a", "b", "a.c", "ghost"];

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: -2, max: 12 }),
  fc.constantFrom<Json>(
    null,
    true,
    false,
    "",
    "  ",
    "10",
    "1",
    "red",
    "RED ",
    "été",
    "ÉTÉ",
    "ete",
    "re",
    "inf",
    10.5,
    -0,
  ),
);
const leaf: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }),
  fc.constant({}),
);
const nested: fc.Arbitrary<Json> = fc.oneof(
  leaf,
  fc.record({ c: leaf }),
  fc.array(fc.oneof(scalar, fc.record({ c: leaf })), { maxLength: 3 }),
);
export const documents: fc.Arbitrary<JsonObject[]> = fc.array(
  fc.record({ a: nested, b: leaf, "a.c": leaf }, { requiredKeys: [] }),
  { maxLength: 25 },
);

const field = fc.constantFrom(...FIELDS);
const operand = fc.constantFrom(
  "10",
  "10.0",
  "1e1",
  "1",
  "0",
  "-1",
  "red",
  "RED",
  "r",
  "",
  "été",
  "true",
  "TRUE",
  "inf",
  "z",
);
const quoted = operand.map((text) => `'${text}'`);
const condition = fc.oneof(
  fc
    .tuple(field, fc.constantFrom("=", "!=", ">", ">=", "<", "<=", "CONTAINS", "STARTS WITH"), quoted)
    .map((c) => c.join(" ")),
  fc.tuple(field, quoted, quoted).map(([name, low, high]) => `${name} ${low} TO ${high}`),
  fc
    .tuple(field, fc.constantFrom("IN", "NOT IN"), fc.array(quoted, { maxLength: 4 }))
    .map(([name, op, v]) => `${name} ${op} [${v.join(", ")}]`),
  fc
    .tuple(field, fc.constantFrom("EXISTS", "NOT EXISTS", "IS NULL", "IS NOT NULL", "IS EMPTY", "IS NOT EMPTY"))
    .map((c) => c.join(" ")),
);
export const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    condition,
    fc.tuple(tie("tree"), fc.constantFrom("AND", "OR"), tie("tree")).map(([a, op, b]) => `(${a}) ${op} (${b})`),
    tie("tree").map((inner) => `NOT (${inner})`),
  ),
}));
