/**
 * Walks the vocabularies of several segments together in byte order and gathers, term by term, the surviving
 * occurrences under their new rows and fields.
 */
import { OccurrenceReader } from "./postings/occurrences.ts";
import type { SegmentReader } from "./reader.ts";
import { TermEntry, TermWalk } from "./terms/reader.ts";
import { TermTournament } from "./terms/tournament.ts";

/** Row and order of arrival in one exact number, to sort occurrences of inputs whose rows interleave. */
const ARRIVALS_MAX = 2 ** 26;

class Source {
  readonly walk: TermWalk;
  readonly entry = new TermEntry();
  readonly occurrences: OccurrenceReader;
  readonly reader: SegmentReader;
  readonly rowMap: Int32Array;
  readonly fieldMap: Uint16Array;
  readonly ordinals: Uint32Array;

  constructor(reader: SegmentReader, rowMap: Int32Array, fieldMap: Uint16Array) {
    this.reader = reader;
    this.rowMap = rowMap;
    this.fieldMap = fieldMap;
    this.ordinals = new Uint32Array(reader.terms.count);
    this.walk = new TermWalk(reader.terms);
    this.occurrences = new OccurrenceReader(reader.postings);
  }
}

export class TermMerger {
  readonly term = new Uint8Array(256);
  termLength = 0;
  /** Occurrences of the term by row, field and position, as pairs of row and place. */
  count = 0;
  pairs = new Uint32Array(2048);
  /** Terms with occurrences so far. */
  termCount = 0;
  readonly #sources: readonly Source[];
  /** Of equal terms that of the earlier source first, so that rows come in order where inputs do. */
  readonly #tournament: TermTournament;

  constructor(readers: readonly SegmentReader[], rowMaps: readonly Int32Array[], fieldMaps: readonly Uint16Array[]) {
    this.#sources = readers.map((reader, i) => new Source(reader, rowMaps[i]!, fieldMaps[i]!));
    this.#tournament = new TermTournament(this.#sources.map(({ walk }) => walk));
  }

  /** By source and number of a term in it: its number among all terms with occurrences; of no meaning for others. */
  get ordinals(): Uint32Array[] {
    return this.#sources.map(({ ordinals }) => ordinals);
  }

  /** To the next term; its `count` is 0 when no occurrence survives. False at the end. */
  next(): boolean {
    const { term } = this;
    const sources = this.#sources;
    const tournament = this.#tournament;
    if (tournament.winner < 0) return false;
    const { bytes, length } = sources[tournament.winner]!.walk;
    for (let i = tournament.shared; i < length; i++) term[i] = bytes[i]!;
    this.termLength = length;
    this.count = 0;
    let ordered = true;
    do {
      const before = this.count;
      this.#gather(sources[tournament.winner]!);
      if (before > 0 && this.count > before && this.pairs[2 * before]! < this.pairs[2 * before - 2]!) ordered = false;
      tournament.advance();
    } while (this.#isSameTerm());
    if (!ordered) this.#sort();
    if (this.count > 0) this.termCount++;
    return true;
  }

  #isSameTerm(): boolean {
    const { termLength } = this;
    const sources = this.#sources;
    const tournament = this.#tournament;
    if (tournament.winner < 0 || tournament.shared !== termLength) return false;
    return sources[tournament.winner]!.walk.length === termLength;
  }

  /** Appends the surviving occurrences of the source's term. */
  #gather(source: Source): void {
    const { entry, fieldMap, reader, rowMap, walk } = source;
    source.ordinals[walk.ordinal] = this.termCount;
    reader.terms.entry(walk.ordinal, entry);
    this.#reserve(entry.positionBytes);
    this.count = source.occurrences.read(entry, rowMap, fieldMap, this.pairs, this.count);
  }

  #reserve(extra: number): void {
    if (2 * (this.count + extra) <= this.pairs.length) return;
    const pairs = new Uint32Array(Math.max(2 * (this.count + extra), this.pairs.length * 2));
    pairs.set(this.pairs.subarray(0, 2 * this.count));
    this.pairs = pairs;
  }

  /** By row; occurrences of a row all come from one source and keep their order. */
  #sort(): void {
    const { count } = this;
    const keys = new Float64Array(count);
    for (let i = 0; i < count; i++) keys[i] = this.pairs[2 * i]! * ARRIVALS_MAX + i;
    keys.sort();
    const arrived = this.pairs.slice(0, 2 * count);
    for (let i = 0; i < count; i++) {
      const arrival = keys[i]! % ARRIVALS_MAX;
      this.pairs[2 * i] = arrived[2 * arrival]!;
      this.pairs[2 * i + 1] = arrived[2 * arrival + 1]!;
    }
  }
}
