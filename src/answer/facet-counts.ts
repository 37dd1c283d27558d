/**
 * How many of the candidates have each value of a field, in one segment and over all of them. Values are those of the
 * columns: numbers, and strings that count as one whatever their spelling. Knows nothing of names, limits or JSON.
 */
import type { Bitmap } from "../segment/bitmap.ts";
import type { Column } from "../segment/columns/column.ts";

/** What the candidates of one segment have: codes (see `segment/columns/format.ts`) ascending, none twice. */
interface SegmentCounts {
  column: Column;
  docids: Uint32Array;
  codes: Uint32Array;
  counts: Uint32Array;
  /** The lowest candidate row that has the code. */
  firstRows: Uint32Array;
  /** Codes up to here are numbers. */
  numbersEnd: number;
}

/** The field in one segment, with its candidates. */
export interface CountedSegment {
  column: Column;
  docids: Uint32Array;
  candidates: Bitmap;
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
  /** The spelling of the lowest document id. */
  code: number;
}

/** Below this share of a dictionary it is cheaper to collect the values met than to keep a count for every value. */
const FEW_CANDIDATES_SHARE = 1 / 8;

export class FacetCounts {
  private readonly segments: SegmentCounts[];

  constructor(segments: readonly CountedSegment[]) {
    this.segments = segments.map(countSegment);
  }

  /** No more strings than this are visited. */
  get stringsMax(): number {
    return this.segments.reduce((sum, { codes, numbersEnd }) => sum + codes.length - numbersEnd, 0);
  }

  numbers(): NumberCounts {
    const [only] = this.segments;
    if (this.segments.length === 1) return numbersOf(only!);
    return this.segments.map(numbersOf).reduce(mergeNumbers, NO_NUMBERS);
  }

  /** Visits the strings in the order of their normalized bytes until `visit` returns false; it may not keep the object. */
  forEachString(visit: Visit): void {
    const cursors = this.segments.map((counts, i) => new StringCursor(counts, i)).filter((cursor) => cursor.next());
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
    const { segment, column, ordinal, code } = lowest;
    if (!visit({ count: candidates, segment, column, ordinal, code })) return;
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
  private readonly counts: SegmentCounts;
  private at: number;

  constructor(counts: SegmentCounts, segment: number) {
    this.counts = counts;
    this.segment = segment;
    this.column = counts.column;
    this.at = counts.numbersEnd;
  }

  next(): boolean {
    const { codes, counts, firstRows, docids } = this.counts;
    if (this.at === codes.length) return false;
    const { spellingStarts, numberCount } = this.column;
    const first = codes[this.at]!;
    this.ordinal = stringFrom(spellingStarts, first - numberCount - 1, this.ordinal + 1);
    const last = spellingStarts === null ? first : numberCount + spellingStarts[this.ordinal + 1]!;
    this.count = 0;
    this.docid = Number.POSITIVE_INFINITY;
    for (; this.at < codes.length && codes[this.at]! <= last; this.at++) {
      const docid = docids[firstRows[this.at]!]!;
      this.count += counts[this.at]!;
      if (docid >= this.docid) continue;
      this.docid = docid;
      this.code = codes[this.at]!;
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

function countSegment({ column, docids, candidates }: CountedSegment): SegmentCounts {
  const few = candidates.count() < column.codesMax * FEW_CANDIDATES_SHARE;
  const { codes, counts, firstRows } = few ? countMet(column, candidates) : countAll(column, candidates);
  let numbersEnd = 0;
  while (numbersEnd < codes.length && column.isNumberCode(codes[numbersEnd]!)) numbersEnd++;
  return { column, docids, codes, counts, firstRows, numbersEnd };
}

type Counted = Pick<SegmentCounts, "codes" | "counts" | "firstRows">;

/** Keeps a count for every value of the dictionary. */
function countAll(column: Column, candidates: Bitmap): Counted {
  const counts = new Uint32Array(column.codesMax + 1);
  const firstRows = new Uint32Array(column.codesMax + 1);
  if (column.rowList === null && column.codeStarts === null) countDense(column, candidates, counts, firstRows);
  else countListed(column, candidates, counts, firstRows);
  counts[0] = 0;
  let length = 0;
  for (let code = 0; code < counts.length; code++) if (counts[code] !== 0) length++;
  const met: Counted = {
    codes: new Uint32Array(length),
    counts: new Uint32Array(length),
    firstRows: new Uint32Array(length),
  };
  for (let code = 0, at = 0; at < length; code++) {
    if (counts[code] === 0) continue;
    met.codes[at] = code;
    met.counts[at] = counts[code]!;
    met.firstRows[at++] = firstRows[code]!;
  }
  return met;
}

/** The common form, one code a row (0 for none): whole words of candidates at a time. */
function countDense(column: Column, candidates: Bitmap, counts: Uint32Array, firstRows: Uint32Array): void {
  const { codes, rows } = column;
  const { words } = candidates;
  for (let index = 0, base = 0; base < rows; index++, base += 32) {
    let word = words[index]!;
    if (word === 0xffffffff) {
      for (let row = base; row < base + 32; row++) {
        const code = codes[row]!;
        if (counts[code]!++ === 0) firstRows[code] = row;
      }
      continue;
    }
    while (word !== 0) {
      const row = base + 31 - Math.clz32(word & -word);
      word &= word - 1;
      const code = codes[row]!;
      if (counts[code]!++ === 0) firstRows[code] = row;
    }
  }
}

/** Rows with lists of codes, or only some rows with codes. */
function countListed(column: Column, candidates: Bitmap, counts: Uint32Array, firstRows: Uint32Array): void {
  const { codes, codeStarts, rowList } = column;
  const groups = repeatedStrings(column);
  const slots = rowList === null ? column.rows : rowList.length;
  for (let slot = 0; slot < slots; slot++) {
    const row = rowList === null ? slot : rowList[slot]!;
    if (!candidates.has(row)) {
      // Whole words without a candidate are common where few documents were found.
      if (rowList === null && (row & 31) === 0 && candidates.words[row >>> 5] === 0) slot += 31;
      continue;
    }
    const end = codeStarts === null ? slot + 1 : codeStarts[slot + 1]!;
    for (let at = codeStarts === null ? slot : codeStarts[slot]!; at < end; at++) {
      const code = codes[at]!;
      if (groups !== null && at + 1 < end && groups[code] === groups[codes[at + 1]!]) continue;
      if (counts[code]!++ === 0) firstRows[code] = row;
    }
  }
}

/** Collects only the values that the candidates have. */
function countMet(column: Column, candidates: Bitmap): Counted {
  const met = new Map<number, { count: number; firstRow: number }>();
  const add = (code: number, row: number): void => {
    const known = met.get(code);
    if (known === undefined) met.set(code, { count: 1, firstRow: row });
    else known.count++;
  };
  for (let row = candidates.first(); row !== -1; row = candidates.next(row + 1)) {
    const end = column.codeEnd(row);
    for (let at = column.codeStart(row); at < end; at++) {
      const code = column.codes[at]!;
      if (column.spellingStarts !== null && at + 1 < end && isSameString(column, code, column.codes[at + 1]!)) continue;
      add(code, row);
    }
  }
  const codes = Uint32Array.from(met.keys()).sort();
  return {
    codes,
    counts: codes.map((code) => met.get(code)!.count),
    firstRows: codes.map((code) => met.get(code)!.firstRow),
  };
}

/** Two spellings of one string in one document are one value of it. */
function isSameString(column: Column, a: number, b: number): boolean {
  return !column.isNumberCode(a) && column.stringOfCode(a) === column.stringOfCode(b);
}

/**
 * A number for each code, the same for all spellings of a string; null when no row can have two of them. Numbers of the
 * field itself stay apart.
 */
function repeatedStrings(column: Column): Uint32Array | null {
  const { spellingStarts, codeStarts, numberCount, stringCount } = column;
  if (spellingStarts === null || codeStarts === null) return null;
  const groups = new Uint32Array(column.codesMax + 1);
  for (let code = 0; code <= numberCount; code++) groups[code] = code;
  for (let ordinal = 0; ordinal < stringCount; ordinal++) {
    const end = spellingStarts[ordinal + 1]!;
    for (let spelling = spellingStarts[ordinal]!; spelling < end; spelling++) {
      groups[numberCount + 1 + spelling] = numberCount + 1 + ordinal;
    }
  }
  return groups;
}
