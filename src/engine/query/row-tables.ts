/**
 * What searches need again and again of a frequent word, or of the words that begin with a common prefix, and what is
 * packed or spread over thousands of terms: by row, in which fields it stands and where it stands first, and all of its
 * places. Kept from search to search.
 */
import { NO_ROOM } from "../../base/kernels/keyword/kernels.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import { addIdleJob } from "./idle-work.ts";
import { RowSpaces } from "./row-sets.ts";
import type { Completions, RowSpace } from "./row-space.ts";
import { type Piece, ScratchCache } from "./scratch-cache.ts";

/** Rows as a set with the rank of every 64th: what is known of a row is found by its rank. Numbers are addresses. */
interface RowIndex {
  readonly bits: number;
  readonly ranks: number;
}

/** In which fields, and from which position on: a byte and a 16-bit word a row. */
export interface RowSummaries extends RowIndex {
  readonly masks: number;
  readonly firsts: number;
}

/** Places of row i are `places[starts[i]] .. places[starts[i + 1] - 1]`, ascending; 32-bit words. */
export interface RowTable extends RowIndex {
  readonly starts: number;
  readonly places: number;
  /** Null where there are many fields. */
  readonly summaries: RowSummaries | null;
}

/** Segments with more fields have no summaries. */
const SUMMARIZED_FIELDS_MAX = 8;
/** Where the words have this many times more rows than the list has documents, the postings are read instead of a table. */
const SHORT_SHARE = 8;
/** Tables of all places take long to make: that is a job for an idle reader for what is wanted again, and urgent for what is wanted often. */
const WANTED_AGAIN = 2;
const WANTED_OFTEN = 64;

/**
 * Of the words that begin with `prefix`; null when finding it out is not worth it for a list of so many documents, or
 * where there are many fields.
 */
export function prefixSummaries(space: RowSpace, prefix: string, documents: number): RowSummaries | null {
  if (space.reader.fields.length > SUMMARIZED_FIELDS_MAX) return null;
  const store = ScratchCache.of(space.workspace);
  const name = store.nameOf(space.reader, `~${prefix}`);
  const known = store.find(name);
  if (known !== null) return summariesAt(known);
  const { refs, rows } = space.completions(prefix);
  if (documents * SHORT_SHARE < refs.documents) return null;
  const { kernels, setFields, setOffsets, workspace } = space;
  const { mark } = workspace;
  const { bits, count, ranks } = indexOf(space, rows);
  const masks = workspace.allocate(count);
  const firsts = workspace.allocate(count * 2);
  kernels.wordSummaries(refs.at, refs.count, setOffsets, setFields, bits, ranks, count, masks, firsts);
  const pieces = [...indexPieces(space, { bits, ranks }), ...summaryPieces({ masks, firsts }, count)];
  const kept = store.keep(space.reader, name, pieces);
  if (kept === null) return { bits, ranks, masks, firsts };
  workspace.release(mark);
  return summariesAt(kept);
}

/** All places of the words that begin with `prefix`; null when it is not worth it. */
export function prefixTable(space: RowSpace, prefix: string): RowTable | null {
  const store = ScratchCache.of(space.workspace);
  const name = store.nameOf(space.reader, ` ${prefix}`);
  const known = store.find(name);
  if (known !== null) return tableAt(known);
  const completions = space.completions(prefix);
  completions.timesWanted ??= store.timesWanted(name);
  if (completions.timesWanted >= WANTED_AGAIN) {
    addIdleJob(name, {
      reader: space.reader,
      isUrgent: completions.timesWanted >= WANTED_OFTEN,
      run: () => {
        if (!store.has(name))
          new RowSpaces([space]).during(() => gather(space, store, name, space.completions(prefix)));
      },
    });
  }
  return null;
}

/** The rows of the words that begin with `prefix`. */
export function prefixRows(space: RowSpace, prefix: string): Bitmap {
  const store = ScratchCache.of(space.workspace);
  const { reader, rows, words, workspace } = space;
  const known = store.find(store.nameOf(reader, `~${prefix}`)) ?? store.find(store.nameOf(reader, ` ${prefix}`));
  if (known === null) return space.completions(prefix).rows;
  return new Bitmap(rows, workspace.u32.subarray(known[0]! >>> 2, (known[0]! >>> 2) + words));
}

/** Words in at least FREQUENT rows of a segment are kept unpacked, if at least one in FREQUENT_SHARE of these is to be looked at. */
const FREQUENT = 2048;
const FREQUENT_SHARE = 64;

/** Of a single word, in `frequency` rows of all segments, if it had better be unpacked to be met with so many documents. */
export function wordTable(space: RowSpace, ordinal: number, frequency: number, documents: number): RowTable | null {
  if (frequency < FREQUENT) return null;
  const own = space.documentsOf(ordinal);
  if (own < FREQUENT || documents * FREQUENT_SHARE < own) return null;
  const store = ScratchCache.of(space.workspace);
  const name = store.nameOf(space.reader, `#${ordinal}`);
  const known = store.find(name);
  if (known !== null) return tableAt(known);
  const refs = space.refs([ordinal]);
  const rows = space.emptySet();
  space.kernels.unionRows(refs.at, refs.count, space.rows, rows.words.byteOffset);
  return gather(space, store, name, { refs, rows });
}

function gather(
  space: RowSpace,
  store: ScratchCache,
  name: string,
  { refs, rows }: Pick<Completions, "refs" | "rows">,
): RowTable | null {
  const { kernels, reader, setFields, setOffsets, workspace } = space;
  const { mark } = workspace;
  const { bits, count, ranks } = indexOf(space, rows);
  const isSummarized = reader.fields.length <= SUMMARIZED_FIELDS_MAX;
  const masks = isSummarized ? workspace.allocate(count) : 0;
  const firsts = isSummarized ? workspace.allocate(count * 2) : 0;
  const starts = workspace.allocate((count + 1) * 4);
  const places = workspace.mark;
  const room = Math.floor(workspace.room / 4);
  const { at, count: terms } = refs;
  const total = kernels.gatherTable(at, terms, space.rows, setOffsets, setFields, starts, places, room) >>> 0;
  if (total === NO_ROOM) {
    workspace.release(mark);
    return null;
  }
  workspace.allocate(total * 4);
  if (isSummarized) kernels.tableSummaries(starts, places, count, masks, firsts);
  const pieces = [
    ...indexPieces(space, { bits, ranks }),
    { at: starts, bytes: (count + 1) * 4 },
    { at: places, bytes: total * 4 },
    ...(isSummarized ? summaryPieces({ masks, firsts }, count) : []),
  ];
  const kept = store.keep(space.reader, name, pieces);
  if (kept === null) return tableAt(pieces.map((piece) => piece.at));
  workspace.release(mark);
  return tableAt(kept);
}

/** A set with its ranks, and how many rows it has. */
function indexOf(space: RowSpace, rows: Bitmap): RowIndex & { count: number } {
  const bits = space.address(rows);
  const ranks = space.workspace.allocate(space.bytes / 2);
  return { bits, ranks, count: space.kernels.bitsRanks(bits, space.bytes, ranks) };
}

function indexPieces({ bytes }: RowSpace, { bits, ranks }: RowIndex): Piece[] {
  return [
    { at: bits, bytes },
    { at: ranks, bytes: bytes / 2 },
  ];
}

function summaryPieces({ masks, firsts }: Pick<RowSummaries, "masks" | "firsts">, count: number): Piece[] {
  return [
    { at: masks, bytes: count },
    { at: firsts, bytes: count * 2 },
  ];
}

function summariesAt(addresses: readonly number[]): RowSummaries {
  const [bits, ranks, masks, firsts] = addresses as [number, number, number, number];
  return { bits, ranks, masks, firsts };
}

function tableAt(addresses: readonly number[]): RowTable {
  const [bits, ranks, starts, places, masks, firsts] = addresses as [number, number, number, number, number?, number?];
  const summaries = masks === undefined ? null : { bits, ranks, masks, firsts: firsts! };
  return { bits, ranks, starts, places, summaries };
}
