/** Writes vocabulary and postings, term after term in byte order, as `storage/segment/terms/format.ts` describes. */
import { Log } from "../../shared/assembly/log";
import { allocateZeros } from "../../shared/assembly/region";
import { Taken } from "./layout";
import { newOutput, Output } from "./output";
import { occurrencesMax, pairs, termAt, termCount } from "./pairs";
import { openPostings, writeTerm } from "./postings";

const TERMS_PER_BLOCK: u32 = 16;
const NIBBLE_FULL: u32 = 15;
/** No term takes more in the text, its lengths included. */
const TEXT_BYTES_MAX: usize = 300;
/** Nor in any other output: so much for each occurrence, and so much besides. */
const OCCURRENCE_BYTES_MAX: usize = 16;
const TERM_BYTES_MAX: usize = 64;
const BUFFER_BYTES: usize = 1 << 17;

let text: Output = changetype<Output>(0);
let entries: Output = changetype<Output>(0);
let postings: Output = changetype<Output>(0);
let positions: Output = changetype<Output>(0);
/** Where each block of terms begins in the four outputs, and where they end. */
let blocks: Log = changetype<Log>(0);
let done: u32 = 0;
let nextPair: usize = 0;

export function openEncoder(rows: u32): void {
  const largest = <usize>occurrencesMax * OCCURRENCE_BYTES_MAX + TERM_BYTES_MAX;
  openPostings(rows, occurrencesMax);
  text = newOutput(BUFFER_BYTES);
  entries = newOutput(BUFFER_BYTES + largest);
  postings = newOutput(BUFFER_BYTES + largest);
  positions = newOutput(BUFFER_BYTES + largest);
  blocks = changetype<Log>(allocateZeros(offsetof<Log>()));
  done = 0;
  nextPair = pairs;
}

/** Writes terms until an output is full; false when there are no more. */
export function encodeTerms(): bool {
  while (done < termCount) {
    const term = termAt(done);
    const needed = <usize>term.value * OCCURRENCE_BYTES_MAX + TERM_BYTES_MAX;
    if (text.room < TEXT_BYTES_MAX || min(entries.room, min(postings.room, positions.room)) < needed) return true;
    writeText();
    const end = nextPair + ((<usize>term.value) << 3);
    writeTerm(nextPair, end, entries, postings, positions);
    nextPair = end;
    done++;
  }
  markBlock();
  return false;
}

function writeText(): void {
  const term = termAt(done);
  const length = term.length;
  if (done % TERMS_PER_BLOCK === 0) {
    markBlock();
    text.number(length);
    text.bytes(term.bytes, length);
    return;
  }
  const previous = termAt(done - 1);
  const limit = min(length, previous.length);
  let shared: u32 = 0;
  while (shared < limit && load<u8>(previous.bytes + shared) === load<u8>(term.bytes + shared)) shared++;
  const suffix = length - shared - 1;
  text.byte((min(shared, NIBBLE_FULL) << 4) | min(suffix, NIBBLE_FULL));
  if (shared >= NIBBLE_FULL) text.number(shared - NIBBLE_FULL);
  if (suffix >= NIBBLE_FULL) text.number(suffix - NIBBLE_FULL);
  text.bytes(term.bytes + shared, length - shared);
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

function take(output: Output, out: usize): void {
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
  return termCount;
}
