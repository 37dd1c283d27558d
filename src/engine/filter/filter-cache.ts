/**
 * The rows that recent filters selected in one state of an index: users of one customer all send the same filter, each
 * with another query. Those that came once are not kept. Bounded in number and in bytes; does not read filters.
 */
import { Doorkeeper } from "../../storage/memory/doorkeeper.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Equality } from "./equalities.ts";

const FILTERS_MAX = 256;
const BYTES_MAX = 4 * 1024 * 1024;
/** Longer ones hardly come back, and their text costs, too. */
const TEXT_MAX = 4096;

/** Not to be changed: it may be kept for others. */
export interface Selection {
  /** By segment. */
  readonly rows: Bitmap[];
  /** Of all these rows. */
  readonly equalities: readonly Equality[];
}

export class FilterCache {
  static readonly #ofStates = new WeakMap<object, FilterCache>();
  /** Of sets that are kept, so that others can keep what they make of them. */
  static readonly #names = new WeakMap<readonly Bitmap[], string>();
  static #named = 0;
  /** Most recently used last. */
  readonly #found = new Map<string, Selection>();
  readonly #doorkeeper = new Doorkeeper();

  static of(state: object): FilterCache {
    let kept = FilterCache.#ofStates.get(state);
    if (kept === undefined) {
      kept = new FilterCache();
      FilterCache.#ofStates.set(state, kept);
    }
    return kept;
  }

  /** A name that no other sets have; null for those that will not be found again. */
  static nameOf(rows: readonly Bitmap[]): string | null {
    return FilterCache.#names.get(rows) ?? null;
  }

  find(text: string): Selection | null {
    const known = this.#found.get(text);
    if (known === undefined) return null;
    this.#found.delete(text);
    this.#found.set(text, known);
    return known;
  }

  keep(text: string, selection: Selection): void {
    const { rows } = selection;
    // All sets of rows of one state are of one size.
    const bytes = rows.reduce((sum, { words }) => sum + words.byteLength, text.length);
    if (text.length > TEXT_MAX || bytes > BYTES_MAX || !this.#doorkeeper.knows(text)) return;
    const found = this.#found;
    found.set(text, selection);
    FilterCache.#names.set(rows, `universe ${FilterCache.#named++}`);
    const most = Math.min(FILTERS_MAX, Math.floor(BYTES_MAX / bytes));
    if (found.size > most) found.delete(found.keys().next().value as string);
  }
}
