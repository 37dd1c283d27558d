/**
 * The columns part: what it holds and how a finished column becomes bytes. Nothing here collects or looks up values.
 *
 * Values of a field are numbered by *codes* in sort order, numbers before strings:
 *
 * ```
 *   code 0        no value
 *   1 .. N        the N distinct numbers, ascending
 *   N+1 .. N+P    the P distinct spellings, ascending by (normalized bytes, original bytes)
 * ```
 *
 * Spellings of one normalized string are neighbours, so a range of strings is a range of codes. A row's codes ascend
 * and hold one spelling a string. `spelling_starts` (S+1 entries, only when P > S) gives the first spelling of each
 * string; `spelling_offsets` (P+1 entries, only when some original differs) cuts the originals, an empty one standing
 * for "as normalized".
 *
 * Forward codes, 1, 2 or 4 bytes each (the smallest that holds N+P):
 *
 * ```
 *   dense, one value at most   codes[row], 0 for none
 *   dense, several             codes[starts[row] .. starts[row+1]]
 *   sparse                     row_list ascending; codes[i] or codes[starts[i] .. starts[i+1]] belong to row_list[i]
 * ```
 *
 * All arrays are little-endian and start on multiples of 8 inside `data`.
 */
import { Builder } from "flatbuffers";
import { ColumnTable } from "../generated/column-table.ts";
import { ColumnsPart } from "../generated/columns-part.ts";
import { RowSetTable } from "../generated/row-set-table.ts";

/** Forms of a row set. */
const ROWS_NONE = 0;
export const ROWS_ALL = 1;
export const ROWS_LISTED = 2;
export const ROWS_WORDS = 3;

/** A field with values in fewer than one row of this many keeps a list of rows instead of one code a row. */
const SPARSE_ROWS_PER_VALUE = 8;

export type CodeArray = Uint8Array | Uint16Array | Uint32Array;

interface RowSetImage {
  form: number;
  count: number;
  /** Ascending rows (listed), words (words), or null. */
  data: Uint32Array | null;
}

interface ForwardImage {
  /** Null when dense. */
  rowList: Uint32Array | null;
  /** Null when no row has more than one value. */
  starts: Uint32Array | null;
  codes: CodeArray;
  filledRows: number;
}

/** A finished column, as the builder and the merge hand it over. */
export interface ColumnImage {
  name: string;
  numbers: Float64Array;
  /** S+1 offsets into `stringBytes`. */
  stringOffsets: Uint32Array;
  stringBytes: Uint8Array;
  spellingCount: number;
  spellingStarts: Uint32Array | null;
  spellingOffsets: Uint32Array | null;
  spellingBytes: Uint8Array;
  forward: ForwardImage;
  exists: RowSetImage;
  nullRows: RowSetImage;
  emptyRows: RowSetImage;
}

function codeArray(codesMax: number, length: number): CodeArray {
  if (codesMax < 0x100) return new Uint8Array(length);
  return codesMax < 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The smallest form of a set of rows given in ascending order without repeats. */
export function rowSetImage(ascending: Uint32Array, rows: number): RowSetImage {
  const count = ascending.length;
  if (count === 0) return { form: ROWS_NONE, count, data: null };
  if (count === rows) return { form: ROWS_ALL, count, data: null };
  const words = Math.ceil(rows / 32);
  if (count <= words) return { form: ROWS_LISTED, count, data: ascending };
  const data = new Uint32Array(words);
  for (let i = 0; i < count; i++) data[ascending[i]! >>> 5]! |= 1 << (ascending[i]! & 31);
  return { form: ROWS_WORDS, count, data };
}

/**
 * Chooses the forward form. `counts[row]` values of each row stand in `codes` one row after the other; `codesMax` is
 * the largest code there can be.
 */
export function forwardImage(counts: Uint32Array, codes: Uint32Array, codesMax: number): ForwardImage {
  const rows = counts.length;
  let filledRows = 0;
  let most = 0;
  for (let row = 0; row < rows; row++) {
    const count = counts[row]!;
    if (count !== 0) filledRows++;
    if (count > most) most = count;
  }
  const multiple = most > 1;
  const sparse = filledRows < rows / SPARSE_ROWS_PER_VALUE;
  if (!multiple && !sparse) {
    const dense = codeArray(codesMax, rows);
    for (let row = 0, at = 0; row < rows; row++) if (counts[row] === 1) dense[row] = codes[at++]!;
    return { rowList: null, starts: null, codes: dense, filledRows };
  }
  const narrow = codeArray(codesMax, codes.length);
  narrow.set(codes);
  const rowList = sparse ? new Uint32Array(filledRows) : null;
  const starts = multiple ? new Uint32Array((sparse ? filledRows : rows) + 1) : null;
  let slot = 0;
  let at = 0;
  for (let row = 0; row < rows; row++) {
    if (sparse && counts[row] === 0) continue;
    if (rowList !== null) rowList[slot] = row;
    at += counts[row]!;
    slot++;
    if (starts !== null) starts[slot] = at;
  }
  return { rowList, starts, codes: narrow, filledRows };
}

/** Lays arrays one after the other on multiples of 8 bytes and remembers where they went. */
class Layout {
  readonly #pieces: { at: number; bytes: Uint8Array }[] = [];
  size = 0;

  place(array: Float64Array | CodeArray | null): number {
    if (array === null || array.length === 0) return 0;
    const at = (this.size + 7) & ~7;
    this.#pieces.push({ at, bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) });
    this.size = at + array.byteLength;
    return at;
  }

  join(): Uint8Array {
    const joined = new Uint8Array(this.size);
    for (const { at, bytes } of this.#pieces) joined.set(bytes, at);
    return joined;
  }
}

/** The part's bytes. Columns are sorted by name, so that the same values give the same bytes. */
export function encodeColumns(rows: number, columns: ColumnImage[]): Uint8Array {
  const layout = new Layout();
  const sorted = columns.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const placed = sorted.map((column) => ({
    column,
    numbersAt: layout.place(column.numbers),
    stringOffsetsAt: layout.place(column.stringOffsets),
    stringBytesAt: layout.place(column.stringBytes),
    spellingStartsAt: layout.place(column.spellingStarts),
    spellingOffsetsAt: layout.place(column.spellingOffsets),
    spellingBytesAt: layout.place(column.spellingBytes),
    rowListAt: layout.place(column.forward.rowList),
    codeStartsAt: layout.place(column.forward.starts),
    codesAt: layout.place(column.forward.codes),
    existsAt: layout.place(column.exists.data),
    nullAt: layout.place(column.nullRows.data),
    emptyAt: layout.place(column.emptyRows.data),
  }));
  const data = layout.join();
  // A multiple of 64, so that the part lies on one in its own memory too.
  const builder = new Builder((data.length + 319 + sorted.length * 320) & ~63);
  const tables = placed.map((p) => {
    const { column } = p;
    const name = builder.createString(column.name);
    const exists = encodeRowSet(builder, column.exists, p.existsAt);
    const nullRows = encodeRowSet(builder, column.nullRows, p.nullAt);
    const emptyRows = encodeRowSet(builder, column.emptyRows, p.emptyAt);
    ColumnTable.startColumnTable(builder);
    ColumnTable.addName(builder, name);
    ColumnTable.addNumberCount(builder, column.numbers.length);
    ColumnTable.addNumbersAt(builder, p.numbersAt);
    ColumnTable.addStringCount(builder, column.stringOffsets.length - 1);
    ColumnTable.addStringOffsetsAt(builder, p.stringOffsetsAt);
    ColumnTable.addStringBytesAt(builder, p.stringBytesAt);
    ColumnTable.addSpellingCount(builder, column.spellingCount);
    ColumnTable.addSpellingStartsAt(builder, p.spellingStartsAt);
    ColumnTable.addSpellingOffsetsAt(builder, p.spellingOffsetsAt);
    ColumnTable.addSpellingBytesAt(builder, p.spellingBytesAt);
    ColumnTable.addSpelled(builder, column.spellingOffsets !== null);
    ColumnTable.addSparse(builder, column.forward.rowList !== null);
    ColumnTable.addMultiple(builder, column.forward.starts !== null);
    ColumnTable.addCodeBytes(builder, column.forward.codes.BYTES_PER_ELEMENT);
    ColumnTable.addFilledRows(builder, column.forward.filledRows);
    ColumnTable.addRowListAt(builder, p.rowListAt);
    ColumnTable.addCodeStartsAt(builder, p.codeStartsAt);
    ColumnTable.addCodeCount(builder, column.forward.codes.length);
    ColumnTable.addCodesAt(builder, p.codesAt);
    ColumnTable.addExists(builder, exists);
    ColumnTable.addNullRows(builder, nullRows);
    ColumnTable.addEmptyRows(builder, emptyRows);
    return ColumnTable.endColumnTable(builder);
  });
  const list = ColumnsPart.createColumnsVector(builder, tables);
  const dataVector = ColumnsPart.createDataVector(builder, data);
  ColumnsPart.startColumnsPart(builder);
  ColumnsPart.addRows(builder, rows);
  ColumnsPart.addColumns(builder, list);
  ColumnsPart.addData(builder, dataVector);
  builder.finish(ColumnsPart.endColumnsPart(builder));
  return builder.asUint8Array();
}

function encodeRowSet(builder: Builder, set: RowSetImage, at: number): number {
  RowSetTable.startRowSetTable(builder);
  RowSetTable.addForm(builder, set.form);
  RowSetTable.addCount(builder, set.count);
  RowSetTable.addAt(builder, at);
  return RowSetTable.endRowSetTable(builder);
}
