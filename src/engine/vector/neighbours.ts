/** The nearest documents of an index, whichever segments they are in: what each segment finds, in one order. */

import type { Deadline } from "../query/deadline.ts";
import type { RowSets } from "../query/row-sets.ts";
import { SegmentSearch, type SegmentVectors } from "./segment-search.ts";
import type { VectorTarget } from "./target.ts";

export interface Neighbour {
  segment: number;
  row: number;
  slot: number;
  docid: number;
  distance: number;
}

export class Neighbours {
  readonly #segments: readonly (SegmentVectors | null)[];
  readonly #searches: readonly (SegmentSearch | null)[];

  /** Segments whose vectors have other dimensions than the target have no neighbours. */
  constructor(segments: readonly (SegmentVectors | null)[], target: VectorTarget) {
    this.#segments = segments;
    this.#searches = segments.map((segment) =>
      segment?.vectors.dimensions === target.floats.length ? new SegmentSearch(segment, target) : null,
    );
  }

  /**
   * The `wanted` nearest of the rows, nearest first, of equally near ones the lower id first; fewer only when there are
   * no more. Of several vectors of a document the nearest counts. Throws TimeIsUp.
   */
  nearest(rows: RowSets, wanted: number, clock: Deadline): Neighbour[] {
    const found: Neighbour[] = [];
    for (const [segment, search] of this.#searches.entries()) {
      if (search === null) continue;
      const { reader, vectors } = this.#segments[segment]!;
      const { slots, distances } = search.nearest(rows[segment]!, wanted, clock);
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        const row = vectors.rowList[slot]!;
        found.push({ segment, row, slot, docid: reader.docids[row]!, distance: distances[i]! });
      }
    }
    found.sort((a, b) => a.distance - b.distance || a.docid - b.docid);
    if (found.length > wanted) found.length = wanted;
    return found;
  }

  /** The vector of a neighbour that is nearest. */
  vector({ segment, slot }: Neighbour): Float32Array {
    return this.#segments[segment]!.vectors.vector(this.#searches[segment]!.best(slot));
  }
}
