/**
 * Merges the columns of several segments into one part: sorted dictionaries are merged, forward codes translated.
 * Values are compared once per dictionary entry, never per row, and never decoded. Values no kept row has are dropped.
 */
import type { Column } from "./column.ts";
import { type ColumnImage, encodeColumns, forwardImage, rowSetImage } from "./format.ts";
import type { ColumnsReader } from "./reader.ts";
import type { RowSet } from "./row-set.ts";

interface ColumnsInput {
  reader: ColumnsReader;
  /** Old row to new row, -1 when dropped. New rows of one input need not ascend. */
  rowMap: Int32Array;
}

interface FieldInput {
  column: Column;
  rowMap: Int32Array;
  /** Old code to new code; 0 where no kept row has it. */
  codes: Uint32Array;
}

export function mergeColumns(inputs: ColumnsInput[], rows: number): Uint8Array {
  const fields = new Set<string>();
  for (const { reader } of inputs) for (const field of reader.fields()) fields.add(field);
  const columns: ColumnImage[] = [];
  for (const field of fields) {
    const sources: FieldInput[] = [];
    for (const { reader, rowMap } of inputs) {
      const column = reader.column(field);
      if (column !== null) sources.push({ column, rowMap, codes: usedCodes(column, rowMap) });
    }
    const merged = mergeField(field, sources, rows);
    // A field that only dropped rows had is forgotten.
    if (merged.exists.count > 0 || merged.forward.filledRows > 0) columns.push(merged);
  }
  return encodeColumns(rows, columns);
}

/** 1 for every code that a kept row has. */
function usedCodes(column: Column, rowMap: Int32Array): Uint32Array {
  const used = new Uint32Array(column.codesMax + 1);
  forEachSlot(column, rowMap, (_, start, end) => {
    for (let at = start; at < end; at++) used[column.codes[at]!] = 1;
  });
  used[0] = 0;
  return used;
}

/** Visits the new row and the forward range of every kept row that has values. */
function forEachSlot(
  column: Column,
  rowMap: Int32Array,
  visit: (row: number, start: number, end: number) => void,
): void {
  const { codes, codeStarts, rowList } = column;
  const slots = rowList === null ? column.rows : rowList.length;
  for (let slot = 0; slot < slots; slot++) {
    const row = rowMap[rowList === null ? slot : rowList[slot]!]!;
    if (row === -1) continue;
    if (codeStarts !== null) visit(row, codeStarts[slot]!, codeStarts[slot + 1]!);
    else if (codes[slot] !== 0) visit(row, slot, slot + 1);
  }
}

function mergeField(name: string, sources: FieldInput[], rows: number): ColumnImage {
  const numbers = mergeNumbers(sources);
  const strings = mergeStrings(sources, numbers.length + 1);
  const counts = new Uint32Array(rows);
  let total = 0;
  for (const { column, rowMap } of sources) {
    forEachSlot(column, rowMap, (row, start, end) => {
      counts[row] = end - start;
      total += end - start;
    });
  }
  const starts = new Uint32Array(rows);
  for (let row = 1; row < rows; row++) starts[row] = starts[row - 1]! + counts[row - 1]!;
  const codes = new Uint32Array(total);
  for (const { column, rowMap, codes: translated } of sources) {
    forEachSlot(column, rowMap, (row, start, end) => {
      const base = starts[row]! - start;
      for (let at = start; at < end; at++) codes[base + at] = translated[column.codes[at]!]!;
    });
  }
  return {
    name,
    numbers,
    ...strings,
    forward: forwardImage(counts, codes, numbers.length + strings.spellingCount),
    exists: mergeRows(sources, rows, (column) => column.exists),
    nullRows: mergeRows(sources, rows, (column) => column.nullRows),
    emptyRows: mergeRows(sources, rows, (column) => column.emptyRows),
  };
}

function mergeRows(sources: FieldInput[], rows: number, pick: (column: Column) => RowSet) {
  const kept: number[] = [];
  for (const { column, rowMap } of sources) {
    const set = pick(column);
    if (set.count === 0) continue;
    set.toBitmap().forEach((row) => {
      if (rowMap[row] !== -1) kept.push(rowMap[row]!);
    });
  }
  return rowSetImage(Uint32Array.from(kept).sort(), rows);
}

/** The union of the used numbers; leaves in `codes` where each one went. */
function mergeNumbers(sources: FieldInput[]): Float64Array {
  let total = 0;
  for (const { column, codes } of sources) for (let i = 1; i <= column.numbers.length; i++) total += codes[i]!;
  const all = new Float64Array(total);
  let at = 0;
  for (const { column, codes } of sources) {
    for (let i = 1; i <= column.numbers.length; i++) if (codes[i] === 1) all[at++] = column.numbers[i - 1]!;
  }
  all.sort();
  let distinct = 0;
  for (let i = 0; i < total; i++) if (i === 0 || all[i] !== all[i - 1]) all[distinct++] = all[i]!;
  const numbers = all.slice(0, distinct);
  for (const { column, codes } of sources) {
    let rank = 0;
    for (let i = 1; i <= column.numbers.length; i++) {
      if (codes[i] === 0) continue;
      const value = column.numbers[i - 1]!;
      while (numbers[rank]! < value) rank++;
      codes[i] = rank + 1;
    }
  }
  return numbers;
}

/** Walks the spellings of one input in code order, used ones only. */
class SpellingCursor {
  readonly #source: FieldInput;
  readonly #first: number;
  /** Spelling, counted within its input. */
  spelling = -1;
  #string = 0;

  constructor(source: FieldInput) {
    this.#source = source;
    this.#first = source.column.numbers.length + 1;
  }

  /** To the next used spelling; false at the end. */
  advance(): boolean {
    const { column, codes } = this.#source;
    do this.spelling++;
    while (this.spelling < column.spellingCount && codes[this.#first + this.spelling] === 0);
    if (this.spelling >= column.spellingCount) return false;
    const starts = column.spellingStarts;
    if (starts === null) this.#string = this.spelling;
    else while (starts[this.#string + 1]! <= this.spelling) this.#string++;
    return true;
  }

  assign(code: number): void {
    this.#source.codes[this.#first + this.spelling] = code;
  }

  normalized(): Uint8Array {
    return this.#source.column.stringBytesAt(this.#string);
  }

  /** Empty: as normalized. */
  original(): Uint8Array {
    const offsets = this.#source.column.spellingOffsets;
    if (offsets === null) return this.#source.column.spellingBytes.subarray(0, 0);
    return this.#source.column.spellingBytes.subarray(offsets[this.spelling], offsets[this.spelling + 1]);
  }

  compare(other: SpellingCursor): number {
    const order = compareBytes(this.normalized(), other.normalized());
    return order !== 0 ? order : compareOriginals(this, other);
  }
}

function compareOriginals(a: SpellingCursor, b: SpellingCursor): number {
  const x = a.original();
  const y = b.original();
  if (x.length === 0 && y.length === 0) return 0;
  return compareBytes(x.length === 0 ? a.normalized() : x, y.length === 0 ? b.normalized() : y);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Collects byte strings one after the other. */
class ByteList {
  bytes = new Uint8Array(256);
  length = 0;
  readonly offsets: number[] = [0];

  push(text: Uint8Array): void {
    if (this.length + text.length > this.bytes.length) {
      const grown = new Uint8Array((this.length + text.length) * 2);
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(text, this.length);
    this.length += text.length;
    this.offsets.push(this.length);
  }
}

type StringsImage = Pick<
  ColumnImage,
  "stringOffsets" | "stringBytes" | "spellingCount" | "spellingStarts" | "spellingOffsets" | "spellingBytes"
>;

/** Merges the used spellings by a heap of cursors; leaves in `codes` where each one went, counting from `firstCode`. */
function mergeStrings(sources: FieldInput[], firstCode: number): StringsImage {
  const heap: SpellingCursor[] = [];
  for (const source of sources) {
    const cursor = new SpellingCursor(source);
    if (cursor.advance()) {
      heap.push(cursor);
      siftUp(heap);
    }
  }
  const strings = new ByteList();
  const originals = new ByteList();
  const spellingStarts = [0];
  let lastString: Uint8Array | null = null;
  let lastOriginal: Uint8Array | null = null;
  let count = 0;
  while (heap.length > 0) {
    const cursor = heap[0]!;
    const normalized = cursor.normalized();
    const original = cursor.original();
    const newString = lastString === null || compareBytes(lastString, normalized) !== 0;
    if (newString) {
      if (lastString !== null) spellingStarts.push(count);
      strings.push(normalized);
      lastString = normalized;
    }
    // "As normalized" may be written as no original in one input only: the empty form is the only form.
    if (newString || compareBytes(lastOriginal!, original) !== 0) {
      originals.push(original);
      lastOriginal = original;
      count++;
    }
    cursor.assign(firstCode + count - 1);
    if (!cursor.advance()) {
      const last = heap.pop()!;
      if (heap.length === 0) break;
      if (last !== cursor) heap[0] = last;
    }
    siftDown(heap);
  }
  const stringCount = strings.offsets.length - 1;
  if (stringCount > 0) spellingStarts.push(count);
  return {
    stringOffsets: Uint32Array.from(strings.offsets),
    stringBytes: strings.bytes.subarray(0, strings.length),
    spellingCount: count,
    spellingStarts: count > stringCount ? Uint32Array.from(spellingStarts) : null,
    spellingOffsets: originals.length > 0 ? Uint32Array.from(originals.offsets) : null,
    spellingBytes: originals.bytes.subarray(0, originals.length),
  };
}

function siftUp(heap: SpellingCursor[]): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (heap[parent]!.compare(heap[at]!) <= 0) return;
    const moved = heap[parent]!;
    heap[parent] = heap[at]!;
    heap[at] = moved;
    at = parent;
  }
}

function siftDown(heap: SpellingCursor[]): void {
  let at = 0;
  for (;;) {
    let least = at * 2 + 1;
    if (least >= heap.length) return;
    if (least + 1 < heap.length && heap[least + 1]!.compare(heap[least]!) < 0) least++;
    if (heap[at]!.compare(heap[least]!) <= 0) return;
    const moved = heap[least]!;
    heap[least] = heap[at]!;
    heap[at] = moved;
    at = least;
  }
}
