/** Which documents have vectors, and of which kind: what filters ask about vectors. */

import { Bitmap } from "../../storage/segment/bitmap.ts";
import {
  type EmbedderOrigins,
  fragmentSource,
  type OriginsReader,
  TEMPLATE_SOURCE,
} from "../../storage/segment/vectors/origins.ts";
import type { EmbedderVectors, VectorsReader } from "../../storage/segment/vectors/reader.ts";
import type { VectorTrait } from "./filter.ts";

interface VectorSegment {
  readonly rows: number;
  readonly live: Bitmap;
  readonly reader: { readonly vectors: VectorsReader | null; readonly origins: OriginsReader | null };
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
      const origins = reader.origins?.embedder(vectors.name) ?? null;
      vectors.forEach(live, (slot, row) => {
        if (hasTrait(vectors, slot, origins, row, trait)) found.set(row);
      });
    }
    return found;
  });
}

function hasTrait(
  vectors: EmbedderVectors,
  slot: number,
  origins: EmbedderOrigins | null,
  row: number,
  trait: VectorTrait,
): boolean {
  switch (trait.kind) {
    case "any":
      return true;
    case "userProvided":
      return !vectors.mayRegenerate(slot);
    case "regenerate":
      return vectors.mayRegenerate(slot);
    case "documentTemplate":
      return vectors.mayRegenerate(slot) && hasSource(origins, row, TEMPLATE_SOURCE);
    case "fragment":
      return hasFragment(origins, row, trait.name.text);
  }
}

/** Vectors that the client gave come from no source. */
function hasSource(origins: EmbedderOrigins | null, row: number, source: number): boolean {
  if (origins === null) return false;
  for (let entry = origins.startOf(row); origins.rows[entry] === row; entry++) {
    if (origins.sources[entry] === source) return true;
  }
  return false;
}

function hasFragment(origins: EmbedderOrigins | null, row: number, name: string): boolean {
  const source = fragmentSource(origins?.fragments ?? [], name);
  return source > 0 && hasSource(origins, row, source);
}
