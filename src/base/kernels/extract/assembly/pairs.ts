/** Orders what was gathered: terms by their bytes, the occurrences of each by row, field and position. */
import { nextPiece, numbersOf, Pair } from "../../shared/assembly/log";
import { allocate } from "../../shared/assembly/region";
import { Entry } from "../../shared/assembly/table";
import { addToRow, beginRow, closeForward, openForward } from "./forward";
import { sortKeys } from "./keys";
import { OCCURRENCE_BYTES, Occurrence, placeOf, rowOf } from "./occurrence";
import { sortTerms } from "./order";
import { occurrenceCount, occurrences, terms } from "./words";

/** Addresses of the terms in byte order. */
let sorted: usize = 0;
export let termCount: u32 = 0;
/** An `Occurrence` after the other, term after term. */
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
      const pair = changetype<Pair>(at);
      const address = pair.first;
      const place = pair.second;
      if (address === 0) {
        row = place;
        beginRow(row);
        continue;
      }
      const term = changetype<Entry>(address);
      const occurrence = changetype<Occurrence>(term.more);
      term.more += <u32>OCCURRENCE_BYTES;
      const field = <u32>load<u16>(fieldIds + ((<usize>(place >> 16)) << 1));
      const there = (field << 16) | (place & 0xffff);
      occurrence.row = row;
      occurrence.place = there;
      addToRow(term.hash, there);
    }
  }
}

/** Fields come in the order of documents: puts the places of each row of one term in theirs. */
function orderPlaces(from: usize, to: usize): void {
  for (let at = from + OCCURRENCE_BYTES; at < to; at += OCCURRENCE_BYTES) {
    let start = at - OCCURRENCE_BYTES;
    if (rowOf(at) !== rowOf(start) || placeOf(at) >= placeOf(start)) continue;
    while (start > from && rowOf(start - OCCURRENCE_BYTES) === rowOf(at)) start -= OCCURRENCE_BYTES;
    let end = at + OCCURRENCE_BYTES;
    while (end < to && rowOf(end) === rowOf(at)) end += OCCURRENCE_BYTES;
    // As one number, a pair of the same row is ordered by its place.
    sortKeys(start, <u32>((end - start) >> 3));
    at = end - OCCURRENCE_BYTES;
  }
}
