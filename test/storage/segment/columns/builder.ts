/** Columns from values one by one, in plain TypeScript: for tests of what reads them, and to compare with. */
import { Buffer } from "node:buffer";
import { KeyTable } from "../../../../src/base/json/key-table.ts";
import { storedFacet } from "../../../../src/storage/segment/columns/facet.ts";
import {
  type ColumnImage,
  encodeColumns,
  forwardImage,
  rowSetImage,
} from "../../../../src/storage/segment/columns/format.ts";

/** Whether UTF-16 order may differ from the order of UTF-8 bytes. */
const SURROGATE = /[\ud800-\udfff]/;

/** A growable list of 32-bit numbers. */
class Uint32List {
  values = new Uint32Array(16);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  view(): Uint32Array {
    return this.values.subarray(0, this.length);
  }
}

/** Rows in any order; the usual ascending order costs nothing more at the end. */
class RowCollector {
  readonly #list = new Uint32List();
  #ascending = true;

  add(row: number): void {
    const list = this.#list;
    if (list.length > 0) {
      const last = list.values[list.length - 1]!;
      if (row === last) return;
      if (row < last) this.#ascending = false;
    }
    list.push(row);
  }

  rows(): Uint32Array {
    if (this.#ascending) return this.#list.view();
    const sorted = this.#list.view().toSorted();
    let kept = 0;
    for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i]!;
    return sorted.subarray(0, kept);
  }
}

/** One field's values. Take it once with `ColumnsBuilder.column` where the name lookup would show. */
export class ColumnBuilder {
  readonly name: string;
  readonly #existing = new RowCollector();
  readonly #nulls = new RowCollector();
  readonly #empties = new RowCollector();
  readonly #numberIds = new Map<number, number>();
  readonly #spellingIds = new Map<string, number>();
  readonly #spellingBytes = new KeyTable();
  readonly #stringIds = new Map<string, number>();
  readonly #spellings: string[] = [];
  /** Spelling id to string id. */
  readonly #spellingString = new Uint32List();
  #surrogates = false;
  readonly #entryRows = new Uint32List();
  /** Even: number id doubled; odd: spelling id doubled, plus one. */
  readonly #entryIds = new Uint32List();

  constructor(name: string) {
    this.name = name;
  }

  present(row: number): void {
    this.#existing.add(row);
  }

  isNull(row: number): void {
    this.#nulls.add(row);
  }

  isEmpty(row: number): void {
    this.#empties.add(row);
  }

  number(row: number, value: number): void {
    const key = value === 0 ? 0 : value;
    let id = this.#numberIds.get(key);
    if (id === undefined) {
      if (!Number.isFinite(key)) return;
      id = this.#numberIds.size;
      this.#numberIds.set(key, id);
    }
    this.#entryRows.push(row);
    this.#entryIds.push(id * 2);
  }

  string(row: number, original: string): void {
    let id = this.#spellingIds.get(original);
    if (id === undefined) {
      if (original === "") return;
      id = this.#newSpelling(original);
    }
    this.#entryRows.push(row);
    this.#entryIds.push(id * 2 + 1);
  }

  /** The same for text that is still UTF-8: decoded only when it is new. */
  utf8(row: number, bytes: Uint8Array, start: number, end: number): void {
    let id = this.#spellingBytes.get(bytes, start, end);
    if (id < 0) {
      if (start === end) return;
      const original = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
      id = this.#spellingIds.get(original) ?? this.#newSpelling(original);
      this.#spellingBytes.add(bytes, start, end, id);
    }
    this.#entryRows.push(row);
    this.#entryIds.push(id * 2 + 1);
  }

  #newSpelling(original: string): number {
    const id = this.#spellings.length;
    this.#spellingIds.set(original, id);
    const text = original.toWellFormed();
    if (!this.#surrogates && SURROGATE.test(text)) this.#surrogates = true;
    this.#spellings.push(text);
    const normalized = storedFacet(text);
    let stringId = this.#stringIds.get(normalized);
    if (stringId === undefined) {
      stringId = this.#stringIds.size;
      this.#stringIds.set(normalized, stringId);
    }
    this.#spellingString.push(stringId);
    return id;
  }

  finish(rows: number): ColumnImage {
    const numbers = Float64Array.from(this.#numberIds.keys()).sort();
    const numberCode = new Uint32Array(this.#numberIds.size);
    numbers.forEach((value, rank) => {
      numberCode[this.#numberIds.get(value)!] = rank + 1;
    });
    const strings = this.#finishStrings();
    const firstSpelling = numbers.length + 1;
    const { counts, codes } = this.#finishEntries(
      rows,
      numberCode,
      strings.spellingRank,
      strings.stringRank,
      firstSpelling,
    );
    return {
      name: this.name,
      numbers,
      ...strings.image,
      forward: forwardImage(counts, codes, numbers.length + strings.image.spellingCount),
      exists: rowSetImage(this.#existing.rows(), rows),
      nullRows: rowSetImage(this.#nulls.rows(), rows),
      emptyRows: rowSetImage(this.#empties.rows(), rows),
    };
  }

  #finishStrings() {
    const order = this.#surrogates ? compareCodePoints : compareUnits;
    const strings = [...this.#stringIds.keys()];
    const byString = Uint32Array.from(strings, (_, id) => id).sort((a, b) => order(strings[a]!, strings[b]!));
    const stringRank = new Uint32Array(strings.length);
    for (let rank = 0; rank < byString.length; rank++) stringRank[byString[rank]!] = rank;
    const spellings = this.#spellings;
    const stringOf = this.#spellingString.values;
    const bySpelling = this.#usedSpellings();
    bySpelling.sort(
      (a, b) => stringRank[stringOf[a]!]! - stringRank[stringOf[b]!]! || order(spellings[a]!, spellings[b]!),
    );
    const spellingRank = new Uint32Array(spellings.length);
    const spellingStarts = new Uint32Array(strings.length + 1);
    for (let rank = 0; rank < bySpelling.length; rank++) {
      const id = bySpelling[rank]!;
      spellingRank[id] = rank;
      spellingStarts[stringRank[stringOf[id]!]! + 1] = rank + 1;
    }
    const dictionary = joinTexts(byString.length, (rank) => strings[byString[rank]!]!);
    const originals = joinTexts(bySpelling.length, (rank) => {
      const id = bySpelling[rank]!;
      const original = spellings[id]!;
      return original === strings[stringOf[id]!] ? "" : original;
    });
    return {
      spellingRank,
      stringRank,
      image: {
        stringOffsets: dictionary.offsets,
        stringBytes: dictionary.bytes,
        spellingCount: bySpelling.length,
        spellingStarts: bySpelling.length > strings.length ? spellingStarts : null,
        spellingOffsets: originals.bytes.length > 0 ? originals.offsets : null,
        spellingBytes: originals.bytes,
      },
    };
  }

  /** Those that are the last of their string in some row. */
  #usedSpellings(): Uint32Array {
    const lastOfValue = new Map<string, number>();
    this.#entryIds.view().forEach((id, i) => {
      if ((id & 1) === 0) return;
      lastOfValue.set(`${this.#entryRows.values[i]} ${this.#spellingString.values[id >>> 1]}`, id >>> 1);
    });
    return Uint32Array.from(new Set(lastOfValue.values()));
  }

  /** Entries grouped by row, each row's codes ascending, one a value: the last spelling a row gave of a string stays. */
  #finishEntries(
    rows: number,
    numberCode: Uint32Array,
    spellingRank: Uint32Array,
    stringRank: Uint32Array,
    firstSpelling: number,
  ): { counts: Uint32Array; codes: Uint32Array } {
    const total = this.#entryRows.length;
    const entryRows = this.#entryRows.values;
    const entryIds = this.#entryIds.values;
    const counts = new Uint32Array(rows);
    for (let i = 0; i < total; i++) counts[entryRows[i]!]!++;
    const grouped = groupByRow(entryRows, total, counts);
    const codes = new Uint32Array(total);
    const toCode = (id: number): number =>
      (id & 1) === 0 ? numberCode[id >>> 1]! : firstSpelling + spellingRank[id >>> 1]!;
    const stringOf = this.#spellingString.values;
    // Codes of one string under any of its spellings share a value; numbers stand below all strings.
    const toValue = (id: number): number =>
      (id & 1) === 0 ? numberCode[id >>> 1]! : firstSpelling + stringRank[stringOf[id >>> 1]!]!;
    let read = 0;
    let write = 0;
    for (let row = 0; row < rows; row++) {
      const count = counts[row]!;
      if (count === 1) {
        codes[write++] = toCode(entryIds[grouped === null ? read : grouped[read]!]!);
      } else if (count > 1) {
        const lastOfValue = new Map<number, number>();
        for (let i = read; i < read + count; i++) {
          const id = entryIds[grouped === null ? i : grouped[i]!]!;
          lastOfValue.set(toValue(id), toCode(id));
        }
        counts[row] = lastOfValue.size;
        for (const code of Uint32Array.from(lastOfValue.values()).sort()) codes[write++] = code;
      }
      read += count;
    }
    return { counts, codes: codes.subarray(0, write) };
  }
}

/** Entry numbers in stable row order, or null when they already stand so. */
function groupByRow(entryRows: Uint32Array, total: number, counts: Uint32Array): Uint32Array | null {
  let ascending = true;
  for (let i = 1; i < total && ascending; i++) ascending = entryRows[i - 1]! <= entryRows[i]!;
  if (ascending) return null;
  const next = new Uint32Array(counts.length);
  for (let row = 1; row < counts.length; row++) next[row] = next[row - 1]! + counts[row - 1]!;
  const grouped = new Uint32Array(total);
  for (let i = 0; i < total; i++) grouped[next[entryRows[i]!]!++] = i;
  return grouped;
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Code point order, which is the order of UTF-8 bytes. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for characters above every other unit.
    const xHigh = (x & 0xf800) === 0xd800;
    const yHigh = (y & 0xf800) === 0xd800;
    return xHigh === yHigh ? x - y : xHigh ? 1 : -1;
  }
  return a.length - b.length;
}

function joinTexts(count: number, text: (index: number) => string): { offsets: Uint32Array; bytes: Uint8Array } {
  let unitCount = 0;
  for (let i = 0; i < count; i++) unitCount += text(i).length;
  const bytes = new Uint8Array(unitCount * 3);
  const target = Buffer.from(bytes.buffer);
  const offsets = new Uint32Array(count + 1);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += target.write(text(i), at);
    offsets[i + 1] = at;
  }
  return { offsets, bytes: bytes.subarray(0, at) };
}

export class ColumnsBuilder {
  readonly #rows: number;
  readonly #columns = new Map<string, ColumnBuilder>();

  constructor(rows: number) {
    this.#rows = rows;
  }

  column(field: string): ColumnBuilder {
    let column = this.#columns.get(field);
    if (column === undefined) {
      column = new ColumnBuilder(field);
      this.#columns.set(field, column);
    }
    return column;
  }

  /** The row has the key, whatever its value. */
  present(row: number, field: string): void {
    this.column(field).present(row);
  }

  /** The key's value is `null`. */
  isNull(row: number, field: string): void {
    this.column(field).isNull(row);
  }

  /** The key's value is `""`, `[]` or `{}`. */
  isEmpty(row: number, field: string): void {
    this.column(field).isEmpty(row);
  }

  number(row: number, field: string, value: number): void {
    this.column(field).number(row, value);
  }

  /** A string, or a boolean as `true`/`false`. `""` is no value. */
  string(row: number, field: string, original: string): void {
    this.column(field).string(row, original);
  }

  finish(): Uint8Array {
    return encodeColumns(
      this.#rows,
      [...this.#columns.values()].map((column) => column.finish(this.#rows)),
    );
  }
}
