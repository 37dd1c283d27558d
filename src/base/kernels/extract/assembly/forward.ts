/** The words of each row in the order in which they stand, as `storage/segment/forward/format.ts` describes. */
import {
  NARROW_FIELD,
  NARROW_GAP_BITS,
  NARROW_LAST_CODE,
  NARROW_LAST_GAP,
  NARROW_ORDINALS_MAX,
  NARROW_POSITION,
  WIDE_FIELD,
  WIDE_GAP_BITS,
  WIDE_LAST_CODE,
  WIDE_ORDINALS_MAX,
  WIDE_POSITION,
} from "../../shared/assembly/forward";
import { Log, nextPiece, numbersOf } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { RUNS_BYTES, sortRuns } from "./keys";

const KEYS_FIRST: u32 = 1024;

let isWanted: bool = false;
/** How words are written. */
let gapBits: u32 = 0;
let lastCode: u32 = 0;
let lastGap: u32 = 0;
let fieldBits: u32 = 0;
let positionBits: u32 = 0;
let words: Log = changetype<Log>(0);
let starts: Log = changetype<Log>(0);
/** A word of a row; as one number of 64 bits, those of a row order by place. */
@unmanaged
class Key {
  ordinal: u32;
  place: u32;
}

/** Of the row under way, as they came, and whether that is their order. */
let keys: usize = 0;
/** Room for as many, and for what is noted of runs of them. */
let room: usize = 0;
let runs: usize = 0;
let keyCount: u32 = 0;
let keysMax: u32 = 0;
let isOrdered: bool = true;

export function openForward(termCount: u32): void {
  isWanted = termCount < WIDE_ORDINALS_MAX;
  const isNarrow = termCount < NARROW_ORDINALS_MAX;
  gapBits = isNarrow ? NARROW_GAP_BITS : WIDE_GAP_BITS;
  lastCode = isNarrow ? NARROW_LAST_CODE : WIDE_LAST_CODE;
  lastGap = isNarrow ? NARROW_LAST_GAP : WIDE_LAST_CODE;
  fieldBits = isNarrow ? NARROW_FIELD : WIDE_FIELD;
  positionBits = isNarrow ? NARROW_POSITION : WIDE_POSITION;
  words = changetype<Log>(allocateZeros(offsetof<Log>()));
  starts = changetype<Log>(allocateZeros(offsetof<Log>()));
  keyCount = 0;
  keysMax = KEYS_FIRST;
  keys = allocate((<usize>keysMax) << 3);
  room = allocate((<usize>keysMax) << 3);
  runs = allocate(RUNS_BYTES);
}

/** Rows come in order; those in between have no words. */
export function beginRow(row: u32): void {
  writeRow();
  while (starts.length <= row) starts.push(words.length);
}

export function addToRow(ordinal: u32, place: u32): void {
  if (keyCount === keysMax) makeRoom();
  const key = keyAt(keyCount);
  key.ordinal = ordinal;
  key.place = place;
  if (keyCount > 0 && keyAt(keyCount - 1).place > place) isOrdered = false;
  keyCount++;
}

function keyAt(i: u32): Key {
  return changetype<Key>(keys + <usize>i * offsetof<Key>());
}

function makeRoom(): void {
  const before = keys;
  keys = allocate((<usize>keysMax) << 4);
  memory.copy(keys, before, (<usize>keysMax) << 3);
  keysMax <<= 1;
  room = allocate((<usize>keysMax) << 3);
}

export function closeForward(rows: u32): void {
  beginRow(rows);
}

function writeRow(): void {
  if (isWanted) {
    // Fields come in the order of documents.
    if (!isOrdered && sortRuns(keys, keyCount, room, runs) === room) {
      const before = keys;
      keys = room;
      room = before;
    }
    let field: u32 = u32.MAX_VALUE;
    let position: u32 = 0;
    for (let i: u32 = 0; i < keyCount; i++) {
      const key = keyAt(i);
      const place = key.place;
      if (place >> 16 !== field) {
        field = place >> 16;
        position = 0;
        words.push(fieldBits | field);
      }
      const gap = (place & 0xffff) - position;
      position += gap;
      let code = gap;
      if (gap >= lastCode) {
        code = gap === lastGap ? lastCode : 0;
        if (code === 0) words.push(positionBits | position);
      }
      words.push((key.ordinal << gapBits) | code);
    }
  }
  keyCount = 0;
  isOrdered = true;
}

/** The words of all rows in three bytes each. */
export function narrowWords(out: usize): void {
  let to = out;
  for (let piece = words.first; piece !== 0; piece = nextPiece(piece)) {
    const end = words.endOf(piece);
    for (let at = numbersOf(piece); at < end; at += 4, to += 3) {
      const word = load<u32>(at);
      store<u16>(to, word);
      store<u8>(to, word >> 16, sizeof<u16>());
    }
  }
}

/** How many words there are in all rows, or one more than rows; none when there are too many terms. Written to `out`. */
export function forwardList(ofWords: bool, out: usize): u32 {
  if (!isWanted) return 0;
  const list = ofWords ? words : starts;
  if (out !== 0) list.copyTo(out);
  return list.length;
}
