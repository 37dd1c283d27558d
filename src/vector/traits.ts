/** Which documents have vectors, and of which kind: what filters ask about vectors. */
import type { VectorTrait } from "../filter/filter.ts";
import { Bitmap } from "../segment/bitmap.ts";
import type { EmbedderVectors, VectorsReader } from "../segment/vectors/reader.ts";

export interface VectorSegment {
  readonly rows: number;
  readonly live: Bitmap;
  readonly reader: { readonly vectors: VectorsReader | null };
}

/** Rows by segment; `embedder` null asks for any. */
export function rowsWithVectors(
  segments: readonly VectorSegment[],
  embedder: string | null,
  trait: VectorTrait,
): Bitmap[] {
  return segments.map(({ rows, live, reader }) => {
    const found = Bitmap.create(rows);
    for (const vectors of reader.vectors?.embedders ?? []) {
      if (embedder !== null && vectors.name !== embedder) continue;
      vectors.forEach(live, (slot, row) => {
        if (hasTrait(vectors, slot, trait)) found.set(row);
      });
    }
    return found;
  });
}

/** All vectors come with their documents, so none is made from a template or a fragment. */
function hasTrait(vectors: EmbedderVectors, slot: number, trait: VectorTrait): boolean {
  switch (trait.kind) {
    case "any":
      return true;
    case "userProvided":
      return !vectors.mayRegenerate(slot);
    case "regenerate":
      return vectors.mayRegenerate(slot);
    default:
      return false;
  }
}
