/** Orders what was gathered: terms by their bytes, the occurrences of each by row, field and position. */
import { nextPiece, numbersOf } from "../../shared/assembly/log";
import { allocate } from "../../shared/assembly/region";
import { Entry } from "../../shared/assembly/table";
import { addToRow, beginRow, closeForward, openForward } from "./forward";
import { sortKeys } from "./keys";
import { sortTerms } from "./order";
import { occurrenceCount, occurrences, terms } from "./words";

/** Addresses of the terms in byte order. */
export let sorted: usize = 0;
export let termCount: u32 = 0;
/** Row and (field << 16 | position) of each occurrence, term after term. */
export let pairs: usize = 0;
/** Occurrences of the most frequent term. */
export let occurrencesMax: u32 = 0;

/** `fieldIds`: the final number of each field, 16 bits each. */
export function orderOccurrences(rows: u32, fieldIds: usize): void {
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
    // Nobody looks for it any more.
    term.hash = i;
    next += (<usize>term.value) << 3;
    occurrencesMax = max(occurrencesMax, term.value);
  }
  openForward(termCount);
  scatter(fieldIds);
  closeForward(rows);
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
        beginRow(row);
        continue;
      }
      const term = changetype<Entry>(address);
      const to = <usize>term.more;
      term.more = <u32>(to + 8);
      const field = <u32>load<u16>(fieldIds + ((<usize>(place >> 16)) << 1));
      const there = (field << 16) | (place & 0xffff);
      store<u32>(to, row);
      store<u32>(to, there, 4);
      addToRow(term.hash, there);
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
    // As one number, a pair of the same row is ordered by its place.
    sortKeys(start, <u32>((end - start) >> 3));
    at = end - 8;
  }
}
