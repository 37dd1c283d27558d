/**
 * Where documents end in a stream of bytes: what a large file must be known of to be sent in pieces. Nothing is parsed; each
 * cutter looks at every byte once and keeps a few flags from one chunk to the next.
 */
/** `objects` are of JSON, one after the other without an array around them, in as many lines as they like. */
export type Format = "json" | "ndjson" | "csv" | "objects";

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
/** U+FEFF in UTF-8. */
const MARK = [0xef, 0xbb, 0xbf];
const NOTHING = Buffer.alloc(0);

export function cutterFor(format: Format, memory: string | null = null): Cutter {
  if (format === "json") return new ArrayCutter(memory !== null);
  if (format === "objects") return new ObjectCutter();
  return format === "csv" ? new CsvCutter(memory) : new LineCutter();
}

/** Some editors begin a file with a mark that no server wants in JSON. */
function withoutMark(pieces: Uint8Array[]): Uint8Array[] {
  const [first, ...others] = pieces;
  return first !== undefined && MARK.every((byte, i) => first[i] === byte)
    ? [first.subarray(MARK.length), ...others]
    : pieces;
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
    return withoutMark(pieces);
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

/** Follows brackets and strings from one chunk to the next. */
abstract class BracketCutter {
  documents = 0;
  /** Brackets that are open between two documents. */
  readonly #outer: number;
  #depth: number;
  #isString = false;
  #isEscaped = false;

  constructor(outer: number, depth: number) {
    this.#outer = outer;
    this.#depth = depth;
  }

  advance(chunk: Uint8Array): number {
    let end = 0;
    const outer = this.#outer;
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
        if (depth === outer) {
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

  protected demandEnd(): void {
    if (this.#depth !== 0 || this.#isString) throw new Error("it ends in the middle of a document, or of their list");
  }
}

/** One array of objects, written however its author liked. */
class ArrayCutter extends BracketCutter implements Cutter {
  readonly contentType = "application/json";

  constructor(isInside: boolean) {
    super(1, isInside ? 1 : 0);
  }

  isLast(rest: Uint8Array): boolean {
    this.demandEnd();
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

class ObjectCutter extends BracketCutter implements Cutter {
  /** Servers find the ends themselves, wherever lines are broken. */
  readonly contentType = "application/x-ndjson";

  constructor() {
    super(0, 0);
  }

  isLast(rest: Uint8Array): boolean {
    this.demandEnd();
    return !isBlank(rest);
  }

  body(pieces: Uint8Array[]): Uint8Array[] {
    return withoutMark(pieces);
  }

  memory(): string {
    return "";
  }
}
