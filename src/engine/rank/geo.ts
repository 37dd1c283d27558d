/** Sorts documents by their distance from a place, nearest or farthest first; documents without a place come last. */
import type { GeoReader } from "../../storage/segment/geo/points.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Bucket, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import { GeoBuckets } from "./geo-buckets.ts";
import type { Interpretations } from "./reading.ts";

interface GeoOrder {
  lat: number;
  lng: number;
  descending: boolean;
}

export class GeoSort implements Sorting {
  readonly #order: GeoOrder;
  readonly #readers: readonly (GeoReader | null)[];
  readonly #documents: Documents;
  readonly #interpretations: Interpretations;
  readonly #isExcluded: ((segment: number, row: number) => boolean) | null;
  readonly #distances: Float64Array;
  readonly #buckets: GeoBuckets;
  readonly #done: Uint8Array;
  #handedOut = 0;

  constructor(
    order: GeoOrder,
    readers: readonly (GeoReader | null)[],
    docids: readonly Uint32Array[],
    documents: Documents,
    interpretations: Interpretations,
    clock: Deadline,
    isExcluded: ((segment: number, row: number) => boolean) | null,
  ) {
    this.#order = order;
    this.#readers = readers;
    this.#documents = documents;
    this.#interpretations = interpretations;
    this.#isExcluded = isExcluded;
    const ids = new Uint32Array(documents.count);
    this.#distances = new Float64Array(documents.count);
    this.#done = new Uint8Array(documents.count);
    for (let segment = 0; segment < documents.segmentCount; segment++) {
      const reader = readers[segment] ?? null;
      for (let i = documents.starts[segment]!; i < documents.starts[segment + 1]!; i++) {
        const row = documents.rows[i]!;
        ids[i] = docids[segment]![row]!;
        this.#distances[i] = reader?.distance(row, order.lat, order.lng) ?? Number.POSITIVE_INFINITY;
      }
      clock.spend(documents.starts[segment + 1]! - documents.starts[segment]!);
    }
    const isGone = isExcluded === null ? null : (i: number): boolean => this.#isGone(i, isExcluded);
    this.#buckets = new GeoBuckets(this.#distances, ids, order.descending, isGone);
  }

  #isGone(position: number, isExcluded: (segment: number, row: number) => boolean): boolean {
    return isExcluded(this.#segmentOf(position), this.#documents.rows[position]!);
  }

  #segmentOf(position: number): number {
    let segment = 0;
    while (position >= this.#documents.starts[segment + 1]!) segment++;
    return segment;
  }

  next(): Bucket | null {
    const { lat, lng, descending } = this.#order;
    const positions = this.#buckets.next();
    if (positions === null) {
      const rest = this.rest();
      if (rest.count === 0 || this.#handedOut === this.#documents.count) return null;
      this.#handedOut = this.#documents.count;
      this.#done.fill(1);
      return this.#bucket(rest, { kind: "geo", lat, lng, descending, value: null, distance: null });
    }
    const head = positions[0]!;
    for (const position of positions) this.#done[position] = 1;
    this.#handedOut += positions.length;
    const value = this.#readers[this.#segmentOf(head)]!.point(this.#documents.rows[head]!);
    const distance = Math.round(this.#distances[head]!);
    const picked = this.#documents.pick(Uint32Array.from(positions).sort());
    return this.#bucket(picked, { kind: "geo", lat, lng, descending, value, distance });
  }

  #bucket(found: Documents, detail: Bucket["detail"]): Bucket {
    const isExcluded = this.#isExcluded;
    return {
      documents: isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row)),
      interpretations: this.#interpretations,
      detail,
    };
  }

  rest(): Documents {
    const left: number[] = [];
    for (let i = 0; i < this.#done.length; i++) if (this.#done[i] === 0) left.push(i);
    return this.#documents.pick(Uint32Array.from(left));
  }
}
