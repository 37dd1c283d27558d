/**
 * How many of the candidates have each value of a field, in one segment and over all of them. Values are those of the
 * columns: numbers, and strings that count as one whatever their spelling. Knows nothing of names, limits or JSON.
 */
import type { Column } from "../../storage/segment/columns/column.ts";
import type { CodeCounts } from "../../storage/segment/columns/scan.ts";

/** What the candidates of one segment have. */
interface SegmentCounts extends CodeCounts {
  column: Column;
  docids: Uint32Array;
  /** Codes up to here are numbers. */
  numbersEnd: number;
}

/** The field in one segment, and the codes its candidates have. */
export interface CountedSegment {
  column: Column;
  docids: Uint32Array;
  counts: CodeCounts;
}

export interface NumberCounts {
  /** Ascending. */
  values: Float64Array;
  counts: Uint32Array;
}

/** A string value: how many candidates have it, and where the spelling to show is found. */
export interface StringCount {
  count: number;
  /** The segment of the spelling to show, as given. */
  segment: number;
  column: Column;
  ordinal: number;
  /** The spelling of the lowest document id, and that id. */
  code: number;
  docid: number;
}

export class FacetCounts {
  readonly #segments: SegmentCounts[];

  constructor(segments: readonly CountedSegment[]) {
    this.#segments = segments.map(withCodeEnds);
  }

  /** No more strings than this are visited. */
  get stringsMax(): number {
    return this.#segments.reduce((sum, { codes, numbersEnd }) => sum + codes.length - numbersEnd, 0);
  }

  numbers(): NumberCounts {
    const [only] = this.#segments;
    if (this.#segments.length === 1) return numbersOf(only!);
    return this.#segments.map(numbersOf).reduce(mergeNumbers, NO_NUMBERS);
  }

  /** Visits the strings in the order of their normalized bytes until `visit` returns false; it may not keep the object. */
  forEachString(visit: Visit): void {
    const cursors = this.#segments.map((counts, i) => new StringCursor(counts, i)).filter((cursor) => cursor.next());
    if (cursors.length === 1) visitAlone(cursors[0]!, visit);
    else visitMerged(cursors, visit);
  }
}

type Visit = (value: StringCount) => boolean;

function visitAlone(cursor: StringCursor, visit: Visit): void {
  do {
    if (!visit(cursor)) return;
  } while (cursor.next());
}

/** Cursors that stand at the same string are visited as one. */
function visitMerged(cursors: StringCursor[], visit: Visit): void {
  const tied = [...cursors];
  while (cursors.length > 0) {
    let count = 0;
    for (const cursor of cursors) {
      const order = count === 0 ? 0 : cursor.compare(tied[0]!);
      if (order < 0) count = 0;
      if (order <= 0) tied[count++] = cursor;
    }
    let lowest = tied[0]!;
    let candidates = 0;
    for (let i = 0; i < count; i++) {
      candidates += tied[i]!.count;
      if (tied[i]!.docid < lowest.docid) lowest = tied[i]!;
    }
    const { segment, column, ordinal, code, docid } = lowest;
    if (!visit({ count: candidates, segment, column, ordinal, code, docid })) return;
    for (let i = 0; i < count; i++) {
      const cursor = tied[i]!;
      if (!cursor.next()) cursors.splice(cursors.indexOf(cursor), 1);
    }
  }
}

const NO_NUMBERS: NumberCounts = { values: new Float64Array(0), counts: new Uint32Array(0) };

function numbersOf({ column, codes, counts, numbersEnd }: SegmentCounts): NumberCounts {
  const values = new Float64Array(numbersEnd);
  for (let i = 0; i < numbersEnd; i++) values[i] = column.numberOfCode(codes[i]!);
  return { values, counts: counts.subarray(0, numbersEnd) };
}

function mergeNumbers(a: NumberCounts, b: NumberCounts): NumberCounts {
  if (a.values.length === 0) return b;
  if (b.values.length === 0) return a;
  const values = new Float64Array(a.values.length + b.values.length);
  const counts = new Uint32Array(values.length);
  let length = 0;
  for (let i = 0, j = 0; i < a.values.length || j < b.values.length; length++) {
    const left = i < a.values.length ? a.values[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.values.length ? b.values[j]! : Number.POSITIVE_INFINITY;
    values[length] = Math.min(left, right);
    if (left <= right) counts[length]! += a.counts[i++]!;
    if (right <= left) counts[length]! += b.counts[j++]!;
  }
  return { values: values.subarray(0, length), counts: counts.subarray(0, length) };
}

/** Goes through the strings of one segment, all spellings of one at once. */
class StringCursor implements StringCount {
  readonly column: Column;
  count = 0;
  ordinal = -1;
  /** The spelling of the lowest document id, and that id. */
  code = 0;
  docid = 0;
  readonly segment: number;
  readonly #counts: SegmentCounts;
  #at: number;

  constructor(counts: SegmentCounts, segment: number) {
    this.#counts = counts;
    this.segment = segment;
    this.column = counts.column;
    this.#at = counts.numbersEnd;
  }

  next(): boolean {
    const { codes, counts, firstRows, docids } = this.#counts;
    if (this.#at === codes.length) return false;
    const { spellingStarts, numberCount } = this.column;
    const first = codes[this.#at]!;
    this.ordinal = stringFrom(spellingStarts, first - numberCount - 1, this.ordinal + 1);
    const last = spellingStarts === null ? first : numberCount + spellingStarts[this.ordinal + 1]!;
    this.count = 0;
    this.docid = Number.POSITIVE_INFINITY;
    for (; this.#at < codes.length && codes[this.#at]! <= last; this.#at++) {
      const docid = docids[firstRows[this.#at]!]!;
      this.count += counts[this.#at]!;
      if (docid >= this.docid) continue;
      this.docid = docid;
      this.code = codes[this.#at]!;
    }
    return true;
  }

  compare(other: StringCursor): number {
    const a = this.column;
    const b = other.column;
    return a.stringBytes.compare(
      b.stringBytes,
      b.stringOffsets[other.ordinal],
      b.stringOffsets[other.ordinal + 1],
      a.stringOffsets[this.ordinal],
      a.stringOffsets[this.ordinal + 1],
    );
  }
}

/** The string a spelling belongs to, known to be `from` or a later one: steps that double, then halving. */
function stringFrom(spellingStarts: Uint32Array | null, spelling: number, from: number): number {
  if (spellingStarts === null) return spelling;
  let low = from;
  let step = 1;
  while (low + step < spellingStarts.length - 1 && spellingStarts[low + step]! <= spelling) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, spellingStarts.length - 1);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (spellingStarts[middle]! <= spelling) low = middle;
    else high = middle;
  }
  return low;
}

function withCodeEnds({ column, docids, counts }: CountedSegment): SegmentCounts {
  const { codes } = counts;
  let numbersEnd = 0;
  while (numbersEnd < codes.length && column.isNumberCode(codes[numbersEnd]!)) numbersEnd++;
  return { column, docids, ...counts, numbersEnd };
}
