/**
 * The documents a rule still has to sort, listed by segment and row. A list and not a bitmap, so that work is in
 * proportion to the documents that still compete and not to the size of the index.
 */
import { Bitmap } from "../segment/bitmap.ts";
import type { RowSets } from "./row-sets.ts";

export class Documents {
  /** Rows of segment s, ascending: `rows[starts[s]] .. rows[starts[s + 1] - 1]`. */
  readonly rows: Uint32Array;
  readonly starts: Uint32Array;

  constructor(rows: Uint32Array, starts: Uint32Array) {
    this.rows = rows;
    this.starts = starts;
  }

  static of(sets: RowSets): Documents {
    const lists = sets.map((set) => set.toArray());
    const starts = new Uint32Array(sets.length + 1);
    lists.forEach((list, segment) => {
      starts[segment + 1] = starts[segment]! + list.length;
    });
    if (lists.length === 1) return new Documents(lists[0]!, starts);
    const rows = new Uint32Array(starts[sets.length]!);
    lists.forEach((list, segment) => {
      rows.set(list, starts[segment]);
    });
    return new Documents(rows, starts);
  }

  get count(): number {
    return this.rows.length;
  }

  get segmentCount(): number {
    return this.starts.length - 1;
  }

  /** The documents at these positions, which ascend. */
  pick(positions: Uint32Array): Documents {
    const rows = new Uint32Array(positions.length);
    const starts = new Uint32Array(this.starts.length);
    let segment = 0;
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!;
      while (position >= this.starts[segment + 1]!) starts[++segment] = i;
      rows[i] = this.rows[position]!;
    }
    while (segment < this.segmentCount) starts[++segment] = positions.length;
    return new Documents(rows, starts);
  }

  /** The documents for which `keep` says yes. */
  filter(keep: (segment: number, row: number) => boolean): Documents {
    const kept: number[] = [];
    for (let segment = 0; segment < this.segmentCount; segment++) {
      for (let i = this.starts[segment]!; i < this.starts[segment + 1]!; i++) {
        if (keep(segment, this.rows[i]!)) kept.push(i);
      }
    }
    return kept.length === this.count ? this : this.pick(Uint32Array.from(kept));
  }

  toSets(like: RowSets): RowSets {
    return like.map(({ rows: size }, segment) => {
      const set = Bitmap.create(size);
      for (let i = this.starts[segment]!; i < this.starts[segment + 1]!; i++) set.set(this.rows[i]!);
      return set;
    });
  }

  removeFrom(sets: RowSets): void {
    sets.forEach((set, segment) => {
      for (let i = this.starts[segment]!; i < this.starts[segment + 1]!; i++) set.clear(this.rows[i]!);
    });
  }

  /** Calls `visit` in the order of internal ids until it returns false. */
  inOrder(docids: readonly Uint32Array[], visit: (segment: number, row: number, docid: number) => boolean): void {
    const { rows, segmentCount, starts } = this;
    const next = starts.slice(0, segmentCount);
    const heads = new Float64Array(segmentCount);
    for (let segment = 0; segment < segmentCount; segment++) {
      heads[segment] = headOf(rows, next[segment]!, starts[segment + 1]!, docids[segment]!);
    }
    for (;;) {
      let lowest = 0;
      for (let segment = 1; segment < segmentCount; segment++) if (heads[segment]! < heads[lowest]!) lowest = segment;
      if (segmentCount === 0 || heads[lowest] === Number.POSITIVE_INFINITY) return;
      const row = rows[next[lowest]!]!;
      next[lowest]!++;
      const docid = heads[lowest]!;
      heads[lowest] = headOf(rows, next[lowest]!, starts[lowest + 1]!, docids[lowest]!);
      if (!visit(lowest, row, docid)) return;
    }
  }
}

function headOf(rows: Uint32Array, at: number, end: number, docids: Uint32Array): number {
  return at < end ? docids[rows[at]!]! : Number.POSITIVE_INFINITY;
}
