/**
 * Puts rows of several segments in the order of sort rules: numbers, then strings, then rows without the value; ties by
 * internal document id. Keys are made once a row; comparing never decodes a value.
 */
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import type { ColumnsReader } from "../../storage/segment/columns/reader.ts";
import type { GeoReader } from "../../storage/segment/geo/points.ts";
import type { SortRule } from "./sort.ts";

interface SortSegment {
  readonly rows: number;
  /** Row to internal document id. */
  readonly docids: Uint32Array;
  readonly columns: ColumnsReader | null;
  readonly geo: GeoReader | null;
}

/** The same positions in both arrays belong together. */
interface OrderedRows {
  segments: Uint32Array;
  rows: Uint32Array;
}

/** Classes; numbers, and distances, are 0. */
const STRINGS = 1;
const WITHOUT = 2;

/** Keys of all candidates under one rule: first by class, then by key, both ascending. */
interface Keys {
  classes: Uint8Array;
  keys: Float64Array;
}

/** The first `wanted` candidates in order. */
export function orderRows(
  segments: readonly SortSegment[],
  candidates: readonly Bitmap[],
  rules: readonly SortRule[],
  wanted = Number.POSITIVE_INFINITY,
): OrderedRows {
  const lists = candidates.map((rows) => rows.toArray());
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  const ofSegment = new Uint32Array(total);
  const ofRow = new Uint32Array(total);
  const docids = new Uint32Array(total);
  let at = 0;
  lists.forEach((list, segment) => {
    for (const row of list) {
      ofSegment[at] = segment;
      ofRow[at] = row;
      docids[at++] = segments[segment]!.docids[row]!;
    }
  });
  const keys = rules.map((rule) =>
    rule.kind === "geo" ? distanceKeys(segments, lists, total, rule) : valueKeys(segments, lists, total, rule),
  );
  const compare = (a: number, b: number): number => {
    for (const { classes, keys: own } of keys) {
      const byClass = classes[a]! - classes[b]!;
      if (byClass !== 0) return byClass;
      const byKey = own[a]! - own[b]!;
      if (byKey !== 0) return byKey;
    }
    return docids[a]! - docids[b]!;
  };
  const order = firstInOrder(total, Math.min(wanted, total), compare);
  return { segments: order.map((i) => ofSegment[i]!), rows: order.map((i) => ofRow[i]!) };
}

/** Positions of the `wanted` smallest of `total`, sorted. Keeps a heap when few are wanted. */
function firstInOrder(total: number, wanted: number, compare: (a: number, b: number) => number): Uint32Array {
  if (wanted > total / 4) {
    return Uint32Array.from({ length: total }, (_, i) => i)
      .sort(compare)
      .slice(0, wanted);
  }
  const heap = Uint32Array.from({ length: wanted }, (_, i) => i).sort((a, b) => compare(b, a));
  if (wanted === 0) return heap;
  for (let i = wanted; i < total; i++) {
    if (compare(i, heap[0]!) >= 0) continue;
    // The largest kept one gives way; the hole sinks to where the new one belongs.
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= wanted) break;
      if (child + 1 < wanted && compare(heap[child + 1]!, heap[child]!) > 0) child++;
      if (compare(i, heap[child]!) >= 0) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    heap[hole] = i;
  }
  return heap.sort(compare);
}

function distanceKeys(
  segments: readonly SortSegment[],
  lists: readonly Uint32Array[],
  total: number,
  rule: Extract<SortRule, { kind: "geo" }>,
): Keys {
  const classes = new Uint8Array(total);
  const keys = new Float64Array(total);
  let at = 0;
  lists.forEach((list, segment) => {
    const geo = segments[segment]!.geo;
    for (const row of list) {
      const metres = geo?.distance(row, rule.lat, rule.lng) ?? Number.POSITIVE_INFINITY;
      if (metres === Number.POSITIVE_INFINITY) classes[at] = WITHOUT;
      else keys[at] = rule.descending ? -metres : metres;
      at++;
    }
  });
  return { classes, keys };
}

function valueKeys(
  segments: readonly SortSegment[],
  lists: readonly Uint32Array[],
  total: number,
  rule: Extract<SortRule, { kind: "field" }>,
): Keys {
  const classes = new Uint8Array(total);
  const keys = new Float64Array(total);
  const sign = rule.descending ? -1 : 1;
  const columns = segments.map((segment) => segment.columns?.column(rule.field) ?? null);
  let at = 0;
  lists.forEach((list, segment) => {
    const column = columns[segment]!;
    for (const row of list) {
      const code = column === null ? 0 : column.sortCode(row, rule.descending);
      if (code === 0) classes[at] = WITHOUT;
      else if (column!.isNumberCode(code)) keys[at] = sign * column!.numberOfCode(code);
      else {
        classes[at] = STRINGS;
        keys[at] = column!.stringOfCode(code);
      }
      at++;
    }
  });
  rankStrings(columns, lists, classes, keys, sign);
  return { classes, keys };
}

/** Replaces string ordinals, which only mean something in their own segment, by ranks over all segments. */
function rankStrings(
  columns: readonly (Column | null)[],
  lists: readonly Uint32Array[],
  classes: Uint8Array,
  keys: Float64Array,
  sign: number,
): void {
  const used = lists.map(() => new Set<number>());
  let at = 0;
  lists.forEach((list, segment) => {
    for (let i = 0; i < list.length; i++, at++) if (classes[at] === STRINGS) used[segment]!.add(keys[at]!);
  });
  const entries: { bytes: Uint8Array; segment: number; ordinal: number }[] = [];
  used.forEach((ordinals, segment) => {
    for (const ordinal of ordinals) entries.push({ bytes: columns[segment]!.stringBytesAt(ordinal), segment, ordinal });
  });
  entries.sort((a, b) => compareBytes(a.bytes, b.bytes));
  const ranks = lists.map(() => new Map<number, number>());
  let rank = 0;
  entries.forEach(({ bytes, segment, ordinal }, i) => {
    if (i > 0 && compareBytes(entries[i - 1]!.bytes, bytes) !== 0) rank++;
    ranks[segment]!.set(ordinal, sign * rank);
  });
  at = 0;
  lists.forEach((list, segment) => {
    for (let i = 0; i < list.length; i++, at++) {
      if (classes[at] === STRINGS) keys[at] = ranks[segment]!.get(keys[at]!)!;
    }
  });
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
