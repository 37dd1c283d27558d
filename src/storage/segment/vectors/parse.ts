/**
 * Reads the `_vectors` of one document: what each embedder was given, in one form, or why it cannot be used.
 * Knows nothing of where vectors go.
 */

import { type ApiError, apiError } from "../../../base/errors/errors.ts";
import type { Json } from "../../../base/json/value.ts";
import type { EmbedderRule } from "../../settings/embedders.ts";

/** Vectors of one document for one embedder. */
export const VECTORS_MAX = 256;

export interface GivenVectors {
  vectors: readonly ArrayLike<number>[];
  /** The server may replace them. */
  regenerate: boolean;
}

const NONE: readonly number[][] = [];
const ENTRY_KEYS = new Set(["embeddings", "regenerate"]);

/** `value`: what the document has under the embedder's name. Throws ApiError. */
export function readVectors(value: Json, rule: EmbedderRule, id: string): GivenVectors {
  const at = `._vectors.${rule.name}`;
  if (value === null) return { vectors: NONE, regenerate: false };
  if (Array.isArray(value)) return { vectors: readList(value, at, rule, id), regenerate: false };
  if (typeof value !== "object") throw wrongType(id, at, "must be null, an array or an object");
  const unknown = Object.keys(value).find((key) => !ENTRY_KEYS.has(key));
  if (unknown !== undefined) throw wrongType(id, at, `has the unknown field \`${unknown}\``);
  const { embeddings, regenerate } = value;
  if (regenerate === undefined) throw wrongType(id, at, "lacks the field `regenerate`");
  if (typeof regenerate !== "boolean") throw wrongType(id, `${at}.regenerate`, "must be a boolean");
  if (embeddings === undefined || embeddings === null) return { vectors: NONE, regenerate };
  if (!Array.isArray(embeddings)) throw wrongType(id, `${at}.embeddings`, "must be null or an array");
  return { vectors: readList(embeddings, `${at}.embeddings`, rule, id), regenerate };
}

function readList(list: Json[], at: string, rule: EmbedderRule, id: string): readonly (readonly number[])[] {
  if (list.length === 0) return NONE;
  const single = typeof list[0] === "number";
  const vectors = single ? [list] : list;
  for (const [i, vector] of vectors.entries()) {
    const place = single ? at : `${at}[${i}]`;
    if (!Array.isArray(vector)) throw wrongType(id, place, "must be an array of numbers");
    const wrong = vector.findIndex((number) => typeof number !== "number");
    if (wrong !== -1) throw wrongType(id, `${place}[${wrong}]`, "must be a number");
  }
  if (vectors.length > VECTORS_MAX) {
    throw apiError(
      "too_many_vectors",
      `The document \`${id}\` has ${vectors.length} vectors for embedder \`${rule.name}\`: at most ${VECTORS_MAX} are allowed.`,
    );
  }
  for (const [i, vector] of (vectors as number[][]).entries()) {
    if (vector.length === rule.dimensions) continue;
    throw apiError(
      "invalid_vector_dimensions",
      `The document \`${id}\` has a wrong vector for embedder \`${rule.name}\`: embedding #${i} has ${vector.length} dimensions, ${rule.dimensions} are expected.`,
    );
  }
  return vectors as number[][];
}

export function wrongType(id: string, at: string, problem: string): ApiError {
  return apiError("invalid_vectors_type", `In the document \`${id}\`, \`${at}\` ${problem}.`);
}
