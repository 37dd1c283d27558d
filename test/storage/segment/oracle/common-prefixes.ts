/** The part about common prefixes, from the terms and occurrences of a segment. */
import { PREFIX_WORDS, tableLayout } from "../../../../src/storage/segment/common-prefixes/format.ts";
import { bytesVector, flatPart, wordsVector } from "../../../../src/storage/segment/flat-table.ts";
import { CommonPrefixesPart } from "../../../../src/storage/segment/generated/common-prefixes-part.ts";
import { PART, type Part } from "../../../../src/storage/segment/parts.ts";
import { NO_ROW, PostingsCursor } from "../../../../src/storage/segment/postings/cursor.ts";
import type { SegmentReader } from "../../../../src/storage/segment/reader.ts";
import { TermEntry } from "../../../../src/storage/segment/terms/reader.ts";

const BYTES_MAX = 4;
const FIELDS_MAX = 8;

interface Known {
  first: number;
  end: number;
  bytes: number;
  places: number;
  rows: Map<number, { mask: number; first: number }>;
}

/** Those with at least so many places. */
export function commonPrefixPart(reader: SegmentReader, least: number): Part[] {
  if (reader.fields.length > FIELDS_MAX) return [];
  const known = new Map<string, Known>();
  for (let ordinal = 0; ordinal < reader.terms.count; ordinal++) {
    const letters = [...reader.terms.term(ordinal)];
    for (let count = 1; count <= letters.length; count++) {
      const prefix = letters.slice(0, count).join("");
      const bytes = Buffer.byteLength(prefix);
      if (bytes > BYTES_MAX) break;
      let own = known.get(prefix);
      if (own === undefined) {
        own = { first: ordinal, end: ordinal, bytes, places: 0, rows: new Map() };
        known.set(prefix, own);
      }
      own.end = ordinal + 1;
      addTerm(reader, ordinal, own);
    }
  }
  const told = [...known.values()]
    .filter(({ places }) => places >= least)
    .sort((a, b) => a.end - b.end || b.bytes - a.bytes)
    .filter(({ end, first }, i, all) => i === 0 || all[i - 1]!.first !== first || all[i - 1]!.end !== end);
  if (told.length === 0) return [];
  const words = new Uint32Array(told.length * PREFIX_WORDS);
  told.forEach(({ first, end, rows }, i) => {
    words.set([first, end, rows.size], i * PREFIX_WORDS);
  });
  const tables = bytesVector(told.map((own) => tableOf(own, reader.rows)));
  return [flatPart(PART.commonPrefixes, CommonPrefixesPart, { prefixes: wordsVector(words), tables })];
}

function addTerm(reader: SegmentReader, ordinal: number, to: Known): void {
  const entry = new TermEntry();
  const cursor = new PostingsCursor(reader.postings);
  const places = new Uint32Array(70_000);
  reader.terms.entry(ordinal, entry);
  cursor.open(entry);
  for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
    const count = cursor.places(places);
    const own = to.rows.get(row) ?? { mask: 0, first: 0xffff };
    to.rows.set(row, own);
    to.places += count;
    for (const place of places.subarray(0, count)) {
      own.mask |= 1 << (place >>> 16);
      own.first = Math.min(own.first, place & 0xffff);
    }
  }
}

function tableOf({ rows }: Known, all: number): Uint8Array {
  const { bytes, firsts, masks, ranks } = tableLayout(all, rows.size);
  const table = new DataView(new ArrayBuffer(bytes));
  const ascending = [...rows].sort(([a], [b]) => a - b);
  ascending.forEach(([row, { first, mask }], rank) => {
    table.setUint8(row >>> 3, table.getUint8(row >>> 3) | (1 << (row & 7)));
    table.setUint16(firsts + 2 * rank, first, true);
    table.setUint8(masks + rank, mask);
  });
  for (let word = 0; 8 * word < ranks; word++) {
    table.setUint32(ranks + 4 * word, ascending.filter(([row]) => row < 64 * word).length, true);
  }
  return new Uint8Array(table.buffer);
}
