/**
 * The segment file: a header with a table of parts, then the parts. What is on disk is what is in memory: the first
 * `hotBytes` of the file are copied into shared memory as they are, document bodies lie behind them and stay on disk.
 * It never looks inside a part.
 *
 * Layout, all numbers little-endian, every part at a multiple of 64, gaps zero:
 * ```
 *  0  magic "SabreSeg"                 64 + 32 i  u32 kind, u32 crc32 of the part
 *  8  u32 version, u32 part count          + 8    u64 offset, u64 length
 * 16  u32 rows, u32 header bytes           + 24   zero
 * 24  u64 hot bytes, u64 file bytes    last 4 bytes of the header: crc32 of the header before them
 * ```
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { removeLeftover } from "../../base/files/leftover.ts";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import type { BuiltSegment } from "./parts.ts";
import { PART, partName } from "./parts.ts";

const MAGIC = "SabreSeg";
/** Documents of the first version are never packed; all else is the same. */
const VERSION_FIRST = 1;
const SEGMENT_VERSION = 2;
const PART_ALIGNMENT = 64;
const FIXED_BYTES = 64;
const ENTRY_BYTES = 32;
const CHECKSUM_BYTES = 4;
const PARTS_MAX = 64;
/** Pieces smaller than the buffer are gathered before they are written; read buffer of the verification. */
const BUFFER_BYTES = 1 << 20;
const FIRST_BUFFER_BYTES = 1 << 16;
/** What was read is checked while it is in the cache of the core, from which it comes twice as fast as from memory. */
const CHECKED_BYTES = 1 << 18;

export interface PartEntry {
  kind: number;
  crc: number;
  offset: number;
  length: number;
}

export interface SegmentHeader {
  rows: number;
  headerBytes: number;
  hotBytes: number;
  fileBytes: number;
  parts: PartEntry[];
}

export interface SegmentSummary {
  rows: number;
  fileBytes: number;
  hotBytes: number;
  documentBytes: number;
}

/** The file is not what was written: damaged, cut short, or of another version. */
export class SegmentDamage extends Error {}

function aligned(bytes: number): number {
  return Math.ceil(bytes / PART_ALIGNMENT) * PART_ALIGNMENT;
}

function headerBytesFor(parts: number): number {
  return aligned(FIXED_BYTES + ENTRY_BYTES * parts + CHECKSUM_BYTES);
}

/** Sequential writes of many small pieces as few large ones. */
class FileStream {
  #buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  readonly #fd: number;
  #used = 0;
  written = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Uint8Array): void {
    this.written += bytes.length;
    if (bytes.length >= BUFFER_BYTES) {
      this.flush();
      writeAll(this.#fd, bytes, null);
      return;
    }
    if (this.#used + bytes.length > this.#buffer.length) this.#makeRoom(this.#used + bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** The segments of single documents never need the whole of it. */
  #makeRoom(bytes: number): void {
    if (bytes > BUFFER_BYTES) this.flush();
    if (this.#buffer.length === BUFFER_BYTES) return;
    const before = this.#buffer;
    this.#buffer = new Uint8Array(bytes > BUFFER_BYTES / 2 ? BUFFER_BYTES : Math.max(bytes, 2 * before.length));
    this.#buffer.set(before.subarray(0, this.#used));
  }

  align(): void {
    const gap = aligned(this.written) - this.written;
    if (gap > 0) this.write(new Uint8Array(gap));
  }

  flush(): void {
    writeAll(this.#fd, this.#buffer.subarray(0, this.#used), null);
    this.#used = 0;
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}

/** Writes a segment and returns when file and directory entry are durable. */
export function writeSegmentFile(path: string, segment: BuiltSegment): SegmentSummary {
  // Never over another file, whatever anybody takes it for.
  const fd = openSync(path, "wx");
  try {
    const summary = putSegment(fd, segment);
    fsyncSync(fd);
    syncDirectory(dirname(path));
    return summary;
  } catch (problem) {
    removeLeftover(path);
    throw problem;
  } finally {
    closeSync(fd);
  }
}

/**
 * Writes a segment into an open, empty file, and does not wait until it is durable. The bodies go last, so that everything
 * hot is one run of bytes.
 */
export function putSegment(fd: number, segment: BuiltSegment): SegmentSummary {
  const parts = [
    ...segment.parts.filter((part) => part.kind !== PART.documents),
    ...segment.parts.filter((part) => part.kind === PART.documents),
  ];
  const header: SegmentHeader = {
    rows: segment.rows,
    headerBytes: headerBytesFor(parts.length),
    hotBytes: 0,
    fileBytes: 0,
    parts: [],
  };
  const stream = new FileStream(fd);
  stream.write(new Uint8Array(header.headerBytes));
  header.hotBytes = header.headerBytes;
  for (const part of parts) {
    const offset = stream.written;
    let crc = 0;
    for (const chunk of part.chunks) {
      // An empty view may have no memory behind it, which zlib takes as a wish to start over.
      if (chunk.length === 0) continue;
      crc = crc32(chunk, crc);
      stream.write(chunk);
    }
    header.parts.push({ kind: part.kind, crc, offset, length: stream.written - offset });
    stream.align();
    if (part.kind !== PART.documents) header.hotBytes = stream.written;
  }
  stream.flush();
  header.fileBytes = stream.written;
  writeAll(fd, encodeHeader(header), 0);
  return {
    rows: header.rows,
    fileBytes: header.fileBytes,
    hotBytes: header.hotBytes,
    documentBytes: segment.documentBytes,
  };
}

function encodeHeader(header: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(header.headerBytes);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < MAGIC.length; i++) bytes[i] = MAGIC.charCodeAt(i);
  view.setUint32(8, SEGMENT_VERSION, true);
  view.setUint32(12, header.parts.length, true);
  view.setUint32(16, header.rows, true);
  view.setUint32(20, header.headerBytes, true);
  view.setBigUint64(24, BigInt(header.hotBytes), true);
  view.setBigUint64(32, BigInt(header.fileBytes), true);
  header.parts.forEach((part, i) => {
    const at = FIXED_BYTES + ENTRY_BYTES * i;
    view.setUint32(at, part.kind, true);
    view.setUint32(at + 4, part.crc, true);
    view.setBigUint64(at + 8, BigInt(part.offset), true);
    view.setBigUint64(at + 16, BigInt(part.length), true);
  });
  const checked = bytes.length - CHECKSUM_BYTES;
  view.setUint32(checked, crc32(bytes.subarray(0, checked)), true);
  return bytes;
}

/** The header of an open file, or of bytes that begin with one (ordinary or shared memory). Throws SegmentDamage. */
export function readSegmentHeader(source: number | Uint8Array): SegmentHeader {
  const fixed = take(source, FIXED_BYTES);
  const view = new DataView(fixed.buffer);
  for (let i = 0; i < MAGIC.length; i++) {
    if (fixed[i] !== MAGIC.charCodeAt(i)) throw new SegmentDamage("not a segment file");
  }
  const version = view.getUint32(8, true);
  if (version < VERSION_FIRST || version > SEGMENT_VERSION) {
    throw new SegmentDamage(`segment version ${version} is not known`);
  }
  const count = view.getUint32(12, true);
  const headerBytes = view.getUint32(20, true);
  if (count > PARTS_MAX || headerBytes !== headerBytesFor(count)) throw new SegmentDamage("header of a wrong size");
  const bytes = take(source, headerBytes);
  const whole = new DataView(bytes.buffer);
  const checked = headerBytes - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, checked)) !== whole.getUint32(checked, true)) {
    throw new SegmentDamage("header does not match its checksum");
  }
  const parts: PartEntry[] = [];
  for (let i = 0; i < count; i++) {
    const at = FIXED_BYTES + ENTRY_BYTES * i;
    parts.push({
      kind: whole.getUint32(at, true),
      crc: whole.getUint32(at + 4, true),
      offset: Number(whole.getBigUint64(at + 8, true)),
      length: Number(whole.getBigUint64(at + 16, true)),
    });
  }
  return {
    rows: whole.getUint32(16, true),
    headerBytes,
    hotBytes: Number(whole.getBigUint64(24, true)),
    fileBytes: Number(whole.getBigUint64(32, true)),
    parts,
  };
}

/** The first `count` bytes of a file or of memory, as a copy of their own. */
function take(source: number | Uint8Array, count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  if (typeof source === "number") {
    if (readFully(source, bytes, 0) < count) throw new SegmentDamage("file ends inside the header");
  } else {
    if (source.length < count) throw new SegmentDamage("bytes end inside the header");
    bytes.set(source.subarray(0, count));
  }
  return bytes;
}

function readFully(fd: number, into: Uint8Array, position: number): number {
  let done = 0;
  while (done < into.length) {
    const count = readSync(fd, into, done, into.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Copies the hot region of a segment file to the beginning of `into` (`hotBytes` long) and checks every part of it. */
export function loadHotParts(path: string, header: SegmentHeader, into: Uint8Array): void {
  const fd = openSync(path, "r");
  const hot = into.subarray(0, header.hotBytes);
  let at = 0;
  const readTo = (end: number): Uint8Array => {
    const piece = hot.subarray(at, end);
    if (readFully(fd, piece, at) < piece.length) throw new SegmentDamage("file ends inside the hot parts");
    at = end;
    return piece;
  };
  try {
    for (const part of header.parts) {
      if (part.kind === PART.documents) continue;
      const end = part.offset + part.length;
      if (end > hot.length) throw new SegmentDamage(`part ${partName(part.kind)} lies beyond the hot parts`);
      readTo(part.offset);
      let crc = 0;
      while (at < end) crc = crc32(readTo(Math.min(end, at + CHECKED_BYTES)), crc);
      if (crc !== part.crc) throw new SegmentDamage(`part ${partName(part.kind)} does not match its checksum`);
    }
    readTo(hot.length);
  } finally {
    closeSync(fd);
  }
}

/** The checked hot parts of a segment file, in memory of their own unless `room` gives some. */
export function readHotParts(
  path: string,
  room: (bytes: number) => Uint8Array = (bytes) => new Uint8Array(bytes),
): Uint8Array {
  const fd = openSync(path, "r");
  let header: SegmentHeader;
  try {
    header = readSegmentHeader(fd);
  } finally {
    closeSync(fd);
  }
  const hot = room(header.hotBytes);
  loadHotParts(path, header, hot);
  return hot;
}

/**
 * Reads a segment file and says what is wrong with it; null when every byte is as it was written. `bodies`: only those of
 * the documents, where `loadHotParts` has seen the rest.
 */
export function verifySegment(path: string, what: "all" | "bodies" = "all"): string | null {
  const fd = openSync(path, "r");
  try {
    const header = readSegmentHeader(fd);
    if (fstatSync(fd).size !== header.fileBytes) return "file size differs from the header";
    const buffer = new Uint8Array(Math.min(BUFFER_BYTES, header.fileBytes));
    let at = header.headerBytes;
    for (const part of header.parts) {
      if (!isZero(fd, buffer, at, part.offset)) return `bytes before part ${partName(part.kind)} are not zero`;
      let crc = 0;
      at = part.offset;
      const end = part.offset + part.length;
      if (what === "bodies" && part.kind !== PART.documents) {
        at = end;
        continue;
      }
      while (at < end) {
        const piece = buffer.subarray(0, Math.min(buffer.length, end - at));
        if (readFully(fd, piece, at) < piece.length) return `file ends inside part ${partName(part.kind)}`;
        crc = crc32(piece, crc);
        at += piece.length;
      }
      if (crc !== part.crc) return `part ${partName(part.kind)} does not match its checksum`;
    }
    return isZero(fd, buffer, at, header.fileBytes) ? null : "bytes after the last part are not zero";
  } catch (error) {
    if (error instanceof SegmentDamage) return error.message;
    throw error;
  } finally {
    closeSync(fd);
  }
}

function isZero(fd: number, buffer: Uint8Array, from: number, to: number): boolean {
  if (to < from || to - from >= PART_ALIGNMENT) return false;
  const gap = buffer.subarray(0, to - from);
  return readFully(fd, gap, from) === gap.length && gap.every((byte) => byte === 0);
}
