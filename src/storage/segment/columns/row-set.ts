/**
 * A set of rows as a columns part stores it: none, all, listed or as words. Only adds itself to bitmaps; it is built
 * in `format.ts`.
 */
import { Bitmap } from "../bitmap.ts";
import { ROWS_ALL, ROWS_LISTED, ROWS_WORDS } from "./format.ts";

/** Rows that share a trait of a field: it exists, is null, is empty. */
export class RowSet {
  readonly #form: number;
  readonly #data: Uint32Array;
  readonly rows: number;
  readonly count: number;

  constructor(form: number, rows: number, count: number, data: Uint32Array) {
    this.#form = form;
    this.rows = rows;
    this.count = count;
    this.#data = data;
  }

  /** Adds these rows to `out`. */
  addTo(out: Bitmap): void {
    const data = this.#data;
    if (this.#form === ROWS_ALL) out.fill();
    else if (this.#form === ROWS_WORDS) for (let i = 0; i < data.length; i++) out.words[i]! |= data[i]!;
    else if (this.#form === ROWS_LISTED) for (let i = 0; i < data.length; i++) out.set(data[i]!);
  }

  toBitmap(): Bitmap {
    const out = Bitmap.create(this.rows);
    this.addTo(out);
    return out;
  }
}
