/** The terms of several segments as those of one: in byte order, each with the occurrences that stay, under their new rows and fields. */

import { sortManyKeys } from "../../extract/assembly/keys";
import { OCCURRENCE_BYTES, Occurrence, rowOf } from "../../extract/assembly/occurrence";
import { addTerm, closeTermWriter, hasRoomFor, openTermWriter, written } from "../../extract/assembly/term-writer";
import { record } from "../../keyword/assembly/places";
import { open, useSets } from "../../keyword/assembly/term";
import { visitAll } from "../../keyword/assembly/visit";
import { allocate, freeFrom, mark } from "../../shared/assembly/region";
import { Source } from "./layout";
import { advance, openTournament, sharedBefore, walkAt, winner } from "./tournament";
import { mostPositionBytes, openWalk, readRef, Walk } from "./walk";

const TERM_BYTES_MAX: usize = 256;
const HALF: u64 = 32;

/** The term under way, and its occurrences so far. */
let term: usize = 0;
let termLength: u32 = 0;
let occurrences: usize = 0;
let end: usize = 0;
/** It was gathered, but there was no room to write it. */
let isPending: bool = false;
/** Of the segment that is read. */
let rowMap: usize = 0;
let fieldMap: usize = 0;

/** `rows` of the merged segment. */
export function openTerms(sources: usize, count: u32, rows: u32): void {
  const walks = allocate(<usize>count * offsetof<Walk>());
  let most: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const walk = changetype<Walk>(walks + <usize>i * offsetof<Walk>());
    openWalk(walk, changetype<Source>(sources + <usize>i * offsetof<Source>()));
    most += mostPositionBytes(walk);
  }
  openTournament(walks, count);
  openTermWriter(rows, most);
  term = allocate(TERM_BYTES_MAX);
  // A record is written before it is known whether its row stays.
  occurrences = allocate(<usize>(most + 1) * OCCURRENCE_BYTES);
  isPending = false;
}

/** Writes terms until an output is full; false when there are no more. */
export function mergeTerms(): bool {
  while (isPending || winner >= 0) {
    if (!isPending) gatherTerm();
    isPending = end > occurrences;
    if (!isPending) continue;
    if (!hasRoomFor(<u32>((end - occurrences) / OCCURRENCE_BYTES))) return true;
    addTerm(term, termLength, occurrences, end);
    isPending = false;
  }
  closeTermWriter();
  return false;
}

/** The least term and its occurrences in all segments that have it. */
function gatherTerm(): void {
  const least = walkAt(<u32>winner);
  termLength = least.length;
  for (let i = sharedBefore(); i < termLength; i++) store<u8>(term + i, load<u8>(least.bytes + i));
  end = occurrences;
  let isOrdered = true;
  do {
    const before = end;
    gatherFrom(walkAt(<u32>winner));
    if (before > occurrences && end > before && rowOf(before) < rowOf(before - OCCURRENCE_BYTES)) isOrdered = false;
    advance();
  } while (winner >= 0 && sharedBefore() === termLength && walkAt(<u32>winner).length === termLength);
  if (!isOrdered) sortByRow();
}

function gatherFrom(walk: Walk): void {
  const source = walk.source;
  store<u32>(source.ordinals + ((<usize>walk.ordinal) << 2), written);
  readRef(walk);
  rowMap = source.rowMap;
  fieldMap = source.fieldMap;
  useSets(source.setOffsets, source.setFields);
  open(changetype<usize>(walk.ref));
  visitAll<Gathering>();
}

class Gathering {
  @inline
  visit(row: u32, index: u32): void {
    const to = load<i32>(rowMap + ((<usize>row) << 2));
    if (to >= 0) end = record.read<Taking>(index, end, <usize>to);
  }
}

class Taking {
  @inline
  take(to: usize, field: usize, position: u32, row: usize): usize {
    const occurrence = changetype<Occurrence>(to);
    occurrence.row = <u32>row;
    occurrence.place = ((<u32>load<u16>(fieldMap + ((<usize>load<u16>(field)) << 1))) << 16) | position;
    return to + OCCURRENCE_BYTES;
  }
}

/** Rows of several segments interleave. As one number, an occurrence with its halves swapped is ordered by row, then place. */
function sortByRow(): void {
  const before = mark();
  swapHalves();
  sortManyKeys(occurrences, <u32>((end - occurrences) / OCCURRENCE_BYTES));
  swapHalves();
  freeFrom(before);
}

function swapHalves(): void {
  for (let at = occurrences; at < end; at += OCCURRENCE_BYTES) store<u64>(at, rotl<u64>(load<u64>(at), HALF));
}
