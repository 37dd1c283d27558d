/**
 * Reads document bodies from the segment file through the page cache. The file is opened at the first read and stays
 * open until `close`; offsets come from memory.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { ByteBuffer } from "flatbuffers";
import { apiError } from "../../../base/errors/errors.ts";
import { isGone } from "../../../base/files/if-there.ts";
import type { PartEntry } from "../container.ts";
import { SegmentDamage } from "../container.ts";
import type { FieldSetsReader } from "../field-sets/reader.ts";
import { DocumentIndexPart } from "../generated/document-index-part.ts";
import { type Lender, Lending } from "./lending.ts";
import { packedNames, Unpacker } from "./packed.ts";

/** More than the head of the documents part ever takes. */
const HEAD_BYTES = 64;

/** Of this thread; made when a document is first lent. */
let lending: Lending | null = null;

/** How much of it is kept; to be said before a document is first lent. */
export function keepLatelyRead(bytes: number): void {
  lending = new Lending(bytes);
}

export class DocumentsReader implements Lender {
  /** Rows + 1 offsets of bodies as they are stored, relative to the first. */
  readonly offsets: Uint32Array;
  /** Whether bodies are stored as `packed.ts` describes. */
  readonly isPacked: boolean;
  readonly #fieldSets: () => FieldSetsReader;
  #packing: { names: string[]; savings: Uint32Array; unpacker: Unpacker } | null = null;
  readonly #path: string;
  readonly #part: PartEntry;
  #fd = -1;
  #rawAt = 0;
  /** Number of this file among what was read lately. */
  #owner = 0;

  constructor(indexPart: Uint8Array, path: string, part: PartEntry, fieldSets: () => FieldSetsReader) {
    const table = DocumentIndexPart.getRootAsDocumentIndexPart(new ByteBuffer(indexPart));
    this.offsets = table.offsetsArray() ?? new Uint32Array(1);
    this.isPacked = table.isPacked() !== 0;
    this.#fieldSets = fieldSets;
    this.#path = path;
    this.#part = part;
  }

  /** The names by whose numbers bodies are packed; null when they are not. */
  get names(): readonly string[] | null {
    return this.isPacked ? this.#packed().names : null;
  }

  get heads(): readonly Uint8Array[] | null {
    return this.isPacked ? this.#packed().unpacker.heads : null;
  }

  #packed() {
    if (this.#packing === null) {
      const fieldSets = this.#fieldSets();
      const names = packedNames(fieldSets.names);
      this.#packing = { names, savings: Unpacker.savings(fieldSets), unpacker: new Unpacker(names) };
    }
    return this.#packing;
  }

  length(row: number): number {
    const stored = this.storedLength(row);
    return this.isPacked ? stored + this.#packed().savings[this.#fieldSets().setOf(row)]! : stored;
  }

  /** What the body takes in the file. */
  storedLength(row: number): number {
    return this.offsets[row + 1]! - this.offsets[row]!;
  }

  read(row: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.length(row));
    this.readRows(row, row + 1, bytes, 0);
    return bytes;
  }

  /** The body where it is good only until the next one is lent, in this or any other segment. */
  lend(row: number): Uint8Array {
    lending ??= new Lending();
    if (this.#owner === 0) this.#owner = lending.newOwner();
    return lending.lend(this, this.#owner, row) ?? this.read(row);
  }

  /** Writes the bodies of rows `[from, to)` side by side to `into` at `at`; returns their length. */
  readRows(from: number, to: number, into: Uint8Array, at: number): number {
    if (!this.isPacked) return this.readStored(from, to, into, at);
    let length = 0;
    for (let row = from; row < to; row++) length += this.length(row);
    const { offsets } = this;
    // Read to the end of where they will be, and unpacked from there: no document grows beyond what is yet to be read.
    const base = at + length - (offsets[to]! - offsets[from]!) - offsets[from]!;
    this.readStored(from, to, into, base + offsets[from]!);
    const { unpacker } = this.#packed();
    let end = at;
    for (let row = from; row < to; row++) {
      end = unpacker.unpack(into, base + offsets[row]!, base + offsets[row + 1]!, into, end);
    }
    return length;
  }

  /** The same for bodies as they are stored. */
  readStored(from: number, to: number, into: Uint8Array, at: number): number {
    if (this.#fd < 0) this.#open();
    const start = this.offsets[from]!;
    const length = this.offsets[to]! - start;
    let done = 0;
    while (done < length) {
      const count = readSync(this.#fd, into, at + done, length - done, this.#rawAt + start + done);
      if (count === 0) throw new SegmentDamage(`${this.#path} ends inside the documents`);
      done += count;
    }
    return length;
  }

  /** Offset of the first body in the file. */
  get bodiesAt(): number {
    if (this.#fd < 0) this.#open();
    return this.#rawAt;
  }

  #open(): void {
    this.#fd = openBodies(this.#path);
    const head = new Uint8Array(Math.min(HEAD_BYTES, this.#part.length));
    readSync(this.#fd, head, 0, head.length, this.#part.offset);
    const bytes = new ByteBuffer(head);
    const table = bytes.readInt32(0);
    const field = bytes.__offset(table, 4);
    this.#rawAt = field === 0 ? 0 : this.#part.offset + bytes.__vector(table + field);
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }
}

/** What is in memory is still answered when the data directory was moved away; documents are not. */
function openBodies(path: string): number {
  try {
    return openSync(path, "r");
  } catch (problem) {
    if (!isGone(problem)) throw problem;
    const file = basename(path);
    throw apiError("io_error", `The documents in \`${file}\` cannot be read: it is gone from the data directory.`);
  }
}
