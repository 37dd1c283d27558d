/**
 * The sizes of vectors that documents of a dump come with. They spare an embedder its trial, so that a dump can be loaded
 * where its models are not installed and its services cannot be reached.
 */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { VECTORS_FIELD } from "../../base/document/pick.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import { MIB } from "../../base/limits.ts";

/** Vectors are in nearly every document or in none: what the beginning does not tell is not looked for. */
const LOOKED_AT_BYTES = 16 * MIB;

export async function sizesInDocuments(file: string, embedders: readonly string[]): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  if (embedders.length === 0) return sizes;
  const input = createReadStream(file, { end: LOOKED_AT_BYTES });
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const vectors = line.includes(`"${VECTORS_FIELD}"`) ? vectorsIn(line) : {};
      for (const name of embedders) {
        const size = sizes[name] ?? sizeOf(vectors[name] ?? null);
        if (size !== null) sizes[name] = size;
      }
      if (Object.keys(sizes).length === embedders.length) break;
    }
  } finally {
    input.destroy();
  }
  return sizes;
}

/** Nothing for a line that is cut off or damaged: who loads it says so. */
function vectorsIn(line: string): JsonObject {
  try {
    const vectors = (JSON.parse(line) as JsonObject)[VECTORS_FIELD];
    return isObject(vectors) ? vectors : {};
  } catch {
    return {};
  }
}

/** Of one vector, of a list of them, or of an object that holds either. */
function sizeOf(value: Json): number | null {
  if (isObject(value)) return sizeOf(value["embeddings"] ?? null);
  if (!Array.isArray(value) || value.length === 0) return null;
  const [first] = value;
  if (Array.isArray(first)) return first.length === 0 ? null : first.length;
  return typeof first === "number" ? value.length : null;
}
