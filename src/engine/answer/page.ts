/**
 * One page of documents in internal id order out of segments whose ids interleave:
 *
 *   segment A   0  1  .  3  .  7      ids by row; '.' = not selected (deleted, or kept out by a filter)
 *   segment B   .  2  4  5            offset 2, limit 3 -> ids 2 3 4
 *
 * The offset is found by halving ids across all segments at once, so a deep page costs about one count of the bits before
 * it, and the first page costs nothing. Knows rows, not documents.
 */

import { firstAtLeast } from "../../base/sorted/binary-search.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";

/** Rows of one segment that may be on the page. */
export interface PageSource {
  /** Internal ids by row, ascending. */
  docids: Uint32Array;
  selected: Bitmap;
  /** How many rows are selected. */
  count: number;
}

/** Parallel lists: the segment and row of each document of the page. */
export interface Page {
  segments: Uint32Array;
  rows: Uint32Array;
}

const NO_DOCID = 2 ** 32;

export function selectPage(sources: readonly PageSource[], offset: number, limit: number): Page {
  let total = 0;
  for (const source of sources) total += source.count;
  const length = Math.max(0, Math.min(limit, total - offset));
  const page: Page = { segments: new Uint32Array(length), rows: new Uint32Array(length) };
  if (length === 0) return page;

  const starts = offset === 0 ? new Uint32Array(sources.length) : seek(sources, offset);
  const rows = new Float64Array(sources.length);
  const heads = new Float64Array(sources.length);
  for (let i = 0; i < sources.length; i++) advance(sources, rows, heads, i, starts[i]!);
  for (let filled = 0; filled < length; filled++) {
    let least = 0;
    for (let i = 1; i < heads.length; i++) if (heads[i]! < heads[least]!) least = i;
    page.segments[filled] = least;
    page.rows[filled] = rows[least]!;
    advance(sources, rows, heads, least, rows[least]! + 1);
  }
  return page;
}

/** Moves a source to its next selected row from `from` on. */
function advance(
  sources: readonly PageSource[],
  rows: Float64Array,
  heads: Float64Array,
  which: number,
  from: number,
): void {
  const source = sources[which]!;
  const row = source.selected.next(from);
  rows[which] = row;
  heads[which] = row === -1 ? NO_DOCID : source.docids[row]!;
}

/** For each source the row from which on the page may take: exactly `offset` selected rows lie before these rows. */
function seek(sources: readonly PageSource[], offset: number): Uint32Array {
  const low = new Uint32Array(sources.length);
  const high = Uint32Array.from(sources, (source) => source.selected.rows);
  const upTo = new Uint32Array(sources.length);
  let skipped = 0;
  for (;;) {
    const widest = widestWindow(low, high);
    if (low[widest] === high[widest]) return low;
    const pivot = sources[widest]!.docids[(low[widest]! + high[widest]!) >>> 1]!;
    let counted = 0;
    for (let i = 0; i < sources.length; i++) {
      upTo[i] = firstAtLeast(sources[i]!.docids, pivot + 1, low[i]!, high[i]!);
      counted += countSelected(sources[i]!, low[i]!, upTo[i]!);
    }
    if (skipped + counted <= offset) {
      skipped += counted;
      low.set(upTo);
    } else {
      for (let i = 0; i < sources.length; i++) {
        high[i] = firstAtLeast(sources[i]!.docids, pivot, low[i]!, upTo[i]!);
      }
    }
  }
}

function widestWindow(low: Uint32Array, high: Uint32Array): number {
  let widest = 0;
  for (let i = 1; i < low.length; i++) {
    if (high[i]! - low[i]! > high[widest]! - low[widest]!) widest = i;
  }
  return widest;
}

function countSelected(source: PageSource, from: number, to: number): number {
  if (source.count === source.selected.rows) return to - from;
  const { words } = source.selected;
  let count = 0;
  for (let i = from >>> 5; i <= (to - 1) >>> 5 && from < to; i++) {
    let word = words[i]!;
    if (i === from >>> 5) word &= -1 << (from & 31);
    if (i === (to - 1) >>> 5) word &= -1 >>> (31 - ((to - 1) & 31));
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
