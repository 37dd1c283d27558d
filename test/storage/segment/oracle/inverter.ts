/**
 * Turns a stream of words, row after row, into occurrences sorted by term. Words are told apart by their bytes, four at
 * a time, in one hash table; every occurrence is two numbers in a log that a counting sort orders at the end. No object
 * is made per word.
 */
import { sortTerms } from "./term-order.ts";

const TABLE_START = 1 << 15;
/** Occurrences and terms grow with the text: bytes of JSON for one of each, as a first guess. */
const BYTES_PER_OCCURRENCE = 10;
const BYTES_PER_ARENA_WORD = 24;
const WORD_BYTES_MAX = 256;
/** A place that has to move this far back in its row, in numbers of `pairs`, is worth a sort of the row. */
const FAR = 64;

export interface SortedTerms {
  count: number;
  /** Spelling of the i-th term in byte order: `pool[starts[order[i]]]` and on, `lengths[order[i]]` bytes. */
  order: Uint32Array;
  pool: Uint8Array;
  starts: Uint32Array;
  lengths: Uint8Array;
  /** Occurrences of the i-th term: `occurrences[i] .. occurrences[i + 1] - 1`, by row, field and position. */
  occurrences: Uint32Array;
  /** Row and place of each occurrence. */
  pairs: Uint32Array;
}

/** A term in the arena: its hash, length and number of occurrences, then the spelling filled up with zeros. */
const LENGTH = 1;
const COUNT = 2;
const SPELLING = 3;

export class Inverter {
  /** Where in the arena the term of a slot is; 0 when free. */
  #slots = new Int32Array(TABLE_START);
  /** All terms, one behind the other: a lookup touches one slot and one place here. Begins at 1. */
  #arena: Int32Array<ArrayBuffer>;
  #arenaLength = 1;
  #terms = 0;
  /** Term and place of each occurrence. */
  #log: Uint32Array;
  #logLength = 0;
  /** End of each row's occurrences in the log. */
  readonly #rowEnds: Uint32Array;
  readonly #scratch = new Uint8Array(WORD_BYTES_MAX);
  readonly #scratchWords = new Int32Array(this.#scratch.buffer);
  /** The array words usually come in, and the same memory in fours. */
  #usual: Uint8Array = this.#scratch;
  #usualWords = this.#scratchWords;

  constructor(rows: number, jsonBytes: number) {
    this.#arena = new Int32Array(4096 + Math.ceil(jsonBytes / BYTES_PER_ARENA_WORD));
    this.#log = new Uint32Array(2048 + 2 * Math.ceil(jsonBytes / BYTES_PER_OCCURRENCE));
    this.#rowEnds = new Uint32Array(rows);
  }

  /** Adds the word `bytes[from, to)` of at most 250 bytes at a place (field << 16 | position) of the current row. */
  add(bytes: Uint8Array, from: number, to: number, place: number): void {
    if (bytes === this.#usual && from === 0) {
      this.#addWords(this.#usualWords, to, place);
    } else if (from === 0 && bytes.byteOffset === 0 && bytes.length === WORD_BYTES_MAX && isPlain(bytes)) {
      this.#usual = bytes;
      this.#usualWords = new Int32Array(bytes.buffer);
      this.#addWords(this.#usualWords, to, place);
    } else {
      const scratch = this.#scratch;
      for (let i = from; i < to; i++) scratch[i - from] = bytes[i]!;
      this.#addWords(this.#scratchWords, to - from, place);
    }
  }

  #addWords(words: Int32Array, length: number, place: number): void {
    const count = (length + 3) >>> 2;
    // What lies behind the word is of no meaning.
    words[count - 1]! &= -1 >>> ((count * 4 - length) << 3);
    let hash = length;
    for (let i = 0; i < count; i++) {
      hash = Math.imul(hash ^ words[i]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash, 0x85ebca6b);
    hash ^= hash >>> 13;
    const arena = this.#arena;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    let term = slots[slot]!;
    while (term !== 0) {
      if (arena[term] === hash && arena[term + LENGTH] === length) {
        let i = 0;
        while (i < count && arena[term + SPELLING + i] === words[i]) i++;
        if (i === count) break;
      }
      slot = (slot + 1) & mask;
      term = slots[slot]!;
    }
    if (term === 0) term = this.#newTerm(words, count, length, hash, slot);
    else arena[term + COUNT]!++;
    const logLength = this.#logLength;
    if (logLength === this.#log.length) this.#log = grown(this.#log);
    this.#log[logLength] = term;
    this.#log[logLength + 1] = place;
    this.#logLength = logLength + 2;
  }

  endRow(row: number): void {
    this.#rowEnds[row] = this.#logLength;
  }

  #newTerm(words: Int32Array, count: number, length: number, hash: number, slot: number): number {
    const term = this.#arenaLength;
    if (term + SPELLING + count > this.#arena.length) {
      const arena = new Int32Array(this.#arena.length * 2);
      arena.set(this.#arena);
      this.#arena = arena;
    }
    const arena = this.#arena;
    arena[term] = hash;
    arena[term + LENGTH] = length;
    arena[term + COUNT] = 1;
    for (let i = 0; i < count; i++) arena[term + SPELLING + i] = words[i]!;
    this.#arenaLength = term + SPELLING + count;
    this.#slots[slot] = term;
    this.#terms++;
    if (this.#terms * 2 > this.#slots.length) this.#growTable();
    return term;
  }

  #growTable(): void {
    const arena = this.#arena;
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let term = 1; term < this.#arenaLength; term = behind(arena, term)) {
      let slot = arena[term]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = term;
    }
    this.#slots = slots;
  }

  /** Sorts everything; `fieldIds` gives the final number of each field. The inverter is of no use afterwards. */
  finish(fieldIds: Uint16Array): SortedTerms {
    const arena = this.#arena;
    const log = this.#log;
    const rowEnds = this.#rowEnds;
    const count = this.#terms;
    this.#slots = new Int32Array(0);
    const starts = new Uint32Array(count);
    const lengths = new Uint8Array(count);
    for (let term = 1, i = 0; i < count; term = behind(arena, term), i++) {
      starts[i] = 4 * (term + SPELLING);
      lengths[i] = arena[term + LENGTH]!;
    }
    const pool = new Uint8Array(arena.buffer);
    const order = sortTerms(pool, starts, lengths, count);
    const occurrences = new Uint32Array(count + 1);
    let total = 0;
    for (let i = 0; i < count; i++) {
      const term = starts[order[i]!]! / 4 - SPELLING;
      const found = arena[term + COUNT]!;
      occurrences[i] = total;
      // From here on: where the next occurrence of the term goes.
      arena[term + COUNT] = 2 * total;
      total += found;
    }
    occurrences[count] = total;
    const pairs = new Uint32Array(2 * total);
    let at = 0;
    for (let row = 0; row < rowEnds.length; row++) {
      for (const end = rowEnds[row]!; at < end; at += 2) {
        const next = log[at]! + COUNT;
        const place = log[at + 1]!;
        const to = arena[next]!;
        arena[next] = to + 2;
        pairs[to] = row;
        pairs[to + 1] = (fieldIds[place >>> 16]! << 16) | (place & 0xffff);
      }
    }
    for (let i = 0; i < count; i++) orderPlaces(pairs, occurrences[i]!, occurrences[i + 1]!);
    return { count, order, pool, starts, lengths, occurrences, pairs };
  }
}

/** The term behind another in the arena. */
function behind(arena: Int32Array, term: number): number {
  return term + SPELLING + ((arena[term + LENGTH]! + 3) >>> 2);
}

/** A view of ordinary memory, not a Buffer: all views that words are read from have one class. */
function isPlain(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.constructor === Uint8Array && bytes.buffer instanceof ArrayBuffer;
}

function grown(from: Uint32Array): Uint32Array {
  const to = new Uint32Array(from.length * 2);
  to.set(from);
  return to;
}

/** Orders places inside each row of the occurrences `from..to-1` of one term: fields arrive in document order. */
function orderPlaces(pairs: Uint32Array, from: number, to: number): void {
  for (let i = 2 * from + 2; i < 2 * to; i += 2) {
    const row = pairs[i]!;
    const place = pairs[i + 1]!;
    if (row !== pairs[i - 2] || place >= pairs[i - 1]!) continue;
    let at = i;
    while (at > 2 * from && pairs[at - 2] === row && pairs[at - 1]! > place && i - at < FAR) {
      pairs[at + 1] = pairs[at - 1]!;
      at -= 2;
    }
    pairs[at + 1] = place;
    if (i - at >= FAR) sortRow(pairs, at, 2 * from, 2 * to);
  }
}

/** Orders all places of the row that has an occurrence at `at`. */
function sortRow(pairs: Uint32Array, at: number, from: number, to: number): void {
  let start = at;
  let end = at;
  while (start > from && pairs[start - 2] === pairs[at]) start -= 2;
  while (end < to && pairs[end] === pairs[at]) end += 2;
  const places = new Uint32Array((end - start) / 2);
  for (let i = 0; i < places.length; i++) places[i] = pairs[start + 2 * i + 1]!;
  places.sort();
  for (let i = 0; i < places.length; i++) pairs[start + 2 * i + 1] = places[i]!;
}
