/** Documents of every shape, for property tests. */
import fc from "fast-check";
import type { Doc } from "./support.ts";

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("alpha", "beta", "gamma", "delta", "alphabet", "al", "Été", "straße", "x") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom("Москва", "日本", "long".repeat(70), "a\u0000b", "naïve", "😀", "don't") },
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", ", ", ". ", "-", "!", "\n", '"', "\\")), { maxLength: 12 })
  .map((pieces) => pieces.flat().join(""));
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom("a", "b", "c", "a.b", "a.b.c", "ключ", "_geo", "_vectors", "k\n", "");
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("array"), tie("object")),
  array: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
})).value;
/** Vectors must be an object, whatever is in it. */
const document = (fc.dictionary(key, value, { maxKeys: 5 }) as fc.Arbitrary<Doc>).map((doc) =>
  Object.hasOwn(doc, "_vectors") ? { ...doc, _vectors: { any: doc["_vectors"] } } : doc,
);
export const documents = fc.array(document, { maxLength: 20 });
