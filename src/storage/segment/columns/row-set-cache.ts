/**
 * Which rows of a segment have certain values: kept because the filters of many customers, or of many pages, name the same
 * few values again and again. Those that came once are not kept. Bounded in bytes and in number; what was not asked for longest
 * goes first.
 */
import { Doorkeeper } from "../../memory/doorkeeper.ts";
import type { Bitmap } from "../bitmap.ts";

/** Of one segment in one thread. */
const BYTES_MAX = 4 * 1024 * 1024;
const SETS_MAX = 256;

export class RowSetCache {
  /** Most recently used last. */
  readonly #sets = new Map<string, Bitmap>();
  readonly #doorkeeper = new Doorkeeper();

  /** The rows by that name, found by `find` unless they are known. Not to be changed. */
  of(name: string, find: () => Bitmap): Bitmap {
    const sets = this.#sets;
    const known = sets.get(name);
    if (known === undefined && !this.#doorkeeper.knows(name)) return find();
    const rows = known ?? find();
    sets.delete(name);
    sets.set(name, rows);
    // All sets of a segment are of one size.
    const most = Math.min(SETS_MAX, Math.floor(BYTES_MAX / Math.max(1, rows.words.byteLength)));
    if (sets.size > most) sets.delete(sets.keys().next().value as string);
    return rows;
  }
}
