/** Sets of documents over all segments of an index: one bitmap a segment, in the order of the segments. */
import { internalError } from "../contract/errors.ts";
import { type Workspace, WorkspaceFull } from "../memory/workspace.ts";
import type { Bitmap } from "../segment/bitmap.ts";
import type { RowSpace } from "./row-space.ts";

export type RowSets = Bitmap[];

/** What can be done with sets in the memories that hold the segments. Results are good until the search ends. */
export class RowSpaces {
  readonly list: readonly RowSpace[];
  private marks: { workspace: Workspace; mark: number }[] = [];

  constructor(list: readonly RowSpace[]) {
    this.list = list;
  }

  /** Runs one search; whatever it made in the workspaces is given back afterwards. */
  during<Result>(search: () => Result): Result {
    const workspaces = new Set(this.list.map(({ workspace }) => workspace));
    const before = this.marks;
    this.marks = [...workspaces].map((workspace) => ({ workspace, mark: workspace.mark }));
    try {
      for (const space of this.list) space.begin();
      return search();
    } catch (problem) {
      if (!(problem instanceof WorkspaceFull)) throw problem;
      throw internalError(`the search takes more memory than a reader has: ${problem.message}`);
    } finally {
      for (const { workspace, mark } of this.marks) workspace.release(mark);
      this.marks = before;
    }
  }

  none(): RowSets {
    return this.list.map((space) => space.emptySet());
  }

  copyOf(a: RowSets): RowSets {
    return a.map((set, i) => {
      const space = this.list[i]!;
      const from = space.address(set);
      const copy = space.rawSet();
      space.workspace.u8.copyWithin(copy.words.byteOffset, from, from + space.bytes);
      return copy;
    });
  }

  and(a: RowSets, b: RowSets): RowSets {
    return this.combine(a, b, "bitsAnd");
  }

  andNot(a: RowSets, b: RowSets): RowSets {
    return this.combine(a, b, "bitsAndNot");
  }

  private combine(a: RowSets, b: RowSets, operation: "bitsAnd" | "bitsAndNot"): RowSets {
    return a.map((set, i) => {
      const space = this.list[i]!;
      const [left, right] = [space.address(set), space.address(b[i]!)];
      const out = space.rawSet();
      space.kernels[operation](out.words.byteOffset, left, right, space.bytes);
      return out;
    });
  }

  /** `out` = what both have; it may be one of the two. */
  andInto(out: RowSets, a: RowSets, b: RowSets): void {
    for (let i = 0; i < out.length; i++) {
      const space = this.list[i]!;
      space.kernels.bitsAnd(out[i]!.words.byteOffset, space.address(a[i]!), space.address(b[i]!), space.bytes);
    }
  }

  /** Adds what `b` and `c` both have to `a`. */
  addBoth(a: RowSets, b: RowSets, c: RowSets): void {
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      space.kernels.bitsOrAnd(a[i]!.words.byteOffset, space.address(b[i]!), space.address(c[i]!), space.bytes);
    }
  }

  /** Sets for results to come: their bits are whatever the memory held. */
  raw(): RowSets {
    return this.list.map((space) => space.rawSet());
  }

  /** These three change `a`. */
  addTo(a: RowSets, b: RowSets): void {
    this.change(a, b, "bitsOr");
  }

  removeFrom(a: RowSets, b: RowSets): void {
    this.change(a, b, "bitsAndNot");
  }

  keepIn(a: RowSets, b: RowSets): void {
    this.change(a, b, "bitsAnd");
  }

  private change(a: RowSets, b: RowSets, operation: "bitsAnd" | "bitsAndNot" | "bitsOr"): void {
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      const at = a[i]!.words.byteOffset;
      space.kernels[operation](at, at, space.address(b[i]!), space.bytes);
    }
  }

  isEmpty(a: RowSets): boolean {
    return a.every((set, i) => this.list[i]!.kernels.bitsAny(this.list[i]!.address(set), this.list[i]!.bytes) === 0);
  }

  meet(a: RowSets, b: RowSets): boolean {
    return a.some((set, i) => {
      const space = this.list[i]!;
      return space.kernels.bitsAnyAnd(space.address(set), space.address(b[i]!), space.bytes) !== 0;
    });
  }

  count(a: RowSets): number {
    return a.reduce((sum, set, i) => {
      const space = this.list[i]!;
      return sum + space.kernels.bitsCount(space.address(set), space.bytes);
    }, 0);
  }

  countBoth(a: RowSets, b: RowSets): number {
    return a.reduce((sum, set, i) => {
      const space = this.list[i]!;
      return sum + space.kernels.bitsCountAnd(space.address(set), space.address(b[i]!), space.bytes);
    }, 0);
  }

  /** Copies that outlive the search. */
  kept(a: RowSets): RowSets {
    return a.map((set) => set.copy());
  }
}

export function countOf(a: RowSets): number {
  return a.reduce((sum, rows) => sum + rows.count(), 0);
}

export function or(a: RowSets, b: RowSets): RowSets {
  return a.map((rows, i) => rows.or(b[i]!));
}
