/**
 * Sorts documents by a field: numbers, then strings, then documents without a value. Inside a segment values are
 * compared as the ordinals of its sorted dictionary; segments meet only at the values that come next.
 */
import { WITHOUT } from "../../base/kernels/columns/kernels.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import type { Deadline } from "../query/deadline.ts";
import { type Agreement, stepOf } from "./agreement.ts";
import type { Bucket, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import type { Interpretations } from "./reading.ts";
import type { RankDetail } from "./result.ts";

/** So many documents of a segment are put in order at first, then ever more: usually the first few are all. */
const FIRST_CHUNK = 64;
const GROWTH = 16;

interface FieldOrder {
  field: string;
  descending: boolean;
}

export class FieldSort implements Sorting {
  readonly #documents: Documents;
  readonly #interpretations: Interpretations;
  readonly #order: FieldOrder;
  readonly #isExcluded: ((segment: number, row: number) => boolean) | null;
  readonly #agreement: Agreement | null;
  readonly #segments: SegmentOrder[] = [];
  /** Of the segments, those whose next documents come first. */
  readonly #best: SegmentOrder[] = [];

  constructor(
    order: FieldOrder,
    columns: readonly (Column | null)[],
    documents: Documents,
    interpretations: Interpretations,
    clock: Deadline,
    isExcluded: ((segment: number, row: number) => boolean) | null,
    agreement: Agreement | null,
  ) {
    this.#agreement = agreement;
    this.#order = order;
    this.#documents = documents;
    this.#interpretations = interpretations;
    this.#isExcluded = isExcluded;
    for (let segment = 0; segment < columns.length; segment++) {
      const from = documents.starts[segment]!;
      const to = documents.starts[segment + 1]!;
      if (from === to) continue;
      clock.spend(to - from);
      const rows = documents.rowsOf(segment);
      this.#segments.push(new SegmentOrder(segment, columns[segment]!, rows, from, order.descending));
    }
  }

  /** Groups that are excluded as a whole are passed over: with few distinct values that is most of them. */
  next(): Bucket | null {
    const { descending, field } = this.#order;
    const best = this.#best;
    const isExcluded = this.#isExcluded;
    for (;;) {
      this.#findBest();
      if (best.length === 0) return null;
      const detail: RankDetail = { kind: "sort", field, descending, value: best[0]!.value() };
      this.#agreement?.reach(stepOf(detail));
      let room = 0;
      for (const segment of best) room += segment.groupLength;
      const positions = new Uint32Array(room);
      let count = 0;
      for (const segment of best) count = segment.take(positions, count, isExcluded);
      if (count === 0) continue;
      return {
        documents: this.#documents.pick(positions.subarray(0, count)),
        interpretations: this.#interpretations,
        detail,
      };
    }
  }

  #findBest(): void {
    const best = this.#best;
    best.length = 0;
    for (const segment of this.#segments) {
      if (segment.key === null) continue;
      const order = best.length === 0 ? -1 : segment.compare(best[0]!, this.#order.descending);
      if (order < 0) best.length = 0;
      if (order <= 0) best.push(segment);
    }
  }

  rest(): Documents {
    const left = this.#segments.map((segment) => segment.rest());
    const positions = new Uint32Array(left.reduce((sum, own) => sum + own.length, 0));
    let at = 0;
    for (const own of left) {
      positions.set(own, at);
      at += own.length;
    }
    const found = this.#documents.pick(positions);
    const isExcluded = this.#isExcluded;
    return isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row));
  }
}

/** The documents of one segment in order. */
class SegmentOrder {
  readonly #segment: number;
  readonly #column: Column | null;
  readonly #rows: Uint32Array;
  readonly #descending: boolean;
  /** Position of its first document among all. */
  readonly #first: number;
  /** Documents in order, as positions among those of the segment; all whose keys are below `end`. */
  #positions: Uint32Array = NOTHING;
  #keys: Uint32Array = NOTHING;
  #end = 0;
  #at = 0;
  #wanted = FIRST_CHUNK;
  #isDone = false;
  /** Of the documents that come next, which share it; null when there are none. */
  key: number | null = null;
  groupLength = 0;

  constructor(segment: number, column: Column | null, rows: Uint32Array, first: number, descending: boolean) {
    this.#segment = segment;
    this.#column = column;
    this.#rows = rows;
    this.#first = first;
    this.#descending = descending;
    this.#advance();
  }

  /** Moves on to the next group. */
  #advance(): void {
    this.#at += this.groupLength;
    while (this.#at === this.#keys.length && !this.#isDone) this.#refill();
    const at = this.#at;
    const keys = this.#keys;
    this.key = at === keys.length ? null : keys[at]!;
    let end = at;
    while (end < keys.length && keys[end] === this.key) end++;
    this.groupLength = end - at;
  }

  #refill(): void {
    const column = this.#column;
    const rows = this.#rows;
    this.#at = 0;
    if (column === null) {
      this.#positions = rows.map((_, i) => i);
      this.#keys = new Uint32Array(rows.length).fill(WITHOUT);
      this.#isDone = true;
      return;
    }
    const { positions, keys, end } = column.scan.smallest(rows, this.#descending, this.#end, this.#wanted);
    this.#positions = positions;
    this.#keys = keys;
    this.#isDone = end === WITHOUT;
    this.#end = end;
    this.#wanted *= GROWTH;
  }

  get #number(): number | null {
    const { key } = this;
    const column = this.#column;
    const descending = this.#descending;
    if (column === null || key === null || key >= column.numberCount) return null;
    return column.numbers[descending ? column.numberCount - 1 - key : key]!;
  }

  get #string(): number {
    const column = this.#column!;
    const offset = this.key! - column.numberCount;
    return this.#descending ? column.stringCount - 1 - offset : offset;
  }

  value(): number | string | null {
    if (this.key === WITHOUT) return null;
    return this.#number ?? this.#column!.stringAt(this.#string);
  }

  /** Negative when this one's next documents come before the other's. */
  compare(other: SegmentOrder, descending: boolean): number {
    const sign = descending ? -1 : 1;
    if (this.key === WITHOUT || other.key === WITHOUT)
      return this.key === other.key ? 0 : this.key === WITHOUT ? 1 : -1;
    const a = this.#number;
    const b = other.#number;
    if (a !== null && b !== null) return sign * (a - b);
    if (a !== null || b !== null) return a !== null ? -1 : 1;
    return sign * compareBytes(this.#column!.stringBytesAt(this.#string), other.#column!.stringBytesAt(other.#string));
  }

  /** Writes the positions of the next group that are not excluded, ascending, from `at` on; returns where they end. */
  take(out: Uint32Array, at: number, isExcluded: ((segment: number, row: number) => boolean) | null): number {
    const { groupLength } = this;
    const first = this.#first;
    const positions = this.#positions;
    const rows = this.#rows;
    const segment = this.#segment;
    let end = at;
    for (let i = this.#at; i < this.#at + groupLength; i++) {
      const position = positions[i]!;
      if (isExcluded === null || !isExcluded(segment, rows[position]!)) out[end++] = position + first;
    }
    this.#advance();
    return end;
  }

  /** Positions of what was not taken, ascending. */
  rest(): Uint32Array {
    const { key } = this;
    const column = this.#column;
    const rows = this.#rows;
    if (key === null) return NOTHING;
    const left = column === null ? this.#positions : column.scan.positionsFrom(rows, this.#descending, key);
    return left.map((position) => position + this.#first);
  }
}

const NOTHING = new Uint32Array(0);

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
