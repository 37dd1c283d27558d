/**
 * The rule of a search by meaning: documents by their similarity with a vector, the best of their own vectors counting.
 * Equally similar ones form a bucket; those without vectors come last.
 */
import type { Clock } from "../rank/clock.ts";
import type { Bucket, Sorting } from "../rank/context.ts";
import type { Documents } from "../rank/documents.ts";
import type { Interpretations } from "../rank/reading.ts";
import type { EmbedderVectors } from "../segment/vectors/reader.ts";
import { nearest } from "./nearest.ts";
import { type Distribution, similarityOf, type VectorTarget } from "./target.ts";

/** What a search by meaning compares: the same for all its buckets. */
export interface VectorOrder {
  target: VectorTarget;
  distribution: Distribution | null;
  /** By segment; null where no document has vectors. */
  vectors: readonly (EmbedderVectors | null)[];
  /** Neighbours put in order at a time; buckets do not reach across. */
  batch: number;
}

/** Numbers compared before the time is looked at. */
const NUMBERS_PER_UNIT = 16;

export class VectorSort implements Sorting {
  private readonly order: VectorOrder;
  private readonly documents: Documents;
  private readonly interpretations: Interpretations;
  private readonly isExcluded: ((segment: number, row: number) => boolean) | null;
  private readonly docids: Uint32Array;
  private readonly distances: Float32Array;
  /** Number of the nearest vector of each document; -1 without vectors. */
  private readonly best: Int32Array;
  private readonly done: Uint8Array;
  private left: number;
  private ordered: Uint32Array = new Uint32Array(0);
  private at = 0;
  private isOver = false;

  constructor(
    order: VectorOrder,
    docids: readonly Uint32Array[],
    documents: Documents,
    interpretations: Interpretations,
    clock: Clock,
    isExcluded: ((segment: number, row: number) => boolean) | null,
  ) {
    this.order = order;
    this.documents = documents;
    this.interpretations = interpretations;
    this.isExcluded = isExcluded;
    this.docids = new Uint32Array(documents.count);
    this.distances = new Float32Array(documents.count);
    this.best = new Int32Array(documents.count).fill(-1);
    this.done = new Uint8Array(documents.count);
    this.left = 0;
    for (let segment = 0; segment < documents.segmentCount; segment++) {
      const vectors = order.vectors[segment] ?? null;
      const cost = vectors === null ? 0 : Math.ceil(vectors.dimensions / NUMBERS_PER_UNIT);
      for (let i = documents.starts[segment]!; i < documents.starts[segment + 1]!; i++) {
        const row = documents.rows[i]!;
        this.docids[i] = docids[segment]![row]!;
        const slot = vectors === null ? -1 : vectors.slotOf(row);
        if (vectors === null || slot === -1) continue;
        this.best[i] = order.target.nearestOf(vectors, slot);
        this.distances[i] = order.target.leastDistance;
        this.left++;
        clock.spend(cost);
      }
    }
  }

  private orderNext(): void {
    const { best, done, isExcluded } = this;
    const positions = new Uint32Array(this.left);
    let count = 0;
    for (let i = 0; i < best.length; i++) {
      if (best[i] === -1 || done[i] === 1) continue;
      if (isExcluded?.(this.segmentOf(i), this.documents.rows[i]!)) continue;
      positions[count++] = i;
    }
    this.ordered = nearest(positions.subarray(0, count), this.distances, this.docids, Math.max(1, this.order.batch));
    this.left = count - this.ordered.length;
    this.at = 0;
  }

  next(): Bucket | null {
    if (this.at === this.ordered.length && this.left > 0) this.orderNext();
    if (this.at === this.ordered.length) {
      if (this.isOver) return null;
      this.isOver = true;
      const rest = this.rest();
      this.done.fill(1);
      return rest.count === 0 ? null : this.bucket(rest, null, null);
    }
    const head = this.ordered[this.at]!;
    const distance = this.distances[head]!;
    const from = this.at;
    while (this.at < this.ordered.length && this.distances[this.ordered[this.at]!] === distance) {
      this.done[this.ordered[this.at++]!] = 1;
    }
    const found = this.documents.pick(this.ordered.slice(from, this.at).sort());
    const value = this.order.vectors[this.segmentOf(head)]!.vector(this.best[head]!);
    return this.bucket(found, value, similarityOf(distance, this.order.distribution));
  }

  private bucket(found: Documents, value: Float32Array | null, similarity: number | null): Bucket {
    const { isExcluded } = this;
    return {
      documents: isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row)),
      interpretations: this.interpretations,
      detail: { kind: "vector", target: this.order.target.numbers, value, similarity },
    };
  }

  private segmentOf(position: number): number {
    let segment = 0;
    while (position >= this.documents.starts[segment + 1]!) segment++;
    return segment;
  }

  rest(): Documents {
    const left: number[] = [];
    for (let i = 0; i < this.done.length; i++) if (this.done[i] === 0) left.push(i);
    return this.documents.pick(Uint32Array.from(left));
  }
}
