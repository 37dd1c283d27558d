/**
 * Goes through all rows of the open term. What is done with a row is up to a visitor, a class without state whose
 * `visit` gets the row and its rank in the term.
 */
import { docCount, headWidth, isDense, onlyRow, rowsAt } from "./term";

export function visitAll<Visitor>(): void {
  if (docCount === 1) changetype<Visitor>(<usize>0).visit(onlyRow, 0);
  else if (isDense) visitBitmap<Visitor>();
  else visitGaps<Visitor>();
}

function visitBitmap<Visitor>(): void {
  const visitor = changetype<Visitor>(<usize>0);
  let index: u32 = 0;
  for (let byte: u32 = 0; index < docCount; byte += 8) {
    let word = load<u64>(rowsAt + byte);
    // Behind the last row there may be bits of something else.
    while (word !== 0 && index < docCount) {
      visitor.visit((byte << 3) + <u32>ctz(word), index);
      word &= word - 1;
      index++;
    }
  }
}

/** As `visitAll`, of a term whose rows are gaps. */
export function visitGaps<Visitor>(): void {
  findInGaps<All<Visitor>>();
}

class All<Visitor> {
  @inline
  isFound(row: u32, index: u32): bool {
    changetype<Visitor>(<usize>0).visit(row, index);
    return false;
  }
}

/** Goes through rows that are gaps until the seeker says that one is found; false when none is. */
export function findInGaps<Seeker>(): bool {
  const seeker = changetype<Seeker>(<usize>0);
  let at = rowsAt;
  let row: u32 = -1;
  for (let index: u32 = 0; index < docCount; ) {
    const count = min(docCount - index, 128);
    const width = headWidth >= 0 ? <u32>headWidth : <u32>load<u8>(at++);
    const mask = ((<u64>1) << width) - 1;
    let bit: u32 = 0;
    for (const end = index + count; index < end; index++) {
      row += <u32>((load<u64>(at + (bit >> 3)) >> (<u64>bit & 7)) & mask) + 1;
      bit += width;
      if (seeker.isFound(row, index)) return true;
    }
    at += (width * count + 7) >> 3;
  }
  return false;
}
