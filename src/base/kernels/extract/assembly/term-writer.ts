/** Writes vocabulary and postings, term after term in byte order, as `storage/segment/terms/format.ts` describes. */
import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { closeCommonPrefixes, noteTerm, openCommonPrefixes } from "./common-prefixes";
import { Taken } from "./layout";
import { newOutput, Output } from "./output";
import { openPostings, writeTerm } from "./postings";
import { notePrefixes, openPrefixes } from "./prefixes";
import { fields } from "./sets";

const TERMS_PER_BLOCK: u32 = 16;
const NIBBLE_FULL: u32 = 15;
/** No term takes more in the text, its lengths included. */
const TEXT_BYTES_MAX: usize = 300;
/** Nor in any other output: at most this for each occurrence, and this besides. */
const OCCURRENCE_BYTES_MAX: usize = 16;
const TERM_BYTES_MAX: usize = 64;
const BUFFER_BYTES: usize = 1 << 17;

let text: Output = changetype<Output>(0);
let entries: Output = changetype<Output>(0);
let postings: Output = changetype<Output>(0);
let positions: Output = changetype<Output>(0);
/** Where each block of terms begins in the four outputs, and where they end. */
let blocks: Log = changetype<Log>(0);
/** The term written last. */
let previous: usize = 0;
let previousLength: u32 = 0;
/** Terms written. */
export let written: u32 = 0;

/** `rows` of the segment; no term has more than `most` occurrences. */
export function openTermWriter(rows: u32, most: u32): void {
  const largest = <usize>most * OCCURRENCE_BYTES_MAX + TERM_BYTES_MAX;
  openPostings(rows, most);
  text = newOutput(BUFFER_BYTES);
  entries = newOutput(BUFFER_BYTES + largest);
  postings = newOutput(BUFFER_BYTES + largest);
  positions = newOutput(BUFFER_BYTES + largest);
  blocks = changetype<Log>(allocateZeros(offsetof<Log>()));
  previous = allocate(TEXT_BYTES_MAX);
  previousLength = 0;
  written = 0;
  openPrefixes();
  openCommonPrefixes(rows, fields);
}

/** Whether a term with so many occurrences fits before the host has to empty the outputs. */
export function hasRoomFor(occurrences: u32): bool {
  const needed = <usize>occurrences * OCCURRENCE_BYTES_MAX + TERM_BYTES_MAX;
  return text.room >= TEXT_BYTES_MAX && min(entries.room, min(postings.room, positions.room)) >= needed;
}

/** A term, greater than the one before, and its occurrences in `[from, to)`. */
export function addTerm(bytes: usize, length: u32, from: usize, to: usize): void {
  const shared = sharedWithPrevious(bytes, length);
  noteTerm(written, bytes, length, shared, from, to);
  writeText(bytes, length, shared);
  writeTerm(from, to, entries, postings, positions);
  written++;
}

/** No more terms come. */
export function closeTermWriter(): void {
  closeCommonPrefixes(written);
  markBlock();
}

/** How many of its first bytes are those of the term written last. */
function sharedWithPrevious(bytes: usize, length: u32): u32 {
  let shared: u32 = 0;
  const limit = min(length, previousLength);
  while (shared < limit && load<u8>(previous + shared) === load<u8>(bytes + shared)) shared++;
  return shared;
}

function writeText(bytes: usize, length: u32, sharedBytes: u32): void {
  let shared = sharedBytes;
  notePrefixes(bytes, length, shared);
  if (written % TERMS_PER_BLOCK === 0) {
    markBlock();
    text.number(length);
    shared = 0;
  } else {
    const suffix = length - shared - 1;
    text.byte((min(shared, NIBBLE_FULL) << 4) | min(suffix, NIBBLE_FULL));
    if (shared >= NIBBLE_FULL) text.number(shared - NIBBLE_FULL);
    if (suffix >= NIBBLE_FULL) text.number(suffix - NIBBLE_FULL);
  }
  text.bytes(bytes + shared, length - shared);
  for (let i = shared; i < length; i++) store<u8>(previous + i, load<u8>(bytes + i));
  previousLength = length;
}

function markBlock(): void {
  blocks.push(text.length);
  blocks.push(entries.length);
  blocks.push(postings.length);
  blocks.push(positions.length);
}

/** Writes what each of the four outputs holds: they are empty from the next call on. */
export function takeOutputs(out: usize): void {
  take(text, out);
  take(entries, out + offsetof<Taken>());
  take(postings, out + 2 * offsetof<Taken>());
  take(positions, out + 3 * offsetof<Taken>());
}

export function take(output: Output, out: usize): void {
  const taken = changetype<Taken>(out);
  taken.start = output.start;
  taken.length = <u32>(output.at - output.start);
  output.empty();
}

/** How many numbers say where blocks begin; with `out`, they are written there. */
export function blockOffsets(out: usize): u32 {
  if (out !== 0) blocks.copyTo(out);
  return blocks.length;
}

export function countTerms(): u32 {
  return written;
}
