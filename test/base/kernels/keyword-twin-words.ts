/** The plain twins of the kernels for terms: all of a term is unpacked, bit by bit, whatever is asked of it. */

import { Ref } from "../../../src/base/kernels/keyword/generated/layout.ts";
import { NO_COST, type TableKernels, type WordKernels } from "../../../src/base/kernels/keyword/kernels.ts";
import {
  BITMAP_SKIP_BYTES,
  codeBits,
  GAPS_SKIP_BYTES,
  HEAD_ONE_FORM_ONE_BLOCK,
  ROWS_PER_BLOCK,
} from "../../../src/storage/segment/postings/format.ts";
import type { Views } from "./keyword-twin.ts";

interface TermRow {
  row: number;
  set: number;
  repeated: boolean;
}

/** What a term is in one row. */
interface Occurrence {
  row: number;
  set: number;
  places: number[];
}

/** Reads bytes of a memory from an address on. */
class ByteCursor {
  readonly views: Views;
  at: number;

  constructor(views: Views, at: number) {
    this.views = views;
    this.at = at;
  }

  byte(): number {
    return this.views.u8[this.at++]!;
  }

  varint(): number {
    const byte = this.byte();
    return byte < 0x80 ? byte : byte - 0x80 + 0x80 * this.varint();
  }

  /** Numbers of a few bits each, side by side; moves behind the last byte. */
  packed(count: number, width: number): number[] {
    const numbers = Array.from({ length: count }, (_, i) => {
      let number = 0;
      for (let bit = 0; bit < width; bit++) {
        const from = i * width + bit;
        if (this.views.has(this.at, from)) number += 2 ** bit;
      }
      return number;
    });
    this.at += Math.ceil((count * width) / 8);
    return numbers;
  }
}

/** The rows of a term with their field sets. */
function termRows(views: Views, ref: number): TermRow[] {
  const [docCount, postingsAt, , onlyRow, onlyForm] = views.list(ref, Ref.WORDS) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (docCount === 1) return [{ row: onlyRow, set: onlyForm >>> 1, repeated: (onlyForm & 1) === 1 }];
  const cursor = new ByteCursor(views, postingsAt);
  const head = cursor.varint();
  const inHead = (head & 3) === HEAD_ONE_FORM_ONE_BLOCK;
  const isBitmap = (head & 1) === 1;
  const forms = Array.from({ length: inHead ? 1 : head >>> 2 }, () => cursor.varint());
  const blocks = Math.ceil(docCount / ROWS_PER_BLOCK);
  cursor.at += (blocks - 1) * (isBitmap ? BITMAP_SKIP_BYTES : GAPS_SKIP_BYTES);
  const codes = cursor.packed(docCount, codeBits(forms.length));
  const found: number[] = [];
  if (isBitmap) {
    for (let row = 0; found.length < docCount; row++) if (views.has(cursor.at, row)) found.push(row);
  }
  while (found.length < docCount) {
    const count = Math.min(ROWS_PER_BLOCK, docCount - found.length);
    const width = inHead ? head >>> 2 : cursor.byte();
    for (const gap of cursor.packed(count, width)) found.push((found.at(-1) ?? -1) + 1 + gap);
  }
  return found.map((row, i) => ({ row, set: forms[codes[i]!]! >>> 1, repeated: (forms[codes[i]!]! & 1) === 1 }));
}

export function occurrences(views: Views, ref: number, setOffsets: number, setFields: number): Occurrence[] {
  const cursor = new ByteCursor(views, views.u32(ref, 2));
  return termRows(views, ref).map(({ row, set, repeated }) => {
    const places: number[] = [];
    for (let i = views.u32(setOffsets, set); i < views.u32(setOffsets, set + 1); i++) {
      let position = 0;
      let more = true;
      while (more) {
        const value = cursor.varint();
        position += repeated ? value >>> 1 : value;
        more = repeated && (value & 1) === 1;
        places.push(views.u16(setFields, i) * 65_536 + position);
      }
    }
    return { row, set, places };
  });
}

/** Positions from 24 on are told apart by the power of two they do not exceed. */
export function bucketOf(position: number): number {
  if (position <= 16) return position;
  if (position < 24) return 16;
  return 12 + Math.ceil(Math.log2(position));
}

export function wordTwin(views: Views): WordKernels {
  const { u8 } = views;
  const refsOf = (refs: number, count: number): number[] =>
    Array.from({ length: count }, (_, i) => refs + i * 4 * Ref.WORDS);
  /** Calls `met` with the position of every row of the list that is in the term, and in `among`. */
  const meet = <Found extends { row: number }>(
    found: Found[],
    list: number,
    n: number,
    among: number,
    met: (position: number, found: Found) => void,
  ): void => {
    const positions = new Map(views.list(list, n).map((row, p) => [row, p]));
    for (const one of found) {
      const position = positions.get(one.row);
      if (position !== undefined && (among === 0 || views.has(among, one.row))) met(position, one);
    }
  };
  return {
    unionRows(refs, count, _rows, bits) {
      for (const ref of refsOf(refs, count)) for (const { row } of termRows(views, ref)) views.add(bits, row);
    },
    unionRowsInSets(refs, count, _rows, marks, bits) {
      for (const ref of refsOf(refs, count)) {
        for (const { row, set } of termRows(views, ref)) if (u8[marks + set] === 1) views.add(bits, row);
      }
    },
    wordWeights(refs, count, _rows, list, n, _bits, _ranks, among, weights, factor, plane) {
      for (const ref of refsOf(refs, count)) {
        meet(termRows(views, ref), list, n, among, (p, { set }) => {
          const weight = views.u16(weights, set);
          if (weight !== NO_COST) views.setU16(plane, p, Math.min(views.u16(plane, p), weight * factor));
        });
      }
    },
    wordSteps(refs, count, _rows, setOffsets, setFields, list, n, _bits, _ranks, among, steps, plane) {
      for (const ref of refsOf(refs, count)) {
        meet(occurrences(views, ref, setOffsets, setFields), list, n, among, (p, { places }) => {
          const costs = places.map((place) => u8[steps + bucketOf(place & 0xffff)]!);
          views.setU16(plane, p, Math.min(views.u16(plane, p), ...costs));
        });
      }
    },
    wordPlaces(refs, count, _rows, setOffsets, setFields, list, n, _bits, _ranks, among, starts, places, capacity) {
      const ofPositions = Array.from({ length: n }, (): number[] => []);
      for (const ref of refsOf(refs, count)) {
        meet(occurrences(views, ref, setOffsets, setFields), list, n, among, (p, found) =>
          ofPositions[p]!.push(...found.places),
        );
      }
      return writeTable(views, ofPositions, starts, places, capacity);
    },
    refsAmong(refs, count, _rows, bits, out) {
      const among = refsOf(refs, count).filter((ref) => termRows(views, ref).some(({ row }) => views.has(bits, row)));
      for (const [i, ref] of among.entries()) views.setList(out + i * 4 * Ref.WORDS, views.list(ref, Ref.WORDS));
      return among.length;
    },
    refsOfEntries(entry, skipped, count, postings, positions, setOffsets, refs) {
      let at = entry;
      const varint = (): number => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
          const byte = u8[at++]!;
          value += (byte & 0x7f) * 2 ** shift;
          if (byte < 0x80) return value;
        }
      };
      let documents = 0;
      for (let i = 0; i < skipped + count; i++) {
        const docCount = varint();
        const ref = [docCount, 0, 0, 0, 0];
        if (docCount === 1) {
          const [row, form] = [varint(), varint()];
          ref.splice(2, 3, at, row, form);
          const set = form >>> 1;
          for (let field = views.u32(setOffsets, set); field < views.u32(setOffsets, set + 1); field++) {
            while ((varint() & form & 1) === 1);
          }
        } else {
          ref.splice(1, 2, postings, positions);
          postings += varint();
          positions += varint();
        }
        if (i < skipped) continue;
        views.setList(refs + (i - skipped) * 4 * Ref.WORDS, ref);
        documents += docCount;
      }
      return documents;
    },
  };
}

function writeTable(views: Views, table: number[][], starts: number, places: number, capacity: number): number {
  let total = 0;
  for (const [i, found] of table.entries()) {
    views.setU32(starts, i, total);
    total += found.length;
  }
  views.setU32(starts, table.length, total);
  const all = table.flatMap((found) => found.toSorted((a, b) => a - b));
  if (total <= capacity) views.setList(places, all);
  return total;
}

export function tableTwin(views: Views): TableKernels {
  const { u8 } = views;
  /** Of every position of the list, its places in the table. */
  const placesIn = (bits: number, starts: number, places: number, list: number, n: number): number[][] => {
    let rank = 0;
    let counted = 0;
    return views.list(list, n).map((row) => {
      if (!views.has(bits, row)) return [];
      for (; counted < row; counted++) if (views.has(bits, counted)) rank++;
      return views.span(places, views.u32(starts, rank), views.u32(starts, rank + 1));
    });
  };
  return {
    gatherTable(refs, count, _rows, setOffsets, setFields, starts, places, capacity) {
      const ofRows = new Map<number, number[]>();
      for (let i = 0; i < count; i++) {
        for (const { row, places: more } of occurrences(views, refs + i * 4 * Ref.WORDS, setOffsets, setFields)) {
          ofRows.set(row, [...(ofRows.get(row) ?? []), ...more]);
        }
      }
      const table = [...ofRows].sort(([a], [b]) => a - b).map(([, found]) => found);
      return writeTable(views, table, starts, places, capacity);
    },
    tableWeights(bits, _ranks, starts, places, list, n, weights, factor, plane) {
      for (const [p, found] of placesIn(bits, starts, places, list, n).entries()) {
        const least = Math.min(NO_COST, ...found.map((place) => views.u16(weights, place >>> 16)));
        if (least < NO_COST) views.setU16(plane, p, Math.min(views.u16(plane, p), least * factor));
      }
    },
    tableSteps(bits, _ranks, starts, places, list, n, steps, plane) {
      for (const [p, found] of placesIn(bits, starts, places, list, n).entries()) {
        const costs = found.map((place) => u8[steps + bucketOf(place & 0xffff)]!);
        views.setU16(plane, p, Math.min(views.u16(plane, p), ...costs));
      }
    },
    tableSpans(bits, _ranks, starts, list, n, begins, ends) {
      let rank = 0;
      let counted = 0;
      for (const [p, row] of views.list(list, n).entries()) {
        for (; counted < row; counted++) if (views.has(bits, counted)) rank++;
        views.setU32(begins, p, views.u32(starts, rank));
        views.setU32(ends, p, views.u32(starts, views.has(bits, row) ? rank + 1 : rank));
      }
    },
  };
}
