/** What vector search is measured on, and what each side must be able to do. Shapes, and the exact answers. */

export interface VectorSet {
  dimensions: number;
  count: number;
  /** Vectors side by side. */
  floats: Float32Array;
  queries: Float32Array[];
}

/** A filter keeps every n-th vector. */
export interface Contender {
  name: string;
  /** Adds all vectors, on this thread. */
  build(set: VectorSet): void;
  /** How hard to look, from little to much. */
  efforts: readonly number[];
  setEffort(effort: number): void;
  /** Null where it cannot filter. */
  search(query: Float32Array, wanted: number, every: number): ArrayLike<number> | null;
  close(): void;
}

/** The nearest by cosine, worked out one by one. */
export function exactNearest(set: VectorSet, query: Float32Array, wanted: number, every: number): Set<number> {
  const { dimensions, floats } = set;
  const scored: { id: number; similarity: number }[] = [];
  for (let id = 0; id < set.count; id += every) {
    let dot = 0;
    let square = 0;
    for (let d = 0, at = id * dimensions; d < dimensions; d++, at++) {
      dot += floats[at]! * query[d]!;
      square += floats[at]! * floats[at]!;
    }
    scored.push({ id, similarity: dot / Math.sqrt(square) });
  }
  scored.sort((a, b) => b.similarity - a.similarity);
  return new Set(scored.slice(0, wanted).map(({ id }) => id));
}
