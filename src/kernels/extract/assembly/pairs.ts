/** Orders what was gathered: terms by their bytes, the occurrences of each by row, field and position. */
import { nextPiece, numbersOf } from "../../shared/assembly/log";
import { allocate } from "../../shared/assembly/region";
import { Entry } from "../../shared/assembly/table";
import { sortTerms } from "./order";
import { occurrenceCount, occurrences, terms } from "./words";

/** Addresses of the terms in byte order. */
export let sorted: usize = 0;
export let termCount: u32 = 0;
/** Row and (field << 16 | position) of each occurrence, term after term. */
export let pairs: usize = 0;
/** Occurrences of the most frequent term. */
export let occurrencesMax: u32 = 0;

/** From this many places on a row is sorted by a heap. */
const MANY_PLACES: u32 = 32;

/** `fieldIds`: the final number of each field, 16 bits each. */
export function orderOccurrences(fieldIds: usize): void {
  termCount = terms.count;
  sorted = allocate((<usize>termCount) << 2);
  terms.listTo(sorted);
  sortTerms(sorted, termCount);
  pairs = allocate((<usize>occurrenceCount) << 3);
  occurrencesMax = 0;
  let next = pairs;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    // Where its next occurrence goes.
    term.more = <u32>next;
    next += (<usize>term.value) << 3;
    occurrencesMax = max(occurrencesMax, term.value);
  }
  scatter(fieldIds);
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    if (term.value > 1) orderPlaces(<usize>term.more - ((<usize>term.value) << 3), term.more);
  }
}

export function termAt(i: u32): Entry {
  return changetype<Entry>(load<u32>(sorted + ((<usize>i) << 2)));
}

function scatter(fieldIds: usize): void {
  const log = occurrences;
  let row: u32 = 0;
  for (let piece = log.first; piece !== 0; piece = nextPiece(piece)) {
    const end = log.endOf(piece);
    for (let at = numbersOf(piece); at < end; at += 8) {
      const address = load<u32>(at);
      const place = load<u32>(at, 4);
      if (address === 0) {
        row = place;
        continue;
      }
      const term = changetype<Entry>(address);
      const to = <usize>term.more;
      term.more = <u32>(to + 8);
      const field = <u32>load<u16>(fieldIds + ((<usize>(place >> 16)) << 1));
      store<u32>(to, row);
      store<u32>(to, (field << 16) | (place & 0xffff), 4);
    }
  }
}

/** Fields come in the order of documents: puts the places of each row of one term in theirs. */
function orderPlaces(from: usize, to: usize): void {
  for (let at = from + 8; at < to; at += 8) {
    if (load<u32>(at) !== load<u32>(at - 8) || load<u32>(at, 4) >= load<u32>(at - 4)) continue;
    let start = at - 8;
    while (start > from && load<u32>(start - 8) === load<u32>(at)) start -= 8;
    let end = at + 8;
    while (end < to && load<u32>(end) === load<u32>(at)) end += 8;
    sortPlaces(start, <u32>((end - start) >> 3));
    at = end - 8;
  }
}

function sortPlaces(pairs: usize, count: u32): void {
  if (count > MANY_PLACES) {
    sortByHeap(pairs, count);
    return;
  }
  for (let i: u32 = 1; i < count; i++) {
    const held = placeAt(pairs, i);
    let to = i;
    for (; to > 0 && placeAt(pairs, to - 1) > held; to--) setPlace(pairs, to, placeAt(pairs, to - 1));
    setPlace(pairs, to, held);
  }
}

function placeAt(pairs: usize, i: u32): u32 {
  return load<u32>(pairs + ((<usize>i) << 3), 4);
}

function setPlace(pairs: usize, i: u32, place: u32): void {
  store<u32>(pairs + ((<usize>i) << 3), place, 4);
}

function sortByHeap(pairs: usize, count: u32): void {
  for (let i = count >> 1; i > 0; i--) sink(pairs, i - 1, count);
  for (let end = count - 1; end > 0; end--) {
    const greatest = placeAt(pairs, 0);
    setPlace(pairs, 0, placeAt(pairs, end));
    setPlace(pairs, end, greatest);
    sink(pairs, 0, end);
  }
}

function sink(pairs: usize, from: u32, count: u32): void {
  const held = placeAt(pairs, from);
  let at = from;
  for (;;) {
    let below: u32 = 2 * at + 1;
    if (below >= count) break;
    if (below + 1 < count && placeAt(pairs, below + 1) > placeAt(pairs, below)) below++;
    if (placeAt(pairs, below) <= held) break;
    setPlace(pairs, at, placeAt(pairs, below));
    at = below;
  }
  setPlace(pairs, at, held);
}
