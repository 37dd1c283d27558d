/**
 * The stored documents of an index in the order of their internal ids, straight from the segment files: what dumps and
 * exports read. Holds one piece of bytes at a time, however many documents there are.
 */
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { SegmentReader } from "../../storage/segment/reader.ts";

/** Rows of one segment, as many as wanted of them. */
export interface SegmentRows {
  reader: SegmentReader;
  rows: Bitmap;
}

/** Neighbouring rows `[from, to)` of one segment. */
interface RowRun {
  reader: SegmentReader;
  from: number;
  to: number;
}

/** Runs are cut here, so that a reader of them never holds much; a larger document is a run of its own. */
const RUN_BYTES_MAX = 1 << 18;
const NEWLINE = 0x0a;

/** Runs whose documents, one after the other, have ascending internal ids. */
export function* runsInOrder(segments: readonly SegmentRows[]): Generator<RowRun> {
  const heads = segments.map(({ rows }) => rows.first());
  for (;;) {
    let chosen = -1;
    let smallest = Number.POSITIVE_INFINITY;
    let second = Number.POSITIVE_INFINITY;
    for (let i = 0; i < segments.length; i++) {
      if (heads[i]! < 0) continue;
      const docid = segments[i]!.reader.docids[heads[i]!]!;
      if (docid < smallest) {
        second = smallest;
        smallest = docid;
        chosen = i;
      } else if (docid < second) second = docid;
    }
    if (chosen < 0) return;
    const { reader, rows } = segments[chosen]!;
    const from = heads[chosen]!;
    const to = runEnd(reader, rows, from, second);
    yield { reader, from, to };
    heads[chosen] = rows.next(to);
  }
}

function runEnd(reader: SegmentReader, rows: Bitmap, from: number, idBelow: number): number {
  let bytes = reader.documentLength(from);
  let to = from + 1;
  while (to < reader.rows && rows.has(to) && reader.docids[to]! < idBelow) {
    bytes += reader.documentLength(to);
    if (bytes > RUN_BYTES_MAX) break;
    to++;
  }
  return to;
}

/** What `linesInOrder` gives for the same rows. */
export function lineBytes(segments: readonly SegmentRows[]): number {
  let bytes = 0;
  for (const { reader, rows } of segments) {
    rows.forEach((row) => {
      bytes += reader.documentLength(row) + 1;
    });
  }
  return bytes;
}

/** The documents as lines of JSON, in pieces of whole lines. Each piece is valid until the next is asked for. */
export function* linesInOrder(segments: readonly SegmentRows[]): Generator<Uint8Array> {
  let stored = new Uint8Array(RUN_BYTES_MAX);
  let lines = new Uint8Array(2 * RUN_BYTES_MAX);
  for (const { reader, from, to } of runsInOrder(segments)) {
    let length = 0;
    for (let row = from; row < to; row++) length += reader.documentLength(row);
    if (length > stored.length) stored = new Uint8Array(length);
    if (length + to - from > lines.length) lines = new Uint8Array(length + to - from);
    reader.readDocuments(from, to, stored, 0);
    let at = 0;
    for (let row = from, start = 0; row < to; row++) {
      const end = start + reader.documentLength(row);
      lines.set(stored.subarray(start, end), at);
      at += end - start;
      lines[at++] = NEWLINE;
      start = end;
    }
    yield lines.subarray(0, at);
  }
}
