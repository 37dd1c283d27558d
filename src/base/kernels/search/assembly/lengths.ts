/** How many words rows have in their fields. */
import { Segment } from "./layout";
import { hasRow } from "./lines";
import { Docs } from "./sets";

/** How the field lengths part has the word counts of a field. */
const ALL_EQUAL: u32 = 0;
const EVERY_ROW: u32 = 1;

/** Instead of a number of rows. */
export const TOO_MANY: u32 = 0xffff_ffff;

/** How many words rows have in a field: see `storage/segment/field-lengths/format.ts`. */
@unmanaged
class FieldLengths {
  encoding: u32;
  /** Of rows, or of words where all have as many. */
  count: u32;
  /** Where its rows and its counts begin, among those of all fields. */
  firstRow: u32;
  countsAt: u32;
}

function lengthsOf(segment: Segment, field: u32): FieldLengths {
  return changetype<FieldLengths>(segment.lengthFields + <usize>field * offsetof<FieldLengths>());
}

/** Indexed words of a row in a field; 0 when there are none or more than thirty. */
export function wordCount(segment: Segment, row: u32, field: u32): u32 {
  const lengths = lengthsOf(segment, field);
  const encoding = lengths.encoding;
  const count = lengths.count;
  const counts = segment.lengthCounts + <usize>lengths.countsAt;
  if (encoding === ALL_EQUAL) return count;
  if (encoding === EVERY_ROW) return load<u8>(counts + row);
  const rows = segment.lengthRows + ((<usize>lengths.firstRow) << 2);
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(rows + ((<usize>middle) << 2)) < row) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u32>(rows + ((<usize>low) << 2)) === row ? load<u8>(counts + low) : 0;
}

/** Lists those rows of a set, which are among listed documents, that have so many words in a field: `most` of them, or too many. */
export function rowsWithCount(
  docs: Docs,
  segment: Segment,
  i: u32,
  field: u32,
  words: u32,
  set: usize,
  most: u32,
  rows: usize,
): u32 {
  const lengths = lengthsOf(segment, field);
  if (lengths.encoding === ALL_EQUAL) return lengths.count === words ? TOO_MANY : 0;
  const counts = segment.lengthCounts + <usize>lengths.countsAt;
  const isEveryRow = lengths.encoding === EVERY_ROW;
  const list = isEveryRow ? docs.listOf(i) : <usize>segment.lengthRows + ((<usize>lengths.firstRow) << 2);
  const n = isEveryRow ? docs.countOf(i) : lengths.count;
  let found: u32 = 0;
  for (let k: u32 = 0; k < n; k++) {
    const row = load<u32>(list + ((<usize>k) << 2));
    if (<u32>load<u8>(counts + (isEveryRow ? row : k)) !== words || !hasRow(segment, set, row)) continue;
    if (found === most) return TOO_MANY;
    store<u32>(rows + ((<usize>found) << 2), row);
    found++;
  }
  return found;
}
