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
  readonly number: number;
  readonly walk: TermWalk;
  readonly entry = new TermEntry();
  readonly cursor: PostingsCursor;
  readonly reader: SegmentReader;
  readonly rowMap: Int32Array;
  readonly fieldMap: Uint16Array;

  constructor(number: number, reader: SegmentReader, rowMap: Int32Array, fieldMap: Uint16Array) {
    this.number = number;
    this.reader = reader;
    this.rowMap = rowMap;
    this.fieldMap = fieldMap;
    this.walk = new TermWalk(reader.terms);
    this.cursor = new PostingsCursor(reader.postings);
  }
}

/** By term; of equal ones the earlier source first, so that rows come in order where inputs do. */
function isBefore(a: Source, b: Source): boolean {
  const order = a.walk.compare(b.walk.bytes, b.walk.length);
  return order === 0 ? a.number < b.number : order < 0;
}

export class TermMerger {
  readonly term = new Uint8Array(256);
  termLength = 0;
  /** Occurrences of the term by row, field and position, as pairs of row and place. */
  count = 0;
  pairs = new Uint32Array(2048);
  /** Sources that are not at their end; each is before its children at 2i + 1 and 2i + 2. */
  private readonly heap: Source[] = [];
  private found = new Uint32Array(256);

  constructor(readers: readonly SegmentReader[], rowMaps: readonly Int32Array[], fieldMaps: readonly Uint16Array[]) {
    readers.forEach((reader, i) => {
      const source = new Source(i, reader, rowMaps[i]!, fieldMaps[i]!);
      if (source.walk.moveTo(0)) this.heap.push(source);
    });
    for (let place = this.heap.length >>> 1; place >= 0; place--) if (place < this.heap.length) this.sink(place);
  }

  /** To the next term; its `count` is 0 when no occurrence survives. False at the end. */
  next(): boolean {
    const { heap, term } = this;
    if (heap.length === 0) return false;
    const { bytes, length } = heap[0]!.walk;
    for (let i = 0; i < length; i++) term[i] = bytes[i]!;
    this.termLength = length;
    this.count = 0;
    let ordered = true;
    while (heap.length > 0 && heap[0]!.walk.equals(term, length)) {
      const source = heap[0]!;
      const before = this.count;
      this.gather(source);
      if (before > 0 && this.count > before && this.pairs[2 * before]! < this.pairs[2 * before - 2]!) ordered = false;
      if (!source.walk.next()) {
        const last = heap.pop()!;
        if (heap.length === 0) break;
        heap[0] = last;
      }
      this.sink(0);
    }
    if (!ordered) this.sort();
    return true;
  }

  /** Restores the order of the heap below a place whose source has moved on. */
  private sink(place: number): void {
    const { heap } = this;
    const source = heap[place]!;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, source)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = source;
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
