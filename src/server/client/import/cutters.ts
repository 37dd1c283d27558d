/**
 * Where documents end in a stream of bytes: what a large file must be known of to be sent in pieces. Nothing is parsed; each
 * cutter looks at every byte once and keeps a few flags from one chunk to the next.
 */
export type Format = "json" | "ndjson" | "csv";

export interface Cutter {
  readonly contentType: string;
  /** Documents that have ended so far. */
  documents: number;
  /** Where the last document that ended in this chunk ends; 0 when none did. */
  advance(chunk: Uint8Array): number;
  /** Whether what follows the last end, at the end of everything, is a document. */
  isLast(rest: Uint8Array): boolean;
  /** The body of a request from the bytes between two ends. */
  body(pieces: Uint8Array[]): Uint8Array[];
  /** What must be known to go on in the middle of a file. */
  memory(): string;
}

const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NOTHING = Buffer.alloc(0);

export function cutterFor(format: Format, memory: string | null = null): Cutter {
  if (format === "json") return new ArrayCutter(memory !== null);
  return format === "csv" ? new CsvCutter(memory) : new LineCutter();
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === NEW_LINE || byte === 0x20 || byte === 0x0d || byte === 0x09);
}

class LineCutter implements Cutter {
  readonly contentType = "application/x-ndjson";
  documents = 0;
  /** Whether there is something in the line that has not ended yet. */
  #isBegun = false;

  advance(chunk: Uint8Array): number {
    let end = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, end)) {
      if (at > end || this.#isBegun) this.documents++;
      this.#isBegun = false;
      end = at + 1;
    }
    this.#isBegun ||= end < chunk.length;
    return end;
  }

  isLast(rest: Uint8Array): boolean {
    return !isBlank(rest);
  }

  body(pieces: Uint8Array[]): Uint8Array[] {
    return pieces;
  }

  memory(): string {
    return "";
  }
}

/** A line break in quotes belongs to its value. The first record names the fields, and goes before every body. */
class CsvCutter implements Cutter {
  readonly contentType = "text/csv";
  documents = 0;
  #isQuoted = false;
  #isBegun = false;
  /** Null until it has ended. */
  #header: Buffer | null;
  #headerPieces: Uint8Array[] = [];
  /** The first body begins with the header as it came. */
  #hasHeader: boolean;

  constructor(memory: string | null) {
    this.#header = memory === null ? null : Buffer.from(memory, "utf8");
    this.#hasHeader = memory === null;
  }

  advance(chunk: Uint8Array): number {
    let end = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === NEW_LINE && !this.#isQuoted) {
        const isEmpty = i === end && !this.#isBegun;
        this.#isBegun = false;
        end = i + 1;
        if (this.#header === null) this.#header = Buffer.concat([...this.#headerPieces, chunk.subarray(0, end)]);
        else if (!isEmpty) this.documents++;
      }
    }
    this.#isBegun ||= end < chunk.length;
    if (this.#header === null) this.#headerPieces.push(chunk);
    return end;
  }

  isLast(rest: Uint8Array): boolean {
    return this.#header !== null && !isBlank(rest);
  }

  body(pieces: Uint8Array[]): Uint8Array[] {
    if (!this.#hasHeader) return [this.#header ?? NOTHING, ...pieces];
    this.#hasHeader = false;
    return pieces;
  }

  memory(): string {
    return (this.#header ?? NOTHING).toString("utf8");
  }
}

/** One array of objects, written however its author liked. */
class ArrayCutter implements Cutter {
  readonly contentType = "application/json";
  documents = 0;
  #depth: number;
  #isString = false;
  #isEscaped = false;

  constructor(isInside: boolean) {
    this.#depth = isInside ? 1 : 0;
  }

  advance(chunk: Uint8Array): number {
    let end = 0;
    let depth = this.#depth;
    let isString = this.#isString;
    let isEscaped = this.#isEscaped;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isString = false;
      } else if (byte === QUOTE) isString = true;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if (byte === 0x7d || byte === 0x5d) {
        depth--;
        if (depth === 1) {
          end = i + 1;
          this.documents++;
        }
      }
    }
    this.#depth = depth;
    this.#isString = isString;
    this.#isEscaped = isEscaped;
    return end;
  }

  isLast(rest: Uint8Array): boolean {
    if (this.#depth !== 0) throw new Error("the array of documents does not end");
    return !rest.every((byte) => byte === 0x5d || byte === 0x5b || byte === COMMA || isBlank(Uint8Array.of(byte)));
  }

  body(pieces: Uint8Array[]): Uint8Array[] {
    const rest = [...pieces];
    // What stands between two documents, or before the first.
    while (rest.length > 0) {
      const first = rest[0]!;
      const begin = first.indexOf(0x7b);
      if (begin >= 0) {
        rest[0] = first.subarray(begin);
        break;
      }
      rest.shift();
    }
    return [Buffer.from("["), ...rest, Buffer.from("]")];
  }

  memory(): string {
    return "inside";
  }
}
