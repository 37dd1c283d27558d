/** The vocabulary being gathered, and every occurrence of its words in order of rows. */

import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Entry, Table } from "../../shared/assembly/table";
import { Field, numberField, POSITIONS } from "./fields";

const FIRST_SLOTS: u32 = 1024;

/** An entry's value is its number of occurrences. */
export let terms: Table = changetype<Table>(0);
/** Address of the term, then (field << 16 | position); an address of 0 comes before the occurrences of a row, with its number. */
export let occurrences: Log = changetype<Log>(0);
export let occurrenceCount: u32 = 0;
/** Of the value whose words are read by the host. */
let field: Field = changetype<Field>(0);
let position: u32 = 0;

export function openWords(): void {
  terms = changetype<Table>(allocate(offsetof<Table>()));
  terms.prepare(FIRST_SLOTS);
  occurrences = changetype<Log>(allocateZeros(offsetof<Log>()));
  occurrenceCount = 0;
}

export function beginRow(row: u32): void {
  occurrences.pushPair(0, row);
}

/** A word of a field at a position below the last one. */
export function addOccurrence(term: Entry, field: Field, position: u32): void {
  field.position = position;
  field.wordCount++;
  if (field.id > 0xffff) numberField(field);
  term.value++;
  occurrenceCount++;
  occurrences.pushPair(<u32>changetype<usize>(term), (field.id << 16) | position);
}

/** The host reads the words of a value that begins where the field stands. */
export function openValue(owner: Field): void {
  field = owner;
  position = owner.position;
}

/** The same from a position in the middle of it. */
export function resumeValue(owner: Field, from: u32): void {
  field = owner;
  position = from;
}

/** How far the host has come in it. */
export function positionReached(): u32 {
  return position;
}

/** The next word of that value, `gap` behind the one before. */
export function placeWord(bytes: usize, length: u32, gap: u32): void {
  position += gap;
  if (position < POSITIONS) addOccurrence(terms.entry(bytes, length), field, position);
}

/** A word of that value that is not indexed. */
export function passWord(gap: u32): void {
  position += gap;
}
