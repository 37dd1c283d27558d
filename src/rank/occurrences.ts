/**
 * Meets the postings of words with a list of documents: every document of the list that holds a word is visited, and
 * nothing else is read.
 */
import type { Corpus } from "../query/corpus.ts";
import { PlaceBuffer } from "../query/places.ts";
import { prefixTable, type RowTable, wordTable } from "../query/row-tables.ts";
import type { Word, WordSegment } from "../query/vocabulary.ts";
import { NO_ROW, type PostingsCursor } from "../segment/postings/cursor.ts";
import type { Clock } from "./clock.ts";
import type { Documents } from "./documents.ts";
import type { RowSets } from "./row-sets.ts";

/** `position` is that of the document in its list; the cursor stands on its row. */
export type Visit = (position: number, cursor: PostingsCursor, segment: number) => void;

/** As `Visit`, with places read already: `places[from, to)`. */
export type VisitPlaces = (position: number, places: Uint32Array, from: number, to: number, segment: number) => void;

/** Words in so many rows of a segment are kept unpacked, if the documents to look at are a fair share of those. */
const FREQUENT = 2048;
const FREQUENT_SHARE = 8;

export class Occurrences {
  private readonly corpus: Corpus;
  private readonly clock: Clock;

  constructor(corpus: Corpus, clock: Clock) {
    this.corpus = corpus;
    this.clock = clock;
  }

  /**
   * Visits the documents that hold the word; only those in `among` unless it is null. One of the two visits is called,
   * whichever costs less.
   */
  word(word: Word, documents: Documents, among: RowSets | null, visit: Visit, visitPlaces: VisitPlaces): void {
    const { segments } = this.corpus;
    for (let i = 0; i < segments.length; i++) {
      const ordinal = word.ordinals[i]!;
      const from = documents.starts[i]!;
      const to = documents.starts[i + 1]!;
      if (ordinal === -1 || from === to) continue;
      const segment = segments[i]!;
      const frequency = segment.documentsOf(ordinal);
      if (among === null && frequency >= FREQUENT && (to - from) * FREQUENT_SHARE >= frequency) {
        this.meetTable(wordTable(segment, ordinal), documents, i, visitPlaces);
        continue;
      }
      this.meet(segment, ordinal, documents.rows, from, to, (position, cursor) => {
        if (among === null || among[i]!.has(cursor.row)) visit(position, cursor, i);
      });
    }
  }

  /** Visits the documents that hold words beginning with a common prefix, with the places of all of them. */
  prefix(prefix: string, documents: Documents, visit: VisitPlaces): void {
    const { segments } = this.corpus;
    for (let i = 0; i < segments.length; i++) {
      if (documents.starts[i] === documents.starts[i + 1]) continue;
      this.meetTable(prefixTable(segments[i]!, prefix), documents, i, visit);
    }
  }

  private meetTable(table: RowTable, documents: Documents, segment: number, visit: VisitPlaces): void {
    const { places, rows, starts } = table;
    let at = documents.starts[segment]!;
    const to = documents.starts[segment + 1]!;
    this.clock.spend(to - at);
    for (let j = 0; at < to && j < rows.length; ) {
      const row = documents.rows[at]!;
      if (rows[j]! < row) j = firstNotBelow(rows, j + 1, rows.length, row);
      else if (rows[j]! > row) at = firstNotBelow(documents.rows, at + 1, to, rows[j]!);
      else {
        visit(at, places, starts[j]!, starts[j + 1]!, segment);
        at++;
        j++;
      }
    }
  }

  /** Both sides ascend; whichever is behind leaps to the other. */
  private meet(
    segment: WordSegment,
    ordinal: number,
    rows: Uint32Array,
    from: number,
    to: number,
    visit: (position: number, cursor: PostingsCursor) => void,
  ): void {
    const cursor = segment.openShared(ordinal);
    let at = from;
    let met = 1;
    let row = cursor.seek(rows[at]!);
    while (row !== NO_ROW) {
      if (rows[at]! < row) {
        at = firstNotBelow(rows, at + 1, to, row);
        if (at === to) break;
        if (rows[at]! > row) {
          row = cursor.seek(rows[at]!);
          continue;
        }
      }
      visit(at, cursor);
      met++;
      if (++at === to) break;
      row = cursor.seek(rows[at]!);
    }
    this.clock.spend(met);
  }
}

/** First index in `[from, to)` whose row is at least `row`; `to` when there is none. Looks near `from` first. */
function firstNotBelow(rows: Uint32Array, from: number, to: number, row: number): number {
  let low = from;
  let step = 1;
  while (low + step < to && rows[low + step]! < row) {
    low += step;
    step *= 2;
  }
  let high = Math.min(to, low + step + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Places by document: those of position p are `places[starts[p]] .. places[starts[p + 1] - 1]`, ascending. */
export class PlaceTable {
  readonly starts: Uint32Array;
  readonly places: Uint32Array;

  constructor(starts: Uint32Array, places: Uint32Array) {
    this.starts = starts;
    this.places = places;
  }

  get isEmpty(): boolean {
    return this.places.length === 0;
  }
}

/** Gathers places in any order, then puts them in the order of documents. */
export class PlaceCollector {
  private readonly buffer = new PlaceBuffer();
  private positions = new Uint32Array(256);
  private found = new Uint32Array(256);
  private count = 0;

  readonly visit = (position: number, cursor: PostingsCursor): void => {
    this.buffer.read(cursor);
    this.visitPlaces(position, this.buffer.places, 0, this.buffer.count);
  };

  readonly visitPlaces = (position: number, places: Uint32Array, from: number, to: number): void => {
    if (this.count + to - from > this.found.length) this.grow(to - from);
    for (let i = from; i < to; i++) {
      this.positions[this.count] = position;
      this.found[this.count++] = places[i]!;
    }
  };

  private grow(more: number): void {
    const size = Math.max(this.found.length * 2, this.count + more);
    const positions = new Uint32Array(size);
    positions.set(this.positions);
    this.positions = positions;
    const found = new Uint32Array(size);
    found.set(this.found);
    this.found = found;
  }

  finish(documents: number): PlaceTable {
    const { count, found, positions } = this;
    const starts = new Uint32Array(documents + 1);
    for (let i = 0; i < count; i++) starts[positions[i]! + 1]!++;
    for (let i = 0; i < documents; i++) starts[i + 1]! += starts[i]!;
    const next = starts.slice(0, documents);
    const places = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const position = positions[i]!;
      // Words come one after the other, each with ascending places: insertion keeps the few of a document in order.
      let at = next[position]!++;
      const place = found[i]!;
      while (at > starts[position]! && places[at - 1]! > place) {
        places[at] = places[at - 1]!;
        at--;
      }
      places[at] = place;
    }
    return new PlaceTable(starts, places);
  }
}
