/**
 * The order of places by their distance, nearest or farthest first: those within a metre of the first of a bucket are held equal.
 * Knows distances and ids, not where documents are.
 */
import { partFirst } from "./first-of.ts";

/** So many are put in true order at a time; fewer are sorted by whole metres. */
export const BATCH = 1000;
const BUCKET_METRES = 1;

export class GeoBuckets {
  readonly #distances: Float64Array;
  readonly #docids: Uint32Array;
  readonly #descending: boolean;
  readonly #isGone: ((position: number) => boolean) | null;
  /** Positions not yet put in order, and those that are, in order. */
  #unordered: number[];
  #ordered: number[] = [];
  #at = 0;

  /** `isGone` says which documents are no longer to be put in order. Those without a place have no finite distance. */
  constructor(
    distances: Float64Array,
    docids: Uint32Array,
    descending: boolean,
    isGone: ((position: number) => boolean) | null,
  ) {
    this.#distances = distances;
    this.#docids = docids;
    this.#descending = descending;
    this.#isGone = isGone;
    this.#unordered = [];
    for (let i = 0; i < distances.length; i++) {
      if (distances[i] !== Number.POSITIVE_INFINITY) this.#unordered.push(i);
    }
  }

  /** Positions, the first of which is the one that others are compared with; null when there are no more. */
  next(): number[] | null {
    if (this.#at === this.#ordered.length && this.#unordered.length > 0) this.#orderNext();
    if (this.#at === this.#ordered.length) return null;
    const distances = this.#distances;
    const head = this.#ordered[this.#at]!;
    const positions: number[] = [];
    while (
      this.#at < this.#ordered.length &&
      positions.length < BATCH &&
      Math.abs(distances[this.#ordered[this.#at]!]! - distances[head]!) <= BUCKET_METRES
    ) {
      positions.push(this.#ordered[this.#at++]!);
    }
    return positions;
  }

  #orderNext(): void {
    const distances = this.#distances;
    const docids = this.#docids;
    const isGone = this.#isGone;
    if (isGone !== null) this.#unordered = this.#unordered.filter((i) => !isGone(i));
    const sign = this.#descending ? -1 : 1;
    if (this.#unordered.length < BATCH) {
      // Read backwards for the farthest first, so that ids descend where whole metres are equal.
      this.#ordered = this.#unordered.sort(
        (a, b) => sign * (Math.trunc(distances[a]!) - Math.trunc(distances[b]!) || docids[a]! - docids[b]!),
      );
      this.#unordered = [];
    } else {
      const keys = this.#descending ? distances.map((distance) => -distance) : distances;
      const { first, rest } = partFirst(this.#unordered, keys, docids, BATCH);
      this.#ordered = first;
      this.#unordered = rest;
    }
    this.#at = 0;
  }
}
