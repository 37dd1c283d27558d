/**
 * Sets of documents over all segments of an index: one bitmap a segment, in the order of the segments. Loops and not `map`:
 * arrays that the engine knows to be without holes keep what reads them fast.
 */
import { internalError } from "../../base/errors/errors.ts";
import { type Workspace, WorkspaceFull } from "../../storage/memory/workspace.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { RowSpace } from "./row-space.ts";

export type RowSets = Bitmap[];

/** What can be done with sets in the memories that hold the segments. Results are good until the search ends. */
export class RowSpaces {
  readonly list: readonly RowSpace[];
  #marks: { workspace: Workspace; mark: number }[] = [];

  constructor(list: readonly RowSpace[]) {
    this.list = list;
  }

  /** Runs one search; whatever it made in the workspaces is given back afterwards. */
  during<Result>(search: () => Result): Result {
    const workspaces = new Set(this.list.map(({ workspace }) => workspace));
    const before = this.#marks;
    this.#marks = [...workspaces].map((workspace) => ({ workspace, mark: workspace.mark }));
    try {
      for (const space of this.list) space.begin();
      return search();
    } catch (problem) {
      if (!(problem instanceof WorkspaceFull)) throw problem;
      throw internalError(`the search takes more memory than a reader has: ${problem.message}`);
    } finally {
      for (const { workspace, mark } of this.#marks) workspace.release(mark);
      this.#marks = before;
    }
  }

  /** How far the stacks of the workspaces are in use, for `releaseTo`. */
  stackMarks(): number[] {
    const marks: number[] = [];
    for (let i = 0; i < this.list.length; i++) marks.push(this.list[i]!.workspace.mark);
    return marks;
  }

  releaseTo(marks: readonly number[]): void {
    for (let i = 0; i < marks.length; i++) {
      const { workspace } = this.list[i]!;
      // Segments may share a workspace.
      workspace.release(Math.min(marks[i]!, workspace.mark));
    }
  }

  none(): RowSets {
    const sets: RowSets = [];
    for (let i = 0; i < this.list.length; i++) sets.push(this.list[i]!.emptySet());
    return sets;
  }

  copyOf(a: RowSets): RowSets {
    const copies = this.raw();
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      const from = space.address(a[i]!);
      space.workspace.u8.copyWithin(copies[i]!.words.byteOffset, from, from + space.bytes);
    }
    return copies;
  }

  andNot(a: RowSets, b: RowSets): RowSets {
    const out: RowSets = [];
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      const left = space.address(a[i]!);
      const right = space.address(b[i]!);
      const set = space.rawSet();
      space.kernels.bitsAndNot(set.words.byteOffset, left, right, space.bytes);
      out.push(set);
    }
    return out;
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
    const sets: RowSets = [];
    for (let i = 0; i < this.list.length; i++) sets.push(this.list[i]!.rawSet());
    return sets;
  }

  /** These two change `a`. */
  addTo(a: RowSets, b: RowSets): void {
    this.#change(a, b, "bitsOr");
  }

  removeFrom(a: RowSets, b: RowSets): void {
    this.#change(a, b, "bitsAndNot");
  }

  #change(a: RowSets, b: RowSets, operation: "bitsAndNot" | "bitsOr"): void {
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      const at = a[i]!.words.byteOffset;
      space.kernels[operation](at, at, space.address(b[i]!), space.bytes);
    }
  }

  isEmpty(a: RowSets): boolean {
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      if (space.kernels.bitsAny(space.address(a[i]!), space.bytes) !== 0) return false;
    }
    return true;
  }

  meet(a: RowSets, b: RowSets): boolean {
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      if (space.kernels.bitsAnyAnd(space.address(a[i]!), space.address(b[i]!), space.bytes) !== 0) return true;
    }
    return false;
  }

  count(a: RowSets): number {
    let count = 0;
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      count += space.kernels.bitsCount(space.address(a[i]!), space.bytes);
    }
    return count;
  }

  countBoth(a: RowSets, b: RowSets): number {
    let count = 0;
    for (let i = 0; i < a.length; i++) {
      const space = this.list[i]!;
      count += space.kernels.bitsCountAnd(space.address(a[i]!), space.address(b[i]!), space.bytes);
    }
    return count;
  }

  /** Copies that outlive the search. */
  kept(a: RowSets): RowSets {
    const copies: RowSets = [];
    for (const set of a) copies.push(set.copy());
    return copies;
  }
}

export function countOf(a: RowSets): number {
  return a.reduce((sum, rows) => sum + rows.count(), 0);
}

export function or(a: RowSets, b: RowSets): RowSets {
  return a.map((rows, i) => rows.or(b[i]!));
}
