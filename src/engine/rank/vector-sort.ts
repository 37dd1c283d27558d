/**
 * The rule of a search by meaning: documents by their similarity with a vector, the best of their own vectors counting.
 * Equally similar ones form a bucket; those without vectors come last. Only as many neighbours are looked for as the
 * search wants.
 */

import type { Deadline } from "../query/deadline.ts";
import type { RowSets, RowSpaces } from "../query/row-sets.ts";
import { type Neighbour, Neighbours } from "../vector/neighbours.ts";
import type { SegmentVectors } from "../vector/segment-search.ts";
import { type Distribution, similarityOf, type VectorTarget } from "../vector/target.ts";
import type { Bucket, Sorting } from "./context.ts";
import { Documents } from "./documents.ts";
import type { Interpretations } from "./reading.ts";

/** What a search by meaning compares: the same for all its buckets. */
export interface VectorOrder {
  target: VectorTarget;
  distribution: Distribution | null;
  /** By segment; null where no document has vectors. */
  vectors: readonly (SegmentVectors | null)[];
  /** Neighbours put in order at a time; buckets do not reach across. */
  batch: number;
}

/** When a look for neighbours was not enough, the next one is for this many times as many. */
const GROWTH = 4;
/** The most neighbours that one look is for: what a segment needs to find them must fit in a workspace. */
export const LOOK_MAX = 16_384;

export class VectorSort implements Sorting {
  readonly #order: VectorOrder;
  readonly #spaces: RowSpaces;
  readonly #interpretations: Interpretations;
  readonly #clock: Deadline;
  readonly #isExcluded: ((segment: number, row: number) => boolean) | null;
  readonly #neighbours: Neighbours;
  /** Rows that are not among the neighbours found so far. */
  readonly #unseen: RowSets;
  #found: Neighbour[] = [];
  #at = 0;
  /** End of the neighbours put in order together, of which buckets are made. */
  #end = 0;
  #wanted: number;
  #hasMore = true;
  #isOver = false;

  /** `documents`: the rows to sort, by segment; not changed. */
  constructor(
    order: VectorOrder,
    spaces: RowSpaces,
    documents: RowSets,
    interpretations: Interpretations,
    clock: Deadline,
    isExcluded: ((segment: number, row: number) => boolean) | null,
  ) {
    this.#order = order;
    this.#spaces = spaces;
    this.#interpretations = interpretations;
    this.#clock = clock;
    this.#isExcluded = isExcluded;
    this.#neighbours = new Neighbours(order.vectors, order.target);
    this.#unseen = spaces.copyOf(documents);
    this.#wanted = Math.min(LOOK_MAX, Math.max(1, order.batch));
  }

  next(): Bucket | null {
    if (this.#at === this.#end) this.#orderNext();
    if (this.#at === this.#end) {
      if (this.#isOver) return null;
      this.#isOver = true;
      const rest = this.rest();
      for (const rows of this.#unseen) rows.reset();
      return rest.count === 0 ? null : this.#bucket(rest, null, null);
    }
    const head = this.#found[this.#at]!;
    const from = this.#at;
    while (this.#at < this.#end && this.#found[this.#at]!.distance === head.distance) this.#at++;
    const similarity = similarityOf(head.distance, this.#order.distribution);
    return this.#bucket(this.#documents(this.#found.slice(from, this.#at)), this.#neighbours.vector(head), similarity);
  }

  /** Puts the next batch in order: the nearest documents that are still in the race. */
  #orderNext(): void {
    const { batch } = this.#order;
    const isExcluded = this.#isExcluded;
    const next: Neighbour[] = [];
    while (next.length < Math.max(1, batch)) {
      if (this.#at === this.#found.length && !this.#look()) break;
      const neighbour = this.#found[this.#at++]!;
      if (isExcluded?.(neighbour.segment, neighbour.row)) continue;
      next.push(neighbour);
    }
    this.#found = [...next, ...this.#found.slice(this.#at)];
    this.#at = 0;
    this.#end = next.length;
  }

  /** Finds more neighbours; false when there are none. */
  #look(): boolean {
    if (!this.#hasMore) return false;
    const found = this.#neighbours.nearest(this.#unseen, this.#wanted, this.#clock);
    this.#hasMore = found.length === this.#wanted;
    this.#wanted = Math.min(LOOK_MAX, this.#wanted * GROWTH);
    for (const { segment, row } of found) this.#unseen[segment]!.clear(row);
    this.#found.push(...found);
    return found.length > 0;
  }

  #bucket(documents: Documents, value: Float32Array | null, similarity: number | null): Bucket {
    const isExcluded = this.#isExcluded;
    return {
      documents: isExcluded === null ? documents : documents.filter((segment, row) => !isExcluded(segment, row)),
      interpretations: this.#interpretations,
      detail: { kind: "vector", target: this.#order.target.numbers, value, similarity },
    };
  }

  #documents(neighbours: readonly Neighbour[]): Documents {
    const lists = this.#spaces.list.map(({ workspace }, segment) => {
      const rows = neighbours.filter((neighbour) => neighbour.segment === segment).map(({ row }) => row);
      rows.sort((a, b) => a - b);
      const at = workspace.allocate(rows.length * 4);
      workspace.u32.set(rows, at >>> 2);
      return { at, count: rows.length };
    });
    return new Documents(this.#spaces, lists);
  }

  rest(): Documents {
    const rest = this.#spaces.copyOf(this.#unseen);
    for (const { segment, row } of this.#found.slice(this.#at)) rest[segment]!.set(row);
    return Documents.of(this.#spaces, rest);
  }
}
