/**
 * Sorts documents by their distance from a place, nearest or farthest first; documents without a place come last. Those
 * within a metre of the first of a bucket are held equal.
 */
import type { GeoReader } from "../../storage/segment/geo/points.ts";
import type { Deadline } from "../query/deadline.ts";
import type { Bucket, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import { partFirst } from "./first-of.ts";
import type { Interpretations } from "./reading.ts";

/** So many are put in true order at a time; fewer are sorted by whole metres. */
const BATCH = 1000;
const BUCKET_METRES = 1;

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
  readonly #docids: Uint32Array;
  readonly #distances: Float64Array;
  /** Positions with a place not yet put in order, and those that are, in order. */
  #unordered: number[] = [];
  #ordered: number[] = [];
  #at = 0;
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
    this.#docids = new Uint32Array(documents.count);
    this.#distances = new Float64Array(documents.count);
    this.#done = new Uint8Array(documents.count);
    for (let segment = 0; segment < documents.segmentCount; segment++) {
      const reader = readers[segment] ?? null;
      for (let i = documents.starts[segment]!; i < documents.starts[segment + 1]!; i++) {
        const row = documents.rows[i]!;
        this.#docids[i] = docids[segment]![row]!;
        this.#distances[i] = reader?.distance(row, order.lat, order.lng) ?? Number.POSITIVE_INFINITY;
        if (this.#distances[i] !== Number.POSITIVE_INFINITY) this.#unordered.push(i);
      }
      clock.spend(documents.starts[segment + 1]! - documents.starts[segment]!);
    }
  }

  #orderNext(): void {
    const { descending } = this.#order;
    const distances = this.#distances;
    const docids = this.#docids;
    const isExcluded = this.#isExcluded;
    if (isExcluded !== null) this.#unordered = this.#unordered.filter((i) => !this.#isGone(i, isExcluded));
    const sign = descending ? -1 : 1;
    if (this.#unordered.length < BATCH) {
      // Read backwards for the farthest first, so that ids descend where whole metres are equal.
      this.#ordered = this.#unordered.sort(
        (a, b) => sign * (Math.trunc(distances[a]!) - Math.trunc(distances[b]!) || docids[a]! - docids[b]!),
      );
      this.#unordered = [];
    } else {
      const keys = descending ? distances.map((distance) => -distance) : distances;
      const { first, rest } = partFirst(this.#unordered, keys, docids, BATCH);
      this.#ordered = first;
      this.#unordered = rest;
    }
    this.#at = 0;
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
    if (this.#at === this.#ordered.length && this.#unordered.length > 0) this.#orderNext();
    const { lat, lng, descending } = this.#order;
    if (this.#at === this.#ordered.length) {
      const rest = this.rest();
      if (rest.count === 0 || this.#handedOut === this.#documents.count) return null;
      this.#handedOut = this.#documents.count;
      this.#done.fill(1);
      return this.#bucket(rest, { kind: "geo", lat, lng, descending, value: null, distance: null });
    }
    const head = this.#ordered[this.#at]!;
    const positions: number[] = [];
    while (
      this.#at < this.#ordered.length &&
      positions.length < BATCH &&
      Math.abs(this.#distances[this.#ordered[this.#at]!]! - this.#distances[head]!) <= BUCKET_METRES
    ) {
      positions.push(this.#ordered[this.#at++]!);
    }
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
