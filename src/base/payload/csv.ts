/**
 * CSV to JSON objects: RFC 4180 quoting, typed headers (`price:number`), one object a record. Cells are copied from bytes
 * to bytes; it never guesses a type that the header does not name.
 */
import { Buffer, isUtf8 } from "node:buffer";
import { ByteSink } from "../json/bytes.ts";
import { doubleText, I64_MAX, I64_MIN } from "../json/number.ts";
import { RangeList } from "./ranges.ts";

export class CsvProblem {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

type CellType = "string" | "number" | "boolean";

interface Column {
  /** `"name":` as JSON bytes. */
  key: Uint8Array;
  type: CellType;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** How JSON spells the bytes that a string cannot hold as they are. */
const escapes = Array.from({ length: 0x5d }, (_, byte) => JSON.stringify(String.fromCharCode(byte)).slice(1, -1));

/** Texts up to this length hold an integer that a double represents exactly. */
const SAFE_INTEGER_DIGITS = 15;

/** Splits records into cells, unquoted, one record at a time. Blank lines are passed over. */
class RecordReader {
  /** Bytes of all cells of the record, end to end, and where each ends. */
  readonly cells = new ByteSink(4096);
  readonly ends: number[] = [];
  count = 0;
  /** Line on which the record begins, from 1; and its offset. */
  line = 1;
  offset = 0;
  #at: number;
  #nextLine = 1;
  readonly #bytes: Uint8Array;
  readonly #delimiter: number;

  constructor(bytes: Uint8Array, delimiter: number) {
    this.#bytes = bytes;
    this.#delimiter = delimiter;
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  next(): boolean {
    const bytes = this.#bytes;
    const length = bytes.length;
    let at = this.#at;
    while (at < length && (bytes[at] === LF || bytes[at] === CR)) {
      if (bytes[at] === LF || bytes[at + 1] !== LF) this.#nextLine++;
      at++;
    }
    if (at >= length) return false;
    this.line = this.#nextLine;
    this.offset = at;
    this.cells.reset();
    this.count = 0;
    let more = true;
    while (more) {
      at = bytes[at] === QUOTE ? this.#quoted(at + 1) : at;
      at = this.#plain(at);
      this.ends[this.count++] = this.cells.length;
      more = at < length && bytes[at] === this.#delimiter;
      if (more) at++;
    }
    if (at < length) {
      if (bytes[at] === CR && bytes[at + 1] === LF) at++;
      at++;
      this.#nextLine++;
    }
    this.#at = at;
    return true;
  }

  /** Copies up to the closing quote; gives the offset after it. A quote that is never closed runs to the end. */
  #quoted(at: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    for (;;) {
      const start = at;
      while (at < length && bytes[at] !== QUOTE) {
        if (bytes[at] === LF) this.#nextLine++;
        at++;
      }
      if (bytes[at + 1] !== QUOTE || at >= length) {
        this.cells.bytes(bytes, start, at);
        return Math.min(at + 1, length);
      }
      this.cells.bytes(bytes, start, at + 1);
      at += 2;
    }
  }

  /** Copies up to the delimiter or the end of the line. */
  #plain(at: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    const delimiter = this.#delimiter;
    const start = at;
    while (at < length) {
      const byte = bytes[at]!;
      if (byte === delimiter || byte === LF || byte === CR) break;
      at++;
    }
    this.cells.bytes(bytes, start, at);
    return at;
  }
}

/** JSON objects back to back, and where each lies; or what is wrong. */
export function convertCsv(
  bytes: Uint8Array,
  delimiter: number,
): { bytes: Uint8Array; ranges: Uint32Array } | CsvProblem {
  const reader = new RecordReader(bytes, delimiter);
  const ranges = new RangeList();
  const out = new ByteSink(bytes.length + (bytes.length >>> 1) + 64);
  if (!reader.next()) return { bytes: out.view(), ranges: ranges.finish() };
  // Checked once for all; only a body that fails is looked at record by record, to name the first bad one.
  const allUtf8 = isUtf8(bytes);
  if (!allUtf8 && !isUtf8(reader.cells.view())) return notUtf8(reader, 0);
  const columns = readHeaders(reader);

  for (let record = 1; reader.next(); record++) {
    const found = reader.count;
    if (found !== columns.length) {
      return new CsvProblem(
        `CSV error: record ${record} (line: ${reader.line}, byte: ${reader.offset}): ` +
          `found record with ${found} fields, but the header has ${columns.length} fields`,
      );
    }
    if (!allUtf8 && !isUtf8(reader.cells.view())) return notUtf8(reader, record);
    const start = out.length;
    let cellStart = 0;
    for (let i = 0; i < found; i++) {
      const cellEnd = reader.ends[i]!;
      const column = columns[i]!;
      out.byte(i === 0 ? 0x7b : 0x2c);
      out.bytes(column.key);
      if (column.type === "string") {
        stringCell(reader.cells.buffer, cellStart, cellEnd, out);
      } else if (column.type === "number" && isPlainInteger(reader.cells.buffer, cellStart, cellEnd)) {
        out.bytes(reader.cells.buffer, cellStart, cellEnd);
      } else {
        const text = decode(reader.cells.buffer, cellStart, cellEnd);
        const json = column.type === "number" ? numberCell(text.trim()) : booleanCell(text.trim());
        if (json === null) {
          return new CsvProblem(
            `Error parsing ${column.type} ${JSON.stringify(text)} at line ${record}: ${reason(column.type)}`,
          );
        }
        out.ascii(json);
      }
      cellStart = cellEnd;
    }
    out.byte(0x7d);
    ranges.push(start, out.length);
  }
  return { bytes: out.view(), ranges: ranges.finish() };
}

function readHeaders(reader: RecordReader): Column[] {
  const columns: Column[] = [];
  let start = 0;
  for (let i = 0; i < reader.count; i++) {
    const end = reader.ends[i]!;
    const header = decode(reader.cells.buffer, start, end);
    const colon = header.lastIndexOf(":");
    const suffix = colon === -1 ? "" : header.slice(colon + 1);
    const typed = suffix === "string" || suffix === "number" || suffix === "boolean";
    const name = typed ? header.slice(0, colon) : header;
    columns.push({ key: Buffer.from(`${JSON.stringify(name)}:`, "utf8"), type: typed ? suffix : "string" });
    start = end;
  }
  return columns;
}

/** Empty is null; anything else is the cell untouched, as a JSON string. */
function stringCell(cell: Uint8Array, start: number, end: number, out: ByteSink): void {
  if (start === end) {
    out.ascii("null");
    return;
  }
  out.byte(QUOTE);
  let runStart = start;
  for (let i = start; i < end; i++) {
    const byte = cell[i]!;
    if (byte >= 0x20 && byte !== QUOTE && byte !== 0x5c) continue;
    out.bytes(cell, runStart, i);
    out.ascii(escapes[byte]!);
    runStart = i + 1;
  }
  out.bytes(cell, runStart, end);
  out.byte(QUOTE);
}

/** Digits that are already the JSON of a 64-bit integer: by far most number cells. */
function isPlainInteger(cell: Uint8Array, start: number, end: number): boolean {
  if (start === end || end - start > SAFE_INTEGER_DIGITS) return false;
  if (cell[start] === 0x30 && end - start > 1) return false;
  for (let i = start; i < end; i++) {
    if (cell[i]! < 0x30 || cell[i]! > 0x39) return false;
  }
  return true;
}

/** A 64-bit integer, else a double, as JSON; null text for an empty cell; null for what is no number. */
function numberCell(text: string): string | null {
  if (text === "") return "null";
  if (/^[+-]?\d+$/.test(text)) {
    const digits = text.startsWith("+") ? text.slice(1) : text;
    if (text.length <= SAFE_INTEGER_DIGITS) return String(Number(digits));
    const integer = BigInt(digits);
    if (integer >= I64_MIN && integer <= I64_MAX) return String(integer);
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? doubleText(value) : null;
}

function booleanCell(text: string): string | null {
  if (text === "") return "null";
  return text === "true" || text === "false" ? text : null;
}

function reason(type: CellType): string {
  return type === "number" ? "not an integer nor a floating point number in range" : "expected `true` or `false`";
}

function notUtf8(reader: RecordReader, record: number): CsvProblem {
  return new CsvProblem(
    `CSV error: record ${record} (line: ${reader.line}, byte: ${reader.offset}): the record is not valid UTF-8`,
  );
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("utf8");
}
