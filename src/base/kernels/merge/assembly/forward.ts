/** The words of the rows that stay, under the numbers that terms and fields have then: see `storage/segment/forward/format.ts`. */
import { newOutput, Output } from "../../extract/assembly/output";
import { take } from "../../extract/assembly/term-writer";
import {
  NARROW_BYTES,
  NARROW_FIELD,
  NARROW_GAP_BITS,
  NARROW_LAST_CODE,
  NARROW_LAST_GAP,
  NARROW_POSITION,
  Narrow,
  VALUE_MASK,
  WIDE_BYTES,
  WIDE_FIELD,
  WIDE_GAP_BITS,
  WIDE_LAST_CODE,
  WIDE_POSITION,
  Wide,
} from "../../shared/assembly/forward";
import { Source } from "./layout";

const BUFFER_BYTES: usize = 1 << 20;
/** Each word may need a position told before it. */
const WORDS_PER_WORD: usize = 2;

let sourcesAt: usize = 0;
let output: Output = changetype<Output>(0);
let isNarrow: bool = false;
/** How the word under way was written; those of an output are asked for by `isNarrow`. */
let position: u32 = 0;
let untold: u32 = 0;

/** `narrow`: words take three bytes in the merged segment. `longest`: words of the row that has the most. */
export function openForward(sources: usize, narrow: bool, longest: u32): void {
  sourcesAt = sources;
  isNarrow = narrow;
  output = newOutput(BUFFER_BYTES + <usize>longest * WORDS_PER_WORD * WIDE_BYTES);
}

/** Words of the row of a segment that has the most. */
export function longestRow(starts: usize, rows: u32): u32 {
  let most: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) most = max(most, startOf(starts, row + 1) - startOf(starts, row));
  return most;
}

/**
 * Writes rows from `first` on until the output is full; returns the row to go on with. `inputs` and `rows` tell where each row
 * comes from, u16 and u32; `starts` gets the number of words before each, u32.
 */
export function mergeForward(inputs: usize, rows: usize, first: u32, count: u32, starts: usize): u32 {
  const bytes = isNarrow ? NARROW_BYTES : WIDE_BYTES;
  for (let i = first; i < count; i++) {
    const source = changetype<Source>(sourcesAt + <usize>load<u16>(inputs + ((<usize>i) << 1)) * offsetof<Source>());
    const row = load<u32>(rows + ((<usize>i) << 2));
    const from = startOf(source.forwardStarts, row);
    const to = startOf(source.forwardStarts, row + 1);
    if (output.room < <usize>(to - from) * WORDS_PER_WORD * WIDE_BYTES) return i;
    if (source.forwardBytes === NARROW_BYTES) renumber<Narrow>(source, from, to);
    else renumber<Wide>(source, from, to);
    store<u32>(starts + ((<usize>(i + 1)) << 2), output.length / bytes);
  }
  return count;
}

/** Writes what the output holds: it is empty from the next call on. */
export function takeForward(out: usize): void {
  take(output, out);
}

function startOf(starts: usize, row: u32): u32 {
  return load<u32>(starts + ((<usize>row) << 2));
}

function renumber<Form>(source: Source, from: u32, to: u32): void {
  const form = changetype<Form>(<usize>0);
  /** Where the last word stood, and how far that is behind what was told of it. */
  position = 0;
  untold = 0;
  for (let i = from; i < to; i++) {
    const word = form.one(source.forwardWords + <usize>i * form.bytes);
    if (word >= form.position) {
      untold += (word & VALUE_MASK) - position;
      position = word & VALUE_MASK;
    } else if (word >= form.field) {
      const field = <u32>load<u16>(source.finalFields + ((<usize>(word & VALUE_MASK)) << 1));
      write((isNarrow ? NARROW_FIELD : WIDE_FIELD) | field);
      position = 0;
      untold = 0;
    } else {
      const ordinal = load<u32>(source.ordinals + ((<usize>(word >> form.gapBits)) << 2));
      writeTerm(ordinal, form.gap(word));
    }
  }
}

function writeTerm(ordinal: u32, gap: u32): void {
  const told = untold + gap;
  const lastCode = isNarrow ? NARROW_LAST_CODE : WIDE_LAST_CODE;
  const lastGap = isNarrow ? NARROW_LAST_GAP : WIDE_LAST_CODE;
  position += gap;
  untold = 0;
  let code = told;
  if (told >= lastCode) {
    code = told === lastGap ? lastCode : 0;
    if (code === 0) write((isNarrow ? NARROW_POSITION : WIDE_POSITION) | position);
  }
  write((ordinal << (isNarrow ? NARROW_GAP_BITS : WIDE_GAP_BITS)) | code);
}

function write(word: u32): void {
  // A byte more than a narrow word is written, and overwritten by the next.
  store<u32>(output.at, word);
  output.at += isNarrow ? NARROW_BYTES : WIDE_BYTES;
}
