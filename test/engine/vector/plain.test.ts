/** Vectors read straight from bytes: the same as a JSON parser gives, or left to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PlainVectors } from "../../../src/storage/segment/vectors/plain.ts";

const rule = (name: string, dimensions: number) => ({ name, dimensions, quantized: false, userProvided: true });

function read(text: string, dimensions = 3): ReturnType<PlainVectors["given"]>[] | null {
  const plain = new PlainVectors([rule("a", dimensions), rule("é", dimensions)]);
  const json = Buffer.from(`x${text}x`);
  return plain.read(json, 1, json.length - 1) ? [plain.given(0), plain.given(1)] : null;
}

const single = (numbers: ArrayLike<number>): number[] => Array.from(numbers, Math.fround);

/** Numbers as texts: whole ones, long ones, with and without exponent, on the edge between two in single precision. */
const numberText = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.float({ min: -1, max: 1, noNaN: true }).map((value) => value.toFixed(20)),
  fc.tuple(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 24n })).map(([whole, rest]) => `${whole}.${rest}`),
  fc.float({ min: 1, max: 2, maxExcluded: true, noNaN: true }).map((value) => `${value + 2 ** -24}`),
  fc.float({ min: 1, max: 2, maxExcluded: true, noNaN: true }).map((value) => `${value + 2 ** -24}000000000000001`),
);

test("every number is what a JSON parser makes of it, in single precision", () => {
  fc.assert(
    fc.property(fc.array(numberText, { minLength: 3, maxLength: 3 }), (texts) => {
      const [given] = read(`{"a":[${texts.join(",")}]}`)!;
      assert.deepEqual(single(given!.vectors[0]!), single(texts.map((text) => JSON.parse(text) as number)));
      for (const [i, text] of texts.entries()) {
        assert.equal(given!.vectors[0]![i]! > 0, (JSON.parse(text) as number) > 0);
      }
    }),
    { numRuns: 2000 },
  );
});

test("all usual forms are read", () => {
  assert.deepEqual(read('{"a":[1,2.5,-3]}')![0], { vectors: [Float64Array.of(1, 2.5, -3)], regenerate: false });
  const two = [Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)];
  assert.deepEqual(read('{"a":[[1,2,3],[4,5,6]],"é":[0,0,1e-2]}'), [
    { vectors: two, regenerate: false },
    { vectors: [Float64Array.of(0, 0, 0.01)], regenerate: false },
  ]);
  assert.deepEqual(read('{"é":{"embeddings":[[1,2,3],[4,5,6]],"regenerate":true}}'), [
    null,
    { vectors: two, regenerate: true },
  ]);
  assert.deepEqual(read('{"a":{"embeddings":[1,2,3],"regenerate":false}}')![0]!.regenerate, false);
});

for (const text of [
  "{}",
  '{"a":[]}',
  '{"a":null}',
  '{"a":[1,2]}',
  '{"a":[1,2,3,4]}',
  '{"a":[1,2,null]}',
  '{"a":[1,2,"3"]}',
  '{"a":[1,2,[3]]}',
  '{"a":[[1,2,3],4]}',
  '{"a":[[1,2,3],[]]}',
  '{"a":[1,2,3],"b":[1,2,3]}',
  '{"a":[1,2,3],"a":[4,5,6]}',
  '{"\\u0061":[1,2,3]}',
  '{"a":{"regenerate":true}}',
  '{"a":{"regenerate":true,"embeddings":[1,2,3]}}',
  '{"a":{"embeddings":[1,2,3],"regenerate":1}}',
  '{"a":{"embeddings":[1,2,3],"regenerate":true,"x":1}}',
  '{"a": [1,2,3]}',
  '{"a":[1, 2,3]}',
]) {
  test(`left to others: ${text}`, () => {
    assert.equal(read(text), null);
  });
}

test("more vectors than allowed are left to others", () => {
  const many = (count: number) => `{"a":[${Array.from({ length: count }, () => "[1,2,3]").join(",")}]}`;
  assert.equal(read(many(256))![0]!.vectors.length, 256);
  assert.equal(read(many(257)), null);
});
