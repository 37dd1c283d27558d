/**
 * All places of a frequent word, or of the words that begin with a common prefix, gathered by row: what searches need
 * again and again, and what is packed, or spread over thousands of terms. Kept from search to search in a part of the
 * workspace.
 */
import { FreeSpace } from "../memory/free-space.ts";
import type { Workspace } from "../memory/workspace.ts";
import { Bitmap } from "../segment/bitmap.ts";
import type { SegmentReader } from "../segment/reader.ts";
import type { Refs, RowSpace } from "./row-space.ts";

/** Of a workspace, for tables that are kept. */
const KEPT_SHARE = 3;

/**
 * Rows ascending; places of row i are `places[starts[i]] .. places[starts[i + 1] - 1]`, ascending. Numbers are addresses
 * of 32-bit words.
 */
export interface RowTable {
  readonly bitmap: Bitmap;
  readonly rows: number;
  readonly starts: number;
  readonly places: number;
  readonly count: number;
  /** In which fields, and from which position on: a byte and a 16-bit word a row. Null where there are many fields. */
  readonly summaries: { masks: number; firsts: number } | null;
}

/** Segments with more fields have no summaries. */
const SUMMARIZED_FIELDS_MAX = 8;

/** Lists of which the words have so many times more rows are met with the words themselves, unless it happens again. */
const SHORT_SHARE = 8;

/** Of the words that begin with `prefix`; null when gathering it is not worth it for a list of so many documents. */
export function prefixTable(space: RowSpace, prefix: string, documents: number): RowTable | null {
  const store = TableStore.of(space.workspace);
  const name = ` ${prefix}`;
  const known = store.find(space, name);
  if (known !== null) return known;
  const { refs } = space.completions(prefix);
  if (documents * SHORT_SHARE < refs.documents && !store.wasWanted(space, name)) return null;
  return store.make(space, name, refs);
}

/** The rows of the words that begin with `prefix`. */
export function prefixRows(space: RowSpace, prefix: string): Bitmap {
  return TableStore.of(space.workspace).find(space, ` ${prefix}`)?.bitmap ?? space.completions(prefix).rows;
}

/** Words in so many rows of a segment are kept unpacked, if the documents to look at are a fair share of those. */
const FREQUENT = 2048;
const FREQUENT_SHARE = 64;

/** Whether a word, in `frequency` rows of all segments, had better be unpacked to be met with so many documents. */
export function isFrequent(space: RowSpace, ordinal: number, frequency: number, documents: number): boolean {
  if (frequency < FREQUENT) return false;
  const own = space.documentsOf(ordinal);
  return own >= FREQUENT && documents * FREQUENT_SHARE >= own;
}

/** Of a single word. */
export function wordTable(space: RowSpace, ordinal: number): RowTable {
  const store = TableStore.of(space.workspace);
  const name = `#${ordinal}`;
  return store.find(space, name) ?? store.make(space, name, space.refs([ordinal]));
}

/** Tables that were not made, remembered in case they are asked for again. */
const WANTED_MAX = 1000;

interface Kept {
  table: RowTable;
  offset: number;
  bytes: number;
}

class TableStore {
  private static readonly stores = new WeakMap<Workspace, TableStore>();
  private readonly space: FreeSpace;
  /** Most recently used last. */
  private readonly kept = new Map<string, Kept>();
  private readonly wanted = new Set<string>();
  private readonly names = new WeakMap<SegmentReader, number>();
  private named = 0;

  private constructor(workspace: Workspace) {
    const bytes = Math.floor((workspace.end - workspace.start) / KEPT_SHARE);
    const begin = workspace.split(bytes);
    this.space = new FreeSpace(Math.ceil(begin / 64) * 64, begin + bytes);
  }

  static of(workspace: Workspace): TableStore {
    let store = TableStore.stores.get(workspace);
    if (store === undefined) {
      store = new TableStore(workspace);
      TableStore.stores.set(workspace, store);
    }
    return store;
  }

  /** A table that was kept; null when there is none. */
  find(space: RowSpace, name: string): RowTable | null {
    const key = this.keyOf(space, name);
    const known = this.kept.get(key);
    if (known === undefined) return null;
    this.kept.delete(key);
    this.kept.set(key, known);
    return known.table;
  }

  /** Gathers a table, which is kept if there is room. */
  make(space: RowSpace, name: string, refs: Refs): RowTable {
    const { mark } = space.workspace;
    const made = gather(space, refs);
    const kept = this.keep(space, made);
    if (kept === null) return made.table;
    space.workspace.release(mark);
    this.kept.set(this.keyOf(space, name), kept);
    return kept.table;
  }

  /** Whether an earlier search could have used a table that was not made. */
  wasWanted(space: RowSpace, name: string): boolean {
    const key = this.keyOf(space, name);
    if (this.wanted.delete(key)) return true;
    if (this.wanted.size >= WANTED_MAX) this.wanted.clear();
    this.wanted.add(key);
    return false;
  }

  private keyOf(space: RowSpace, name: string): string {
    return `${this.nameOf(space.reader)}${name}`;
  }

  private nameOf(reader: SegmentReader): number {
    let name = this.names.get(reader);
    if (name === undefined) {
      name = this.named++;
      this.names.set(reader, name);
    }
    return name;
  }

  /** Moves a table out of the stack; null when there is no room for it, however much is forgotten. */
  private keep(space: RowSpace, { table, places }: { table: RowTable; places: number }): Kept | null {
    const { count } = table;
    const lengths = [space.bytes, count * 4, (count + 1) * 4, places * 4];
    if (table.summaries !== null) lengths.push(count, count * 2);
    const bytes = lengths.reduce((sum, length) => sum + Math.ceil(length / 16) * 16, 0);
    let offset = this.space.allocate(bytes);
    for (const [oldest, { offset: from, bytes: length }] of this.kept) {
      if (offset >= 0) break;
      this.kept.delete(oldest);
      this.space.free(from, length);
      offset = this.space.allocate(bytes);
    }
    if (offset < 0) return null;
    const { u8, u32 } = space.workspace;
    let at = offset;
    const parts = [table.bitmap.words.byteOffset, table.rows, table.starts, table.places];
    if (table.summaries !== null) parts.push(table.summaries.masks, table.summaries.firsts);
    const moved = parts.map((from, i) => {
      const to = at;
      u8.copyWithin(to, from, from + lengths[i]!);
      at += Math.ceil(lengths[i]! / 16) * 16;
      return to;
    });
    const words = u32.subarray(moved[0]! >>> 2, (moved[0]! >>> 2) + table.bitmap.words.length);
    const bitmap = new Bitmap(space.rows, words);
    const [, rows, starts, ofRows, masks, firsts] = moved as [number, number, number, number, number, number];
    const summaries = table.summaries === null ? null : { masks, firsts };
    return { table: { bitmap, rows, starts, places: ofRows, count, summaries }, offset, bytes };
  }
}

function gather(space: RowSpace, refs: Refs): { table: RowTable; places: number } {
  const { kernels, reader, setFields, setOffsets, workspace } = space;
  const bitmap = space.emptySet();
  const bits = bitmap.words.byteOffset;
  kernels.unionRows(refs.at, refs.count, space.rows, bits);
  const count = kernels.bitsCount(bits, space.bytes);
  const rows = workspace.allocate(count * 4);
  kernels.bitsList(bits, space.bytes, rows);
  const isSummarized = reader.fields.length <= SUMMARIZED_FIELDS_MAX;
  const summaries = isSummarized ? { masks: workspace.allocate(count), firsts: workspace.allocate(count * 2) } : null;
  const ranks = workspace.allocate(refs.count === 1 ? 0 : space.rows * 4);
  const starts = workspace.allocate((count + 1) * 4);
  const room = Math.floor(workspace.room / 4);
  const places = workspace.mark;
  const total = kernels.gatherTable(
    refs.at,
    refs.count,
    space.rows,
    setOffsets,
    setFields,
    bits,
    ranks,
    starts,
    places,
    room,
  );
  workspace.allocate(total * 4);
  if (summaries !== null) kernels.tableSummaries(starts, places, count, summaries.masks, summaries.firsts);
  return { table: { bitmap, rows, starts, places, count, summaries }, places: total };
}
