/**
 * Reads document bodies from the segment file through the page cache. The file is opened at the first read and stays
 * open until `close`; offsets come from memory.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { ByteBuffer } from "flatbuffers";
import type { PartEntry } from "../container.ts";
import { SegmentDamage } from "../container.ts";
import { DocumentIndexPart } from "../generated/document-index-part.ts";
import { LatelyRead } from "./lately-read.ts";

/** More than the head of the documents part ever takes. */
const HEAD_BYTES = 64;

/** Of this thread; made when a document is first lent. */
let latelyRead: LatelyRead | null = null;

/** How much of it is kept; to be said before a document is first lent. */
export function keepLatelyRead(bytes: number): void {
  latelyRead = new LatelyRead(bytes);
}

export class DocumentsReader {
  /** Rows + 1 offsets of bodies, relative to the first. */
  readonly offsets: Uint32Array;
  private readonly path: string;
  private readonly part: PartEntry;
  private fd = -1;
  private rawAt = 0;
  /** Number of this file among what was read lately. */
  private owner = 0;

  constructor(indexPart: Uint8Array, path: string, part: PartEntry) {
    const table = DocumentIndexPart.getRootAsDocumentIndexPart(new ByteBuffer(indexPart));
    this.offsets = table.offsetsArray() ?? new Uint32Array(1);
    this.path = path;
    this.part = part;
  }

  length(row: number): number {
    return this.offsets[row + 1]! - this.offsets[row]!;
  }

  read(row: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.length(row));
    this.readRows(row, row + 1, bytes, 0);
    return bytes;
  }

  /** The body where it is good only until the next one is lent, in this or any other segment. */
  lend(row: number): Uint8Array {
    latelyRead ??= new LatelyRead();
    if (this.owner === 0) this.owner = latelyRead.newOwner();
    const { owner } = this;
    const { bytes } = latelyRead;
    let at = latelyRead.find(owner, row);
    if (at < 0) {
      at = latelyRead.add(owner, row, this.length(row));
      if (at < 0) return this.read(row);
      try {
        this.readRows(row, row + 1, bytes, at);
      } catch (problem) {
        latelyRead.forget(owner, row);
        throw problem;
      }
    }
    return bytes.subarray(at, at + this.length(row));
  }

  /** Reads the bodies of rows `[from, to)`, which lie side by side, to `into` at `at`; returns their length. */
  readRows(from: number, to: number, into: Uint8Array, at: number): number {
    if (this.fd < 0) this.open();
    const start = this.offsets[from]!;
    const length = this.offsets[to]! - start;
    let done = 0;
    while (done < length) {
      const count = readSync(this.fd, into, at + done, length - done, this.rawAt + start + done);
      if (count === 0) throw new SegmentDamage(`${this.path} ends inside the documents`);
      done += count;
    }
    return length;
  }

  /** Offset of the first body in the file. */
  get bodiesAt(): number {
    if (this.fd < 0) this.open();
    return this.rawAt;
  }

  private open(): void {
    this.fd = openSync(this.path, "r");
    const head = new Uint8Array(Math.min(HEAD_BYTES, this.part.length));
    readSync(this.fd, head, 0, head.length, this.part.offset);
    const bytes = new ByteBuffer(head);
    const table = bytes.readInt32(0);
    const field = bytes.__offset(table, 4);
    this.rawAt = field === 0 ? 0 : this.part.offset + bytes.__vector(table + field);
  }

  close(): void {
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }
}
