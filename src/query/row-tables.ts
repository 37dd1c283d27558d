/**
 * All places of a frequent word in a segment, or of all words that begin with a common prefix, gathered by row: what
 * searches need again and again, and what is packed, or spread over thousands of terms. Kept in memory within a budget.
 */
import { Buffer } from "node:buffer";
import { MIB } from "../limits.ts";
import { Bitmap } from "../segment/bitmap.ts";
import { NO_ROW } from "../segment/postings/cursor.ts";
import type { SegmentReader } from "../segment/reader.ts";
import { PlaceBuffer } from "./places.ts";
import type { WordSegment } from "./vocabulary.ts";

const KEPT_BYTES_MAX = 64 * MIB;

/** Rows ascending; places of `rows[i]` are `places[starts[i]] .. places[starts[i + 1] - 1]`, ascending. */
export interface RowTable {
  readonly bitmap: Bitmap;
  readonly rows: Uint32Array;
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
}

/** Most recently used last. */
const kept = new Map<string, { table: RowTable; bytes: number }>();
let keptBytes = 0;
const names = new WeakMap<SegmentReader, number>();
let named = 0;

/** Of the words that begin with `prefix`. */
export function prefixTable(segment: WordSegment, prefix: string): RowTable {
  return keptTable(segment.reader, prefix, () => {
    const { from, to } = segment.reader.terms.prefixRange(Buffer.from(prefix));
    return gather(segment, from, to);
  });
}

/** Of a single word. */
export function wordTable(segment: WordSegment, ordinal: number): RowTable {
  return keptTable(segment.reader, ordinal, () => gather(segment, ordinal, ordinal + 1));
}

function keptTable(reader: SegmentReader, of: string | number, make: () => RowTable): RowTable {
  let name = names.get(reader);
  if (name === undefined) {
    name = named++;
    names.set(reader, name);
  }
  const key = typeof of === "number" ? `${name}#${of}` : `${name} ${of}`;
  const known = kept.get(key);
  if (known !== undefined) {
    kept.delete(key);
    kept.set(key, known);
    return known.table;
  }
  const table = make();
  const { bitmap, rows, starts, places } = table;
  const bytes = bitmap.words.byteLength + rows.byteLength + starts.byteLength + places.byteLength;
  kept.set(key, { table, bytes });
  keptBytes += bytes;
  for (const [oldest, { bytes: size }] of kept) {
    if (keptBytes <= KEPT_BYTES_MAX || oldest === key) break;
    kept.delete(oldest);
    keptBytes -= size;
  }
  return table;
}

const buffer = new PlaceBuffer();

/** Of the terms `[from, to)`. */
function gather(segment: WordSegment, from: number, to: number): RowTable {
  const { reader } = segment;
  const bitmap = Bitmap.create(reader.rows);
  let ofRow = new Uint32Array(1024);
  let found = new Uint32Array(1024);
  let count = 0;
  for (let ordinal = from; ordinal < to; ordinal++) {
    const cursor = segment.openShared(ordinal);
    for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
      buffer.read(cursor);
      if (count + buffer.count > found.length) {
        const size = Math.max(found.length * 2, count + buffer.count);
        ofRow = grown(ofRow, size);
        found = grown(found, size);
      }
      bitmap.set(row);
      for (let i = 0; i < buffer.count; i++) {
        ofRow[count] = row;
        found[count++] = buffer.places[i]!;
      }
    }
  }
  return byRow(bitmap, ofRow, found, count);
}

function grown(from: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(size);
  to.set(from);
  return to;
}

function byRow(bitmap: Bitmap, ofRow: Uint32Array, found: Uint32Array, count: number): RowTable {
  const rows = bitmap.toArray();
  const rankOf = new Uint32Array(bitmap.rows);
  for (let i = 0; i < rows.length; i++) rankOf[rows[i]!] = i;
  const starts = new Uint32Array(rows.length + 1);
  for (let i = 0; i < count; i++) starts[rankOf[ofRow[i]!]! + 1]!++;
  for (let i = 0; i < rows.length; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice(0, rows.length);
  const places = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const rank = rankOf[ofRow[i]!]!;
    const first = starts[rank]!;
    const place = found[i]!;
    let at = next[rank]!++;
    while (at > first && places[at - 1]! > place) {
      places[at] = places[at - 1]!;
      at--;
    }
    places[at] = place;
  }
  return { bitmap, rows, starts, places };
}
