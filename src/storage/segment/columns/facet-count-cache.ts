/**
 * Counts of the values of all live rows of a segment, kept because placeholder searches and facet searches ask for them
 * again and again. Bounded in bytes; it never counts by itself.
 */
import type { Bitmap } from "../bitmap.ts";
import type { Column } from "./column.ts";
import type { PlacedRows } from "./placed-rows.ts";
import type { CodeCounts } from "./scan.ts";

/** Of one segment in one thread. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Code, count and first row. */
const BYTES_PER_CODE = 12;

export class FacetCountCache {
  /** The rows that were counted: those of another set are counted anew. */
  #live: Bitmap | null = null;
  /** Least recently used first. */
  readonly #counts = new Map<Column, CodeCounts>();
  #bytes = 0;

  /** The counts of all rows of `live`, which `rows` holds. */
  of(column: Column, live: Bitmap, rows: PlacedRows): CodeCounts {
    if (this.#live !== live) {
      this.#live = live;
      this.#counts.clear();
      this.#bytes = 0;
    }
    const known = this.#counts.get(column);
    const counts = known ?? column.scan.countCodes(rows);
    const bytes = counts.codes.length * BYTES_PER_CODE;
    if (known !== undefined) this.#counts.delete(column);
    else if (bytes > BYTES_MAX) return counts;
    else this.#bytes += bytes;
    this.#counts.set(column, counts);
    for (const [oldest, { codes }] of this.#counts) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#counts.delete(oldest);
      this.#bytes -= codes.length * BYTES_PER_CODE;
    }
    return counts;
  }
}
