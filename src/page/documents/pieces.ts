/**
 * Cuts a file of documents into pieces that the server takes one by one: after whole lines of NDJSON, after whole records of
 * CSV, each with the names of the columns. A file of JSON cannot be cut without reading it, so it stays whole.
 */

export type Format = "json" | "ndjson" | "csv";

export const CONTENT_TYPES: Record<Format, string> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv",
};

const NEWLINE = 10;
const QUOTE = 34;

/** By the name of the file; null for one that holds no documents. */
export function formatOf(name: string): Format | null {
  const ending = /\.(json|ndjson|jsonl|csv)$/i.exec(name)?.[1]?.toLowerCase();
  return ending === "jsonl" ? "ndjson" : ((ending as Format | undefined) ?? null);
}

export class Pieces {
  readonly #format: Format;
  readonly #bytesMax: number;
  /** Of a CSV file: the record with the names of the columns, with its newline. */
  #head: Uint8Array | null = null;
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(format: Format, bytesMax: number) {
    this.#format = format;
    this.#bytesMax = bytesMax;
  }

  /** The pieces that are complete with these bytes. */
  add(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
    this.#rest = joined(this.#rest, bytes);
    if (this.#format === "json" || this.#rest.length < this.#bytesMax) return [];
    return this.#cut();
  }

  /** What is left when the file ends. */
  end(): Uint8Array<ArrayBuffer>[] {
    const pieces = this.#format === "json" || this.#rest.length < this.#bytesMax ? [] : this.#cut();
    if (this.#rest.length > 0) pieces.push(this.#withHead(this.#rest));
    this.#rest = new Uint8Array(0);
    return pieces;
  }

  #cut(): Uint8Array<ArrayBuffer>[] {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let begin = 0;
    let lastEnd = 0;
    for (const end of this.#recordEnds()) {
      if (this.#format === "csv" && this.#head === null) {
        this.#head = this.#rest.slice(0, end);
        begin = end;
      } else if (end - begin > this.#bytesMax && lastEnd > begin) {
        pieces.push(this.#withHead(this.#rest.slice(begin, lastEnd)));
        begin = lastEnd;
      }
      lastEnd = end;
    }
    if (lastEnd - begin >= this.#bytesMax) {
      pieces.push(this.#withHead(this.#rest.slice(begin, lastEnd)));
      begin = lastEnd;
    }
    this.#rest = this.#rest.slice(begin);
    return pieces;
  }

  /** Where records end: behind newlines, in CSV only behind those that no quotes enclose. */
  *#recordEnds(): Generator<number> {
    const bytes = this.#rest;
    let isQuoted = false;
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === QUOTE && this.#format === "csv") isQuoted = !isQuoted;
      else if (bytes[i] === NEWLINE && !isQuoted) yield i + 1;
    }
  }

  #withHead(piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return this.#head === null ? piece : joined(this.#head, piece);
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
