/**
 * Vectors that do not stand in the documents: made by an embedder, or kept from an earlier version of a document. Plain
 * data on its way into a segment, which takes them as it takes those that documents bring along.
 */
import type { OriginList } from "./origins.ts";
import type { GivenVectors } from "./parse.ts";

/** Of one embedder, for some of the rows of a segment. */
export interface MadeVectors {
  embedder: string;
  dimensions: number;
  /** Ascending. */
  rows: Uint32Array;
  /** Number of the first vector of each row, and the end. */
  starts: Uint32Array;
  /** One for each row: 1 when the server may replace its vectors. */
  regenerate: Uint8Array;
  floats: Float32Array;
  /** What the vectors were made from. */
  origins: OriginList;
}

/** Hands out the vectors of one row after the other; rows are asked for in ascending order. */
export class MadeRows {
  readonly #made: MadeVectors;
  #next = 0;

  constructor(made: MadeVectors) {
    this.#made = made;
  }

  /** Null for a row that has none. */
  of(row: number): GivenVectors | null {
    const { rows, starts, regenerate, floats, dimensions } = this.#made;
    while (this.#next < rows.length && rows[this.#next]! < row) this.#next++;
    const at = this.#next;
    if (rows[at] !== row) return null;
    const vectors: Float32Array[] = [];
    for (let vector = starts[at]!; vector < starts[at + 1]!; vector++) {
      vectors.push(floats.subarray(vector * dimensions, (vector + 1) * dimensions));
    }
    return { vectors, regenerate: regenerate[at] === 1 };
  }
}
