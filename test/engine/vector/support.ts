/** Random documents with vectors, and what a search by meaning must say about them, worked out the plain way. */

import fc from "fast-check";
import type { Json, JsonObject } from "../../../src/base/json/value.ts";
import type { KeywordRequest } from "../../../src/engine/rank/request.ts";
import { distributionOf, vectorsOf } from "../../../src/engine/semantic/search.ts";
import { VectorTarget } from "../../../src/engine/vector/target.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";

export const DIMENSIONS = 5;
export const EMBEDDERS: JsonObject = { plain: { source: "userProvided", dimensions: DIMENSIONS } };
export const QUANTIZED: JsonObject = {
  plain: { source: "userProvided", dimensions: DIMENSIONS, binaryQuantized: true },
};

/** Few values, so that equal similarities are common. */
export const vector = fc.array(fc.constantFrom(-1, -0.5, 0, 0.25, 1, 2), {
  minLength: DIMENSIONS,
  maxLength: DIMENSIONS,
});
export const vectors = fc.array(vector, { maxLength: 3 });

export function byVector(view: IndexView, numbers: number[]): Pick<KeywordRequest, "vector"> {
  return {
    vector: {
      target: new VectorTarget(numbers),
      distribution: distributionOf(view.settings, "plain"),
      vectors: vectorsOf(view, "plain"),
    },
  };
}

export function withVectors(given: Json, more: JsonObject = {}): JsonObject {
  return { ...more, _vectors: { plain: given } };
}

/** Similarity in double precision. */
function similarity(a: readonly number[], b: readonly number[], quantized: boolean): number {
  if (quantized) return 1 - a.filter((value, i) => value > 0 !== b[i]! > 0).length / 64;
  const dot = a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const norms = Math.hypot(...a) * Math.hypot(...b);
  return norms === 0 ? 1 : (1 + dot / norms) / 2;
}

/** Null for a document without vectors. */
export function bestSimilarity(
  own: readonly (readonly number[])[],
  target: readonly number[],
  quantized: boolean,
): number | null {
  return own.length === 0 ? null : Math.max(...own.map((each) => similarity(each, target, quantized)));
}
