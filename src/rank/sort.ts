/**
 * Sorts documents by a field: numbers, then strings, then documents without a value. Inside a segment values are
 * compared as the ordinals of its sorted dictionary; segments meet only at the values that come next.
 */
import type { Column } from "../segment/columns/column.ts";
import type { Clock } from "./clock.ts";
import type { Bucket, Sorting } from "./context.ts";
import type { Documents } from "./documents.ts";
import { KeyRuns } from "./key-runs.ts";
import type { Interpretations } from "./reading.ts";

const WITHOUT = 0xffffffff;

export interface FieldOrder {
  field: string;
  descending: boolean;
}

export class FieldSort implements Sorting {
  private readonly documents: Documents;
  private readonly interpretations: Interpretations;
  private readonly order: FieldOrder;
  private readonly isExcluded: ((segment: number, row: number) => boolean) | null;
  private readonly segments: SegmentOrder[];
  private handedOut = 0;
  private readonly done: Uint8Array;

  constructor(
    order: FieldOrder,
    columns: readonly (Column | null)[],
    documents: Documents,
    interpretations: Interpretations,
    clock: Clock,
    isExcluded: ((segment: number, row: number) => boolean) | null,
  ) {
    this.order = order;
    this.documents = documents;
    this.interpretations = interpretations;
    this.isExcluded = isExcluded;
    this.done = new Uint8Array(documents.count);
    this.segments = columns.map((column, segment) => {
      const from = documents.starts[segment]!;
      const to = documents.starts[segment + 1]!;
      clock.spend(to - from);
      return new SegmentOrder(column, documents.rows.subarray(from, to), from, order.descending);
    });
  }

  next(): Bucket | null {
    const { descending, field } = this.order;
    if (this.handedOut === this.documents.count) return null;
    let best: SegmentOrder[] = [];
    for (const segment of this.segments) {
      if (segment.key === null) continue;
      const order = best.length === 0 ? -1 : segment.compare(best[0]!, descending);
      if (order < 0) best = [segment];
      else if (order === 0) best.push(segment);
    }
    const value = best[0]!.value();
    const positions = Uint32Array.from(best.flatMap((segment) => segment.take()));
    this.handedOut += positions.length;
    for (const position of positions) this.done[position] = 1;
    const found = this.documents.pick(positions);
    const { isExcluded } = this;
    return {
      documents: isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row)),
      interpretations: this.interpretations,
      detail: { kind: "sort", field, descending, value },
    };
  }

  rest(): Documents {
    const left: number[] = [];
    for (let i = 0; i < this.done.length; i++) if (this.done[i] === 0) left.push(i);
    const found = this.documents.pick(Uint32Array.from(left));
    const { isExcluded } = this;
    return isExcluded === null ? found : found.filter((segment, row) => !isExcluded(segment, row));
  }
}

/** The documents of one segment in order. */
class SegmentOrder {
  private readonly column: Column | null;
  private readonly descending: boolean;
  private readonly first: number;
  private readonly runs: KeyRuns;

  constructor(column: Column | null, rows: Uint32Array, first: number, descending: boolean) {
    this.column = column;
    this.descending = descending;
    this.first = first;
    const keys = new Uint32Array(rows.length).fill(WITHOUT);
    if (column !== null) this.fill(column, rows, keys);
    this.runs = new KeyRuns(keys);
  }

  private fill(column: Column, rows: Uint32Array, keys: Uint32Array): void {
    const { numberCount, stringCount } = column;
    const { descending } = this;
    for (let i = 0; i < rows.length; i++) {
      const code = column.sortCode(rows[i]!, descending);
      if (code === 0) continue;
      if (column.isNumberCode(code)) keys[i] = descending ? numberCount - code : code - 1;
      else {
        const ordinal = column.stringOfCode(code);
        keys[i] = numberCount + (descending ? stringCount - 1 - ordinal : ordinal);
      }
    }
  }

  /** Of the documents that come next; null when there are none. */
  get key(): number | null {
    return this.runs.key;
  }

  private get number(): number | null {
    const { key } = this;
    const { column, descending } = this;
    if (column === null || key === null || key >= column.numberCount) return null;
    return column.numbers[descending ? column.numberCount - 1 - key : key]!;
  }

  private get string(): number {
    const column = this.column!;
    const offset = this.key! - column.numberCount;
    return this.descending ? column.stringCount - 1 - offset : offset;
  }

  value(): number | string | null {
    if (this.key === WITHOUT) return null;
    return this.number ?? this.column!.stringAt(this.string);
  }

  /** Negative when this one's next documents come before the other's. */
  compare(other: SegmentOrder, descending: boolean): number {
    const sign = descending ? -1 : 1;
    if (this.key === WITHOUT || other.key === WITHOUT)
      return this.key === other.key ? 0 : this.key === WITHOUT ? 1 : -1;
    const a = this.number;
    const b = other.number;
    if (a !== null && b !== null) return sign * (a - b);
    if (a !== null || b !== null) return a !== null ? -1 : 1;
    return sign * compareBytes(this.column!.stringBytesAt(this.string), other.column!.stringBytesAt(other.string));
  }

  take(): number[] {
    return Array.from(this.runs.take(), (position) => position + this.first);
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
