/**
 * What many places begin with: the rows of such a prefix, and a summary of each, noted while terms are written in byte
 * order. See `storage/segment/common-prefixes/format.ts`.
 */
import { bitsCount, bitsRanks, setBit } from "../../keyword/assembly/bits";
import { characterBytes } from "../../shared/assembly/characters";
import { Log } from "../../shared/assembly/log";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { CommonPrefix } from "./layout";
import { OCCURRENCE_BYTES, placeOf, rowOf } from "./occurrence";

/** Longer prefixes are searched as the words that begin so. */
const BYTES_MAX: u32 = 4;
/** Fewer places are summarized while a search waits, and so are those of one row in so many. */
const PLACES_MIN: u32 = 1 << 16;
const ROWS_SHIFT: u32 = 3;
/** A mask is a byte. */
const FIELDS_MAX: u32 = 8;
/** Occurrences in a piece of what is noted, and pieces at most: of a letter with more nothing is told. */
const PIECE_SHIFT: u32 = 13;
const PIECE_SIZE: u32 = 1 << PIECE_SHIFT;
const PIECES_MAX: u32 = 1 << 12;
const POSITION_MASK: u32 = 0xffff;
/** Two such bytes are a position that is behind all others. */
const NO_POSITION_BYTE: u8 = 0xff;
const NO_POSITION: u32 = 0xffff;

/** A prefix of the term noted last. */
@unmanaged
class Prefix {
  /** Its bytes, its first term, and the occurrences noted before that. */
  end: u32;
  first: u32;
  noted: u32;
}

let rowCount: u32 = 0;
let isWanted: bool = false;
let prefixes: usize = 0;
let depth: u32 = 0;
/** Addresses of pieces with the occurrences of terms that begin with one letter. */
let pieces: usize = 0;
let pieceCount: u32 = 0;
let noted: u32 = 0;
/** By row, u8 and u16, and rows as bits: all empty between two prefixes. 0 until there is one. */
let masks: usize = 0;
let firsts: usize = 0;
let bits: usize = 0;
/** Addresses of a `CommonPrefix` of each that was found. */
let found: Log = changetype<Log>(0);
let lastFirst: u32 = 0;
let lastEnd: u32 = 0;

export function openCommonPrefixes(rows: u32, fields: u32): void {
  rowCount = rows;
  isWanted = rows > 0 && fields <= FIELDS_MAX;
  prefixes = allocate(<usize>BYTES_MAX * offsetof<Prefix>());
  depth = 0;
  pieces = allocate((<usize>PIECES_MAX) << 2);
  pieceCount = 0;
  noted = 0;
  masks = 0;
  found = changetype<Log>(allocateZeros(offsetof<Log>()));
  lastEnd = 0;
}

function prefixAt(level: u32): Prefix {
  return changetype<Prefix>(prefixes + <usize>level * offsetof<Prefix>());
}

/** A term with that number and its occurrences in `[from, to)`; the first `shared` bytes are those of the term before. */
export function noteTerm(term: u32, bytes: usize, length: u32, shared: u32, from: usize, to: usize): void {
  if (!isWanted) return;
  closePrefixes(shared, term);
  let end: u32 = depth === 0 ? 0 : prefixAt(depth - 1).end;
  while (end < length) {
    end += characterBytes(load<u8>(bytes + end));
    if (end > BYTES_MAX) break;
    const prefix = prefixAt(depth++);
    prefix.end = end;
    prefix.first = term;
    prefix.noted = noted;
  }
  note(from, to);
}

/** No more terms come: there are `terms`. */
export function closeCommonPrefixes(terms: u32): void {
  if (isWanted) closePrefixes(0, terms);
}

/** Those of more than `shared` bytes end before a term. */
function closePrefixes(shared: u32, term: u32): void {
  while (depth > 0 && prefixAt(depth - 1).end > shared) {
    const prefix = prefixAt(--depth);
    const places = noted - prefix.noted;
    if (places < max(PLACES_MIN, rowCount >> ROWS_SHIFT) || noted === PIECES_MAX << PIECE_SHIFT) continue;
    // All terms may go on with one and the same letter.
    if (prefix.first === lastFirst && term === lastEnd) continue;
    lastFirst = prefix.first;
    lastEnd = term;
    summarize(prefix, term);
  }
  if (depth === 0) noted = 0;
}

function note(from: usize, to: usize): void {
  let at = from;
  while (at < to && noted < PIECES_MAX << PIECE_SHIFT) {
    const piece = noted >> PIECE_SHIFT;
    const within = noted & (PIECE_SIZE - 1);
    if (piece === pieceCount) {
      store<u32>(pieces + ((<usize>piece) << 2), <u32>allocate((<usize>PIECE_SIZE) << 3));
      pieceCount++;
    }
    const count = min(PIECE_SIZE - within, <u32>((to - at) / OCCURRENCE_BYTES));
    memory.copy(occurrenceAt(noted), at, <usize>count * OCCURRENCE_BYTES);
    noted += count;
    at += <usize>count * OCCURRENCE_BYTES;
  }
}

function occurrenceAt(i: u32): usize {
  return (
    <usize>load<u32>(pieces + ((<usize>(i >> PIECE_SHIFT)) << 2)) + <usize>(i & (PIECE_SIZE - 1)) * OCCURRENCE_BYTES
  );
}

function summarize(prefix: Prefix, end: u32): void {
  const bitBytes = ((<usize>rowCount + 127) >> 7) << 4;
  if (masks === 0) {
    masks = allocateZeros(rowCount);
    firsts = allocate((<usize>rowCount) << 1);
    memory.fill(firsts, NO_POSITION_BYTE, (<usize>rowCount) << 1);
    bits = allocateZeros(bitBytes);
  }
  for (let from = prefix.noted; from < noted; ) {
    const to = min(noted, (from | (PIECE_SIZE - 1)) + 1);
    const at = occurrenceAt(from);
    gather(at, at + <usize>(to - from) * OCCURRENCE_BYTES);
    from = to;
  }
  const rows = bitsCount(bits, bitBytes);
  const rankBytes = aligned(bitBytes >> 1);
  const firstBytes = aligned((<usize>rows) << 1);
  const bytes = bitBytes + rankBytes + firstBytes + aligned(rows);
  const at = allocateZeros(bytes);
  memory.copy(at, bits, bitBytes);
  bitsRanks(at, bitBytes, at + bitBytes);
  handOver(at, bitBytes, at + bitBytes + rankBytes, at + bitBytes + rankBytes + firstBytes);
  const told = changetype<CommonPrefix>(allocate(offsetof<CommonPrefix>()));
  told.first = prefix.first;
  told.end = end;
  told.rows = rows;
  told.at = at;
  told.bytes = <u32>bytes;
  found.push(<u32>changetype<usize>(told));
}

function aligned(bytes: usize): usize {
  return (bytes + 15) & ~15;
}

function gather(from: usize, to: usize): void {
  for (let at = from; at < to; at += OCCURRENCE_BYTES) {
    const row = rowOf(at);
    const place = placeOf(at);
    setBit(bits, row);
    store<u8>(masks + row, <u32>load<u8>(masks + row) | (1 << (place >> 16)));
    const first = firsts + ((<usize>row) << 1);
    store<u16>(first, min<u32>(load<u16>(first), place & POSITION_MASK));
  }
}

/** Writes what is known of the rows, side by side, and leaves none. */
function handOver(from: usize, bitBytes: usize, toFirsts: usize, toMasks: usize): void {
  let rank: usize = 0;
  for (let word: usize = 0; word < bitBytes; word += 8) {
    for (let left = load<u64>(from + word); left !== 0; left &= left - 1, rank++) {
      const row = (word << 3) + <usize>ctz(left);
      const first = firsts + (row << 1);
      store<u16>(toFirsts + (rank << 1), load<u16>(first));
      store<u8>(toMasks + rank, load<u8>(masks + row));
      store<u16>(first, NO_POSITION);
      store<u8>(masks + row, 0);
    }
  }
  memory.fill(bits, 0, bitBytes);
}

/** How many there are; with `out`, their addresses are written there. */
export function commonPrefixes(out: usize): u32 {
  if (out !== 0) found.copyTo(out);
  return found.length;
}
