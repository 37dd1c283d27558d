/** Reads what a segment tells of common prefixes (layout in `format.ts`). */
import { ByteBuffer } from "flatbuffers";
import { CommonPrefixesPart } from "../generated/common-prefixes-part.ts";
import { PREFIX_WORDS, tableLayout } from "./format.ts";

/** Terms `[first, end)` begin with it; the rest are lists, by rank among the rows that have one of them. */
export interface StoredPrefix {
  first: number;
  end: number;
  rows: number;
  bits: Uint8Array;
  ranks: Uint8Array;
  firsts: Uint8Array;
  masks: Uint8Array;
}

/** `rows` of the segment. */
export function readCommonPrefixes(part: Uint8Array, rows: number): StoredPrefix[] {
  const table = CommonPrefixesPart.getRootAsCommonPrefixesPart(new ByteBuffer(part));
  const words = table.prefixesArray() ?? new Uint32Array(0);
  const tables = table.tablesArray() ?? new Uint8Array(0);
  const stored: StoredPrefix[] = [];
  let at = 0;
  for (let i = 0; i < words.length; i += PREFIX_WORDS) {
    const [first, end, ranked] = words.subarray(i, i + PREFIX_WORDS) as unknown as [number, number, number];
    const { bytes, firsts, masks, ranks } = tableLayout(rows, ranked);
    const own = tables.subarray(at, at + bytes);
    stored.push({
      first,
      end,
      rows: ranked,
      bits: own.subarray(0, ranks),
      ranks: own.subarray(ranks, firsts),
      firsts: own.subarray(firsts, masks),
      masks: own.subarray(masks),
    });
    at += bytes;
  }
  return stored;
}
