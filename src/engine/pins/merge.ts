/**
 * Pinned documents among those that a search found by itself:
 *
 *   found   a b c          pins   x at 1, y at 9      ->   a x b c y
 *
 * A pin whose place is never reached follows the last document. Finding documents is left to others.
 */
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { Distinct } from "../rank/distinct.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";
import type { Pin } from "./pin.ts";

/** Documents pinned in one search. */
const PINS_MAX = 100;

export interface PinnedHit<Hit extends RankedHit = RankedHit> {
  position: number;
  hit: Hit;
}

/** What is needed of an index; `IndexView` has it. */
type PinnedView = Pick<IndexView, "segments">;

/**
 * The pins whose documents pass the filter, by position; of pins for one place the more important one goes first. With
 * `distinct`, the field of which no value is shown twice, that holds for pins too.
 */
export function pinnedHits(
  view: PinnedView,
  universe: readonly Bitmap[],
  pins: readonly Pin[],
  distinct: string | null,
): PinnedHit[] {
  const shown = distinct === null ? null : distinctValues(view, distinct);
  return acceptedPins(
    pins,
    ({ id, position }) => find(view, universe, id, position),
    ({ row, segment }) => {
      if (shown?.has(segment, row)) return false;
      shown?.add(segment, row);
      return true;
    },
  );
}

/** `accept` decides about documents that are found, one after the other. */
export function acceptedPins<Hit extends RankedHit>(
  pins: readonly Pin[],
  find: (pin: Pin) => Hit | null,
  accept: (hit: Hit) => boolean,
): PinnedHit<Hit>[] {
  const found: PinnedHit<Hit>[] = [];
  for (const pin of pins) {
    const hit = find(pin);
    if (hit === null || !accept(hit)) continue;
    if (found.push({ position: pin.position, hit }) === PINS_MAX) break;
  }
  return found.sort((a, b) => a.position - b.position);
}

/** What is left to be found: everything but the pinned documents and, with `distinct`, those that share their values. */
export function withoutPinned(
  view: PinnedView,
  universe: readonly Bitmap[],
  pinned: readonly PinnedHit[],
  distinct: string | null,
): Bitmap[] {
  const left = universe.map((rows) => rows.copy());
  for (const { hit } of pinned) left[hit.segment]!.clear(hit.row);
  if (distinct === null) return left;
  const shown = distinctValues(view, distinct);
  for (const { hit } of pinned) shown.add(hit.segment, hit.row);
  for (const [segment, rows] of shown.rows(left).entries()) left[segment]!.andNotWith(rows);
  return left;
}

/** Lazily, so that only what a page needs is taken of `found`. */
export function* withPins<Hit>(found: Iterable<Hit>, pins: readonly { position: number; hit: Hit }[]): Generator<Hit> {
  const source = found[Symbol.iterator]();
  let next = 0;
  for (let place = 0; ; place++) {
    const pin = pins[next];
    if (pin === undefined || pin.position > place) {
      const { done, value } = source.next();
      if (done !== true) {
        yield value;
        continue;
      }
      if (pin === undefined) return;
    }
    yield pins[next++]!.hit;
  }
}

/** The result of the search for what is left, with the pinned documents in their places. `end`: of the page. */
export function pinnedResult(
  result: RankResult,
  pinned: readonly PinnedHit[],
  end: number,
  maxTotalHits: number,
): RankResult {
  if (pinned.length === 0) return result;
  return {
    ...result,
    hits: placedHits(result.hits, pinned, Math.min(end, maxTotalHits)),
    candidates: withRows(result.candidates, pinned),
    total: Math.min(result.total + pinned.length, maxTotalHits),
  };
}

/** The first of the documents that were found, with the pinned ones in their places. */
export function placedHits<Hit extends RankedHit>(
  found: readonly Hit[],
  pinned: readonly PinnedHit<Hit>[],
  hitsMax: number,
): Hit[] {
  const hits: Hit[] = [];
  for (const hit of withPins(found, pinned)) {
    if (hits.length >= hitsMax) break;
    hits.push(hit);
  }
  return hits;
}

/** The sets with the pinned documents in them too. */
function withRows(sets: readonly Bitmap[], pinned: readonly PinnedHit[]): Bitmap[] {
  const all = sets.map((rows) => rows.copy());
  for (const { hit } of pinned) all[hit.segment]!.set(hit.row);
  return all;
}

function find(view: PinnedView, universe: readonly Bitmap[], id: string, position: number): RankedHit | null {
  for (const [segment, { reader }] of view.segments.entries()) {
    const row = reader.findRow(id);
    if (row === -1 || !universe[segment]!.has(row)) continue;
    return { segment, row, docid: reader.docids[row]!, details: [{ kind: "pin", position }] };
  }
  return null;
}

function distinctValues({ segments }: PinnedView, field: string): Distinct {
  return new Distinct(segments.map(({ reader }) => reader.columns.column(field)));
}
