/**
 * Gathers the places of many terms by rank of their rows. Terms come one after the other, each with rows from all over
 * the segment: places are first put in piles, one for some thousand neighbouring rows, then sorted pile by pile, so that
 * all of the work stays near the processor.
 */
import { countsToStarts, NO_END, NO_ROOM } from "./gather";
import { countPlaces, readPlaces } from "./places";
import { sort } from "./sorting";
import { open, REF_BYTES } from "./term";
import { visitAll } from "./visit";

/** Rows of a pile. */
const PILE_SHIFT: u32 = 13;
const PILE_ROWS: u32 = 1 << PILE_SHIFT;
/** A place with its row, counted from the first of its pile. */
@unmanaged
class RowPlace {
  place: u32;
  row: u32;
}

const PAIR_SHIFT: usize = 3;

let pilesAt: usize = 0;
let pairsAt: usize = 0;

/**
 * `room`: words from `places` on, which are also what it works with; NO_ROOM when they are too few, otherwise the number
 * of places.
 */
export function gatherAll(refs: usize, count: u32, rows: u32, starts: usize, places: usize, room: u32): u32 {
  const piles = (rows + PILE_ROWS - 1) >> PILE_SHIFT;
  const fixed = piles + PILE_ROWS + 3;
  if (room < fixed) return NO_ROOM;
  // From the end: piles, counts of the rows of a pile, pairs.
  pilesAt = places + ((<usize>(room - piles - 1)) << 2);
  const countsAt = pilesAt - ((<usize>PILE_ROWS) << 2);
  memory.fill(countsAt, 0, (<usize>(PILE_ROWS + piles)) << 2);
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    visitAll<Measuring>();
  }
  const sum = countsToStarts(pilesAt, piles);
  if (sum > (room - fixed) / 3) return NO_ROOM;
  pairsAt = (countsAt - ((<usize>sum) << PAIR_SHIFT)) & ~7;
  for (let i: u32 = 0; i < count; i++) {
    open(refs + <usize>i * REF_BYTES);
    visitAll<Piling>();
  }
  let rank: u32 = 0;
  let from: u32 = 0;
  for (let pile: u32 = 0; pile < piles; pile++) {
    const to = load<u32>(pilesAt + ((<usize>pile) << 2));
    rank = sortPile(from, to, countsAt, starts, places, rank);
    from = to;
  }
  store<u32>(starts + ((<usize>rank) << 2), sum);
  return sum;
}

/** First round: piles[i] becomes the number of places. */
class Measuring {
  @inline
  visit(row: u32, index: u32): void {
    const at = pilesAt + ((<usize>(row >> PILE_SHIFT)) << 2);
    store<u32>(at, load<u32>(at) + countPlaces(index));
  }
}

/** Second round: piles[i] is where the next pair of the pile goes. */
class Piling {
  @inline
  visit(row: u32, index: u32): void {
    const at = pilesAt + ((<usize>(row >> PILE_SHIFT)) << 2);
    const next = load<u32>(at);
    // Places are written where their pairs belong, and spread from the last one on.
    const pairs = pairsAt + ((<usize>next) << PAIR_SHIFT);
    const count = readPlaces(index, pairs, NO_END);
    const inPile = (<u64>(row & (PILE_ROWS - 1))) << 32;
    for (let i = count; i > 0; i--) {
      const place = <u64>load<u32>(pairs + ((<usize>(i - 1)) << 2));
      store<u64>(pairs + ((<usize>(i - 1)) << PAIR_SHIFT), inPile | place);
    }
    store<u32>(at, next + count);
  }
}

/** The pairs `[from, to)` are those of a pile, and their places go to the same numbers; returns the next rank. */
function sortPile(from: u32, to: u32, counts: usize, starts: usize, places: usize, firstRank: u32): u32 {
  if (from === to) return firstRank;
  for (let i = from; i < to; i++) {
    const at = counts + ((<usize>pairAt(i).row) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let rank = firstRank;
  let next = from;
  for (let row: u32 = 0; row < PILE_ROWS; row++) {
    const at = counts + ((<usize>row) << 2);
    const count = load<u32>(at);
    if (count === 0) continue;
    store<u32>(starts + ((<usize>rank) << 2), next);
    store<u32>(at, next);
    rank++;
    next += count;
  }
  for (let i = from; i < to; i++) {
    const pair = pairAt(i);
    const at = counts + ((<usize>pair.row) << 2);
    const place = load<u32>(at);
    store<u32>(places + ((<usize>place) << 2), pair.place);
    store<u32>(at, place + 1);
  }
  memory.fill(counts, 0, (<usize>PILE_ROWS) << 2);
  for (let i = firstRank; i < rank; i++) {
    const start = load<u32>(starts + ((<usize>i) << 2));
    const end = i + 1 < rank ? load<u32>(starts + ((<usize>(i + 1)) << 2)) : to;
    if (end - start > 1) sort(places + ((<usize>start) << 2), end - start);
  }
  return rank;
}

function pairAt(i: u32): RowPlace {
  return changetype<RowPlace>(pairsAt + ((<usize>i) << PAIR_SHIFT));
}
