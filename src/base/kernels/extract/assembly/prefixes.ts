/**
 * What terms begin with, noted while they are written in byte order: hashes for a filter, and which letters follow which.
 * See `prefix-hash`.
 */
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { Log, Pair as LogPair, nextPiece, numbersOf } from "../../shared/assembly/log";
import { firstBit, hashWith, LETTERS, lineOf, NO_LETTERS, secondBit, setBit } from "../../shared/assembly/prefix-hash";
import { allocate, allocateZeros } from "../../shared/assembly/region";
import { Table } from "../../shared/assembly/table";

const ASCII_BITS: u32 = 7;

/** A letter and one that follows it somewhere. */
@unmanaged
class Pair {
  letter: u32;
  follower: u32;
}

/** Of the term before, the hash of its beginnings, by letters, and where they end. */
@unmanaged
class Beginning {
  hash: u32;
  end: u32;
  letter: u32;
}

/** Hashes of beginnings, with a letter that each goes on with. */
let longer: Log = changetype<Log>(0);
let pairs: Log = changetype<Log>(0);
/** Which pairs were met: a byte for each of two ASCII letters, and entries for all others. */
let asciiPairs: usize = 0;
let otherPairs: Table = changetype<Table>(0);
let pair: Pair = changetype<Pair>(0);
let beginnings: usize = 0;
let depth: u32 = 0;

export function openPrefixes(): void {
  longer = changetype<Log>(allocateZeros(offsetof<Log>()));
  pairs = changetype<Log>(allocateZeros(offsetof<Log>()));
  asciiPairs = allocateZeros(1 << (2 * ASCII_BITS));
  otherPairs = changetype<Table>(allocate(offsetof<Table>()));
  otherPairs.prepare();
  pair = changetype<Pair>(allocate(offsetof<Pair>()));
  beginnings = allocate(<usize>(LETTERS + 1) * offsetof<Beginning>());
  depth = 0;
  const none = beginningAt(0);
  none.hash = NO_LETTERS;
  none.end = 0;
}

function beginningAt(letters: u32): Beginning {
  return changetype<Beginning>(beginnings + <usize>letters * offsetof<Beginning>());
}

/** The next term, of which the first `shared` bytes are those of the one before. */
export function notePrefixes(bytes: usize, length: u32, shared: u32): void {
  while (beginningAt(depth).end > shared) depth--;
  for (let at = beginningAt(depth).end; at < length && depth < LETTERS; ) {
    const letter = codePointAt(bytes + at);
    const before = beginningAt(depth);
    const own = beginningAt(++depth);
    at += characterBytes(load<u8>(bytes + at));
    own.hash = hashWith(before.hash, letter);
    own.end = at;
    own.letter = letter;
    longer.pushPair(before.hash, letter);
    if (depth > 1) notePair(before.letter, letter);
  }
}

function notePair(letter: u32, follower: u32): void {
  if ((letter | follower) >> ASCII_BITS === 0) {
    const at = asciiPairs + ((letter << ASCII_BITS) | follower);
    if (load<u8>(at) !== 0) return;
    store<u8>(at, 1);
  } else {
    pair.letter = letter;
    pair.follower = follower;
    otherPairs.entry(changetype<usize>(pair), <u32>offsetof<Pair>());
    if (!otherPairs.isNew) return;
  }
  pairs.pushPair(letter, follower);
}

/** How many numbers tell letters and followers, side by side, in the order in which they were met; with `out`, they are written there. */
export function followerPairs(out: usize): u32 {
  if (out !== 0) pairs.copyTo(out);
  return pairs.length;
}

export function countPrefixes(): u32 {
  return longer.length >> 1;
}

/** Writes a filter of so many lines of 64 bytes. */
export function prefixFilter(out: usize, lines: u32): void {
  memory.fill(out, 0, (<usize>lines) << 6);
  for (let piece = longer.first; piece !== 0; piece = nextPiece(piece)) {
    for (let at = numbersOf(piece); at < longer.endOf(piece); at += offsetof<LogPair>()) {
      const noted = changetype<LogPair>(at);
      const line = out + lineOf(noted.first, lines);
      setBit(line, firstBit(noted.first, noted.second));
      setBit(line, secondBit(noted.first, noted.second));
    }
  }
}
