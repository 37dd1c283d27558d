/** Sets of documents over all segments: one bitmap a segment, in the order of the index's segments. */
import { Bitmap } from "../segment/bitmap.ts";

export type RowSets = Bitmap[];

export function and(a: RowSets, b: RowSets): RowSets {
  return a.map((rows, i) => rows.and(b[i]!));
}

export function or(a: RowSets, b: RowSets): RowSets {
  return a.map((rows, i) => rows.or(b[i]!));
}

export function andNot(a: RowSets, b: RowSets): RowSets {
  return a.map((rows, i) => rows.andNot(b[i]!));
}

export function removeFrom(a: RowSets, b: RowSets): void {
  for (let i = 0; i < a.length; i++) a[i]!.andNotWith(b[i]!);
}

export function addTo(a: RowSets, b: RowSets): void {
  for (let i = 0; i < a.length; i++) a[i]!.orWith(b[i]!);
}

export function copyOf(a: RowSets): RowSets {
  return a.map((rows) => rows.copy());
}

export function emptyLike(a: RowSets): RowSets {
  return a.map(({ rows }) => Bitmap.create(rows));
}

export function isEmpty(a: RowSets): boolean {
  return a.every((rows) => rows.isEmpty());
}

export function countOf(a: RowSets): number {
  return a.reduce((sum, rows) => sum + rows.count(), 0);
}

export function countBoth(a: RowSets, b: RowSets): number {
  return a.reduce((sum, rows, i) => sum + rows.countAnd(b[i]!), 0);
}
