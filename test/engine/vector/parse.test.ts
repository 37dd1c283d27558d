/** What documents may have under `_vectors`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../src/base/errors/errors.ts";
import type { Json } from "../../../src/base/json/value.ts";
import { readVectors, VECTORS_MAX } from "../../../src/storage/segment/vectors/parse.ts";
import { build, EVERYTHING, rowsOf } from "../../storage/segment/support.ts";
import { rows, viewOf } from "../rank/support.ts";

const RULE = { name: "mine", dimensions: 2, quantized: false, userProvided: true };

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (problem) {
    assert.ok(problem instanceof ApiError);
    return problem.code;
  }
  return "none";
}

const FORMS: [Json, number[][], boolean][] = [
  [null, [], false],
  [[], [], false],
  [[1, 2], [[1, 2]], false],
  [
    [
      [1, 2],
      [3, 4],
    ],
    [
      [1, 2],
      [3, 4],
    ],
    false,
  ],
  [{ regenerate: true }, [], true],
  [{ regenerate: false, embeddings: null }, [], false],
  [{ regenerate: true, embeddings: [1, 2] }, [[1, 2]], true],
  [{ regenerate: false, embeddings: [[1, 2]] }, [[1, 2]], false],
];

for (const [given, vectors, regenerate] of FORMS) {
  test(`vectors may be given as ${JSON.stringify(given)}`, () => {
    assert.deepEqual(readVectors(given, RULE, "1"), { vectors, regenerate });
  });
}

const REFUSED: [Json, string][] = [
  ["text", "invalid_vectors_type"],
  [7, "invalid_vectors_type"],
  [{}, "invalid_vectors_type"],
  [{ embeddings: [1, 2] }, "invalid_vectors_type"],
  [{ regenerate: "yes" }, "invalid_vectors_type"],
  [{ regenerate: true, more: 1 }, "invalid_vectors_type"],
  [{ regenerate: true, embeddings: true }, "invalid_vectors_type"],
  [{ regenerate: true, embeddings: [true] }, "invalid_vectors_type"],
  [[1, [2, 3]], "invalid_vectors_type"],
  [[[1, 2], 3], "invalid_vectors_type"],
  [[[1, null]], "invalid_vectors_type"],
  [[1], "invalid_vector_dimensions"],
  [[[1, 2], []], "invalid_vector_dimensions"],
  [Array.from({ length: VECTORS_MAX + 1 }, () => [1, 2]), "too_many_vectors"],
];

for (const [given, code] of REFUSED) {
  test(`${code} for ${JSON.stringify(given).slice(0, 60)}`, () => {
    assert.equal(
      codeOf(() => readVectors(given, RULE, "1")),
      code,
    );
  });
}

test("a segment is refused when vectors that nobody else provides are missing", () => {
  const rules = { ...EVERYTHING, embedders: [RULE] };
  const missing = (doc: object) => codeOf(() => build(rowsOf([{ id: 1, ...doc }]), rules));
  assert.equal(missing({}), "vector_embedding_error");
  assert.equal(missing({ _vectors: null }), "vector_embedding_error");
  assert.equal(missing({ _vectors: { other: [1, 2] } }), "vector_embedding_error");
  assert.equal(missing({ _vectors: { mine: null } }), "none");
  assert.equal(missing({ _vectors: [1] }), "invalid_vectors_type");
});

test("without embedders only the outer form of `_vectors` matters", () => {
  assert.equal(
    viewOf({}, [rows([{ _vectors: { any: "thing" } }, { _vectors: null }])]).segments[0]!.reader.vectors,
    null,
  );
  assert.equal(
    codeOf(() => viewOf({}, [rows([{ _vectors: 3 }])])),
    "invalid_vectors_type",
  );
});
