/**
 * The documents a rule still has to sort, listed by segment and row. A list and not a bitmap, so that work is in
 * proportion to the documents that still compete and not to the size of the index. Lists lie beside their segments,
 * where kernels read them.
 */
import type { RowSets, RowSpaces } from "../query/row-sets.ts";
import type { Refs, RowSpace } from "../query/row-space.ts";

/** Rows of one segment, ascending: `count` 32-bit words from the address `at`. */
export interface RowList {
  readonly at: number;
  readonly count: number;
}

/** A list as a set as well, with the rank of every 64th row: finds rows in the list without a search. */
export interface RankedSet {
  readonly bits: number;
  readonly ranks: number;
}

/** For lists that are not at hand as a set. */
export const NO_SET: RankedSet = { bits: 0, ranks: 0 };

/** At least MANY_WORDS words are sifted first, if they have FEW_SHARE times more rows than there are documents. */
const MANY_WORDS = 64;
const FEW_SHARE = 4;

export class Documents {
  readonly spaces: RowSpaces;
  readonly lists: readonly RowList[];
  readonly count: number;
  /** Position of the first document of each segment, and the count at the end. */
  readonly starts: Uint32Array;
  /** The list that this one, or the one it was picked from, was picked from. */
  readonly #root: Documents;
  #all: Uint32Array | null = null;
  readonly #sets: (RankedSet | undefined)[] = [];
  readonly #prefixes = new Map<string, Refs>();

  /** `from`: the list it is picked from. */
  constructor(spaces: RowSpaces, lists: readonly RowList[], from: Documents | null = null) {
    this.spaces = spaces;
    this.lists = lists;
    this.#root = from === null ? this : from.#root;
    this.starts = new Uint32Array(lists.length + 1);
    for (let segment = 0; segment < lists.length; segment++) {
      this.starts[segment + 1] = this.starts[segment]! + lists[segment]!.count;
    }
    this.count = this.starts[lists.length]!;
  }

  static of(spaces: RowSpaces, sets: RowSets): Documents {
    const lists: RowList[] = [];
    for (let i = 0; i < sets.length; i++) {
      const space = spaces.list[i]!;
      const { bytes, kernels, workspace } = space;
      const bits = space.address(sets[i]!);
      const count = kernels.bitsCount(bits, bytes);
      const at = workspace.allocate(count * 4);
      if (count > 0) kernels.bitsList(bits, bytes, at);
      lists.push({ at, count });
    }
    return new Documents(spaces, lists);
  }

  /** Rows of all segments, one segment after the other; good until the search ends. */
  get rows(): Uint32Array {
    if (this.#all === null) {
      if (this.lists.length === 1) this.#all = this.rowsOf(0);
      else {
        this.#all = new Uint32Array(this.count);
        for (let segment = 0; segment < this.lists.length; segment++) {
          this.#all.set(this.rowsOf(segment), this.starts[segment]);
        }
      }
    }
    return this.#all;
  }

  rowsOf(segment: number): Uint32Array {
    const { at, count } = this.lists[segment]!;
    return this.spaces.list[segment]!.workspace.u32.subarray(at >>> 2, (at >>> 2) + count);
  }

  get segmentCount(): number {
    return this.lists.length;
  }

  /** The list of a segment as a set; made when first asked for. */
  ranked(segment: number): RankedSet {
    let set = this.#sets[segment];
    if (set === undefined) {
      const { bytes, kernels, workspace } = this.spaces.list[segment]!;
      const { at, count } = this.lists[segment]!;
      set = { bits: workspace.allocate(bytes), ranks: workspace.allocate(bytes / 2) };
      kernels.fill(set.bits, bytes, 0);
      kernels.listBits(at, count, set.bits);
      kernels.bitsRanks(set.bits, bytes, set.ranks);
      this.#sets[segment] = set;
    }
    return set;
  }

  /**
   * The words of a segment that begin with a prefix, without most of those that no document here has: there may be very
   * many, and several rules ask.
   */
  completions(segment: number, prefix: string): Refs {
    const space = this.spaces.list[segment]!;
    const { refs } = space.completions(prefix);
    if (refs.count < MANY_WORDS || this.#root.lists[segment]!.count * FEW_SHARE > refs.documents) return refs;
    const name = `${segment} ${prefix}`;
    let among = this.#root.#prefixes.get(name);
    if (among === undefined) {
      among = space.refsAmong(refs, this.#root.ranked(segment).bits);
      this.#root.#prefixes.set(name, among);
    }
    return among;
  }

  /** Visits the list of each segment that has documents. */
  eachList(visit: (space: RowSpace, list: RowList, segment: number) => void): void {
    for (let segment = 0; segment < this.lists.length; segment++) {
      if (this.lists[segment]!.count > 0) visit(this.spaces.list[segment]!, this.lists[segment]!, segment);
    }
  }

  /** The documents at these positions, which ascend. */
  pick(positions: Uint32Array): Documents {
    let next = 0;
    const lists = this.lists.map((list, segment): RowList => {
      const { workspace } = this.spaces.list[segment]!;
      const first = this.starts[segment]!;
      const end = this.starts[segment + 1]!;
      const from = next;
      while (next < positions.length && positions[next]! < end) next++;
      const at = workspace.allocate((next - from) * 4);
      const { u32 } = workspace;
      for (let i = from; i < next; i++) {
        u32[(at >>> 2) + i - from] = u32[(list.at >>> 2) + positions[i]! - first]!;
      }
      return { at, count: next - from };
    });
    return new Documents(this.spaces, lists, this);
  }

  /** The documents for which `keep` says yes. */
  filter(keep: (segment: number, row: number) => boolean): Documents {
    const kept: number[] = [];
    for (let segment = 0; segment < this.segmentCount; segment++) {
      const rows = this.rowsOf(segment);
      for (let i = 0; i < rows.length; i++) if (keep(segment, rows[i]!)) kept.push(this.starts[segment]! + i);
    }
    return kept.length === this.count ? this : this.pick(Uint32Array.from(kept));
  }

  toSets(): RowSets {
    const sets = this.spaces.none();
    this.eachList(({ kernels }, { at, count }, segment) => {
      kernels.listBits(at, count, sets[segment]!.words.byteOffset);
    });
    return sets;
  }

  removeFrom(sets: RowSets): void {
    this.spaces.removeFrom(sets, this.toSets());
  }

  /** Calls `visit` in the order of internal ids until it returns false. */
  inOrder(docids: readonly Uint32Array[], visit: (segment: number, row: number, docid: number) => boolean): void {
    const lists = this.lists.map((_, segment) => this.rowsOf(segment));
    const next = new Uint32Array(lists.length);
    const heads = Float64Array.from(lists, (rows, segment) => headOf(rows, 0, docids[segment]!));
    for (;;) {
      let lowest = 0;
      for (let segment = 1; segment < lists.length; segment++) if (heads[segment]! < heads[lowest]!) lowest = segment;
      if (lists.length === 0 || heads[lowest] === Number.POSITIVE_INFINITY) return;
      const row = lists[lowest]![next[lowest]!++]!;
      const docid = heads[lowest]!;
      heads[lowest] = headOf(lists[lowest]!, next[lowest]!, docids[lowest]!);
      if (!visit(lowest, row, docid)) return;
    }
  }
}

function headOf(rows: Uint32Array, at: number, docids: Uint32Array): number {
  return at < rows.length ? docids[rows[at]!]! : Number.POSITIVE_INFINITY;
}
