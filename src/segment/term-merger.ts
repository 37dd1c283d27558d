/**
 * Walks the vocabularies of several segments together in byte order and gathers, term by term, the surviving
 * occurrences under their new rows and fields.
 */
import { NO_ROW, PostingsCursor } from "./postings/cursor.ts";
import type { SegmentReader } from "./reader.ts";
import { TermEntry, TermWalk } from "./terms/reader.ts";

/** Row and order of arrival in one exact number, to sort occurrences of inputs whose rows interleave. */
const ARRIVALS_MAX = 2 ** 26;

class Source {
  readonly walk: TermWalk;
  readonly entry = new TermEntry();
  readonly cursor: PostingsCursor;
  readonly reader: SegmentReader;
  readonly rowMap: Int32Array;
  readonly fieldMap: Uint16Array;

  constructor(reader: SegmentReader, rowMap: Int32Array, fieldMap: Uint16Array) {
    this.reader = reader;
    this.rowMap = rowMap;
    this.fieldMap = fieldMap;
    this.walk = new TermWalk(reader.terms);
    this.cursor = new PostingsCursor(reader.postings);
  }
}

export class TermMerger {
  readonly term = new Uint8Array(256);
  termLength = 0;
  /** Occurrences of the term by row, field and position, as pairs of row and place. */
  count = 0;
  pairs = new Uint32Array(2048);
  /** Sources that are not at their end. */
  private readonly sources: Source[] = [];
  private found = new Uint32Array(256);

  constructor(readers: readonly SegmentReader[], rowMaps: readonly Int32Array[], fieldMaps: readonly Uint16Array[]) {
    readers.forEach((reader, i) => {
      const source = new Source(reader, rowMaps[i]!, fieldMaps[i]!);
      if (source.walk.moveTo(0)) this.sources.push(source);
    });
  }

  /** To the next term; its `count` is 0 when no occurrence survives. False at the end. */
  next(): boolean {
    const { sources, term } = this;
    if (sources.length === 0) return false;
    let least = sources[0]!.walk;
    for (let i = 1; i < sources.length; i++) {
      const { walk } = sources[i]!;
      if (walk.compare(least.bytes, least.length) < 0) least = walk;
    }
    const length = least.length;
    for (let i = 0; i < length; i++) term[i] = least.bytes[i]!;
    this.termLength = length;
    this.count = 0;
    let ordered = true;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!;
      if (!source.walk.equals(term, length)) continue;
      const before = this.count;
      this.gather(source);
      if (before > 0 && this.count > before && this.pairs[2 * before]! < this.pairs[2 * before - 2]!) ordered = false;
      if (!source.walk.next()) sources.splice(i--, 1);
    }
    if (!ordered) this.sort();
    return true;
  }

  /** Appends the surviving occurrences of the source's term. */
  private gather(source: Source): void {
    const { cursor, fieldMap, rowMap } = source;
    source.reader.terms.entry(source.walk.ordinal, source.entry);
    cursor.open(source.entry);
    for (let row = cursor.next(); row !== NO_ROW; row = cursor.next()) {
      const to = rowMap[row]!;
      if (to < 0) continue;
      let found = cursor.places(this.found);
      if (found > this.found.length) {
        this.found = new Uint32Array(found * 2);
        found = cursor.places(this.found);
      }
      this.reserve(found);
      const { pairs } = this;
      let at = 2 * this.count;
      for (let i = 0; i < found; i++) {
        const place = this.found[i]!;
        pairs[at++] = to;
        pairs[at++] = (fieldMap[place >>> 16]! << 16) | (place & 0xffff);
      }
      this.count += found;
    }
  }

  private reserve(extra: number): void {
    if (2 * (this.count + extra) <= this.pairs.length) return;
    const pairs = new Uint32Array(Math.max(2 * (this.count + extra), this.pairs.length * 2));
    pairs.set(this.pairs.subarray(0, 2 * this.count));
    this.pairs = pairs;
  }

  /** By row; occurrences of a row all come from one source and keep their order. */
  private sort(): void {
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
