/**
 * How far words stand apart in a row. Places are (field << 16 | position), ascending; distances of four and more are all
 * the same.
 */
import type { PostingsCursor } from "../../storage/segment/postings/cursor.ts";

/** No pair of places in this order, or none nearer than this. */
export const FAR = 4;

const FIRST_SIZE = 256;

/** The places of one word in one row. */
export class PlaceBuffer {
  places = new Uint32Array(FIRST_SIZE);
  count = 0;

  read(cursor: PostingsCursor): void {
    this.count = cursor.places(this.places);
    if (this.count <= this.places.length) return;
    this.places = new Uint32Array(this.count * 2);
    this.count = cursor.places(this.places);
  }
}

/** The smallest step from a place of `a` forward to a place of `b` in the same field: 1, 2, 3 or FAR. */
export function forwardDistance(
  a: Uint32Array,
  aFrom: number,
  aTo: number,
  b: Uint32Array,
  bFrom: number,
  bTo: number,
): number {
  let nearest = FAR;
  let j = bFrom;
  for (let i = aFrom; i < aTo; i++) {
    const from = a[i]!;
    while (j < bTo && b[j]! <= from) j++;
    if (j === bTo) break;
    const step = b[j]! - from;
    if (step < nearest && b[j]! >>> 16 === from >>> 16) {
      nearest = step;
      if (step === 1) break;
    }
  }
  return nearest;
}

/** Whether the two words stand in one field; null admits every field. */
export function shareField(a: PlaceBuffer, b: PlaceBuffer, fields: ReadonlySet<number> | null): boolean {
  let j = 0;
  for (let i = 0; i < a.count; i++) {
    const field = a.places[i]! >>> 16;
    while (j < b.count && b.places[j]! >>> 16 < field) j++;
    if (j === b.count) return false;
    if (b.places[j]! >>> 16 === field && (fields === null || fields.has(field))) return true;
  }
  return false;
}
