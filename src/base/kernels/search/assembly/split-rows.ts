/**
 * Rows that hold a word cut in two, remembered from search to search where they are few and took long to find: of a frequent word the
 * halves are frequent as well, and hardly ever stand side by side.
 */
import { timeIsUp } from "./clock";
import { findBytes, keepBytes } from "./findings";
import { index, segmentAt, segmentCount } from "./index-of";
import { addList } from "./lines";
import { stack } from "./room";

/** Beyond all other tags. */
const ROWS_TAG: u32 = 0x4000;
const ROWS_MAX: u32 = 1024;
/** Rows of the rarer halves that are worth it. */
const MET_MIN: u32 = 1024;

/** By segment the number of rows, then the rows, on the stack. */
let notes: usize = 0;
let notesEnd: usize = 0;
let rowCount: u32 = 0;
let metCount: u32 = 0;

/** Adds what is remembered of a word that is cut after so many bytes to a set; false when nothing is. */
export function addRemembered(text: usize, length: u32, cut: u32, set: usize): bool {
  if (index.isRestricted !== 0) return false;
  let at = findBytes(text, length, ROWS_TAG | cut);
  if (at === 0) return false;
  for (let i: u32 = 0; i < segmentCount; i++) {
    const count = load<u32>(at);
    addList(segmentAt(i), at + 4, count, set);
    at += ((<usize>count) << 2) + 4;
  }
  return true;
}

export function openNotes(): void {
  notes = stack((<usize>segmentCount + ROWS_MAX) << 2);
  notesEnd = notes;
  rowCount = 0;
  metCount = 0;
}

/** The rows of the next segment, and in how many the rarer half was met. */
export function noteRows(list: usize, count: u32, met: u32): void {
  rowCount += count;
  metCount += met;
  if (rowCount > ROWS_MAX) return;
  store<u32>(notesEnd, count);
  memory.copy(notesEnd + 4, list, (<usize>count) << 2);
  notesEnd += ((<usize>count) << 2) + 4;
}

/** Once those of all segments are noted. */
export function keepNotes(text: usize, length: u32, cut: u32): void {
  if (index.isRestricted !== 0 || timeIsUp || rowCount > ROWS_MAX || metCount < MET_MIN) return;
  const bytes = <u32>(notesEnd - notes);
  const at = keepBytes(text, length, ROWS_TAG | cut, bytes);
  if (at !== 0) memory.copy(at, notes, bytes);
}
