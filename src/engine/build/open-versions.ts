/**
 * The versions of a lot's documents, from where they lie: a file is read in one piece when they fill much of it, version
 * by version otherwise. Those that are packed are unpacked at once, side by side.
 */
import { closeSync, openSync } from "node:fs";
import type { DocumentVersion } from "../../base/document/overlay.ts";
import { readFully } from "../../base/files/read-fully.ts";
import { Unpacker } from "../../storage/segment/documents/packed.ts";
import type { LotDocuments } from "./lot.ts";

/** A source as a lot reads it. */
interface Window {
  bytes: Uint8Array;
  /** Offset of its first byte in the source. */
  begin: number;
  /** Versions that lie far apart are read one by one from here. */
  fd: number | null;
}

/** A file is read in one piece when its versions fill at least this share of the range they span. */
const DENSE_SHARE = 0.25;
const EMPTY = new Uint8Array(0);

export class OpenVersions {
  /** By source. */
  readonly windows: readonly Window[];
  /** Byte range of each version in its source, or in what was unpacked of it. */
  readonly begins: Float64Array;
  readonly ends: Float64Array;
  readonly #sourceOf: Uint32Array;

  constructor(input: LotDocuments) {
    const { sources, versionBegins, versionEnds, versionSources } = input;
    const isPacked = sources.some((source) => "path" in source && source.packed != null);
    this.begins = isPacked ? versionBegins.slice() : versionBegins;
    this.ends = isPacked ? versionEnds.slice() : versionEnds;
    this.#sourceOf = versionSources;
    const spans = this.#spans(sources.length);
    this.windows = sources.map((source, i) => {
      if ("bytes" in source) return { bytes: source.bytes, begin: 0, fd: null };
      const window = openWindow(source.path, spans[i]!);
      return source.packed == null ? window : this.#unpacked(i, window, new Unpacker(source.packed));
    });
  }

  get totalBytes(): number {
    let total = 0;
    for (let v = 0; v < this.ends.length; v++) total += this.ends[v]! - this.begins[v]!;
    return total;
  }

  version(v: number): DocumentVersion {
    return versionIn(this.windows[this.#sourceOf[v]!]!, this.begins[v]!, this.ends[v]!);
  }

  close(): void {
    for (const { fd } of this.windows) if (fd !== null) closeSync(fd);
  }

  #spans(sources: number): Span[] {
    const spans = Array.from({ length: sources }, () => ({ begin: Number.POSITIVE_INFINITY, end: 0, used: 0 }));
    for (let v = 0; v < this.#sourceOf.length; v++) {
      const span = spans[this.#sourceOf[v]!]!;
      span.begin = Math.min(span.begin, this.begins[v]!);
      span.end = Math.max(span.end, this.ends[v]!);
      span.used += this.ends[v]! - this.begins[v]!;
    }
    return spans;
  }

  /** All versions of a source side by side; the window is of no more use. */
  #unpacked(source: number, window: Window, unpacker: Unpacker): Window {
    const packed: DocumentVersion[] = [];
    let length = 0;
    for (let v = 0; v < this.#sourceOf.length; v++) {
      if (this.#sourceOf[v] !== source) continue;
      const version = versionIn(window, this.begins[v]!, this.ends[v]!);
      packed.push(version);
      this.begins[v] = length;
      length += unpacker.length(version.bytes, version.start, version.end);
      this.ends[v] = length;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const { bytes: from, start, end } of packed) at = unpacker.unpack(from, start, end, bytes, at);
    if (window.fd !== null) closeSync(window.fd);
    return { bytes, begin: 0, fd: null };
  }
}

interface Span {
  begin: number;
  end: number;
  /** Bytes of all versions in between. */
  used: number;
}

function openWindow(path: string, { begin, end, used }: Span): Window {
  const fd = openSync(path, "r");
  if (used < (end - begin) * DENSE_SHARE) return { bytes: EMPTY, begin: 0, fd };
  const bytes = used === 0 ? EMPTY : readRange(fd, begin, end);
  closeSync(fd);
  return { bytes, begin, fd: null };
}

function versionIn(window: Window, begin: number, end: number): DocumentVersion {
  if (window.fd !== null) return { bytes: readRange(window.fd, begin, end), start: 0, end: end - begin };
  return { bytes: window.bytes, start: begin - window.begin, end: end - window.begin };
}

function readRange(fd: number, begin: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - begin);
  readFully(fd, bytes, begin);
  return bytes;
}
