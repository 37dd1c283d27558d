/** Versions of `_vectors` laid over each other, embedder by embedder. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { overlaid } from "./support.ts";

function overlay(older: object, newer: object, order: [string, number][] = [["id", 0]]): unknown {
  const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value, null, 1));
  return JSON.parse(Buffer.from(overlaid(bytes(older), bytes(newer), new Map(order))).toString());
}

const OLD = { id: 1, _vectors: { a: [1, 2], b: { embeddings: [3], regenerate: true } } };

test("embedders that are not named keep their vectors", () => {
  const expected = { id: 1, x: 2, _vectors: { a: [5], b: OLD._vectors.b, c: null } };
  const newer = { x: 2, _vectors: { a: [5], c: null } };
  assert.deepEqual(overlay(OLD, newer), expected);
  assert.deepEqual(
    overlay(OLD, newer, [
      ["_vectors", 0],
      ["id", 1],
    ]),
    expected,
  );
  assert.deepEqual(overlay(OLD, { x: 2 }), { ...OLD, x: 2 });
});

test("`regenerate: false` alone keeps the vectors and makes them the client's own", () => {
  const keep = { regenerate: false };
  assert.deepEqual(overlay(OLD, { _vectors: { a: keep, b: keep, c: keep } }), {
    id: 1,
    _vectors: { a: [1, 2], b: { embeddings: [3], regenerate: false }, c: keep },
  });
});

test("what is no object replaces everything, so that it can be refused or reset", () => {
  assert.deepEqual(overlay(OLD, { _vectors: null }), { id: 1, _vectors: null });
  assert.deepEqual(overlay({ id: 1, _vectors: 3 }, { _vectors: { a: [1] } }), { id: 1, _vectors: { a: [1] } });
});
