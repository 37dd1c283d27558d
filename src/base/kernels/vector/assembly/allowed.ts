/** Which vectors may be found: those of rows in a set. Rows are bits, thirty-two in a word. */
import { Allowed } from "./layout";

function bitOf(rows: usize, row: u32): u32 {
  return (load<u32>(rows + 4 * <usize>(row >> 5)) >> (row & 31)) & 1;
}

/** A bit for each of `count` slots, at most thirty-two, whose row may be found. */
export function allowedOf(slots: usize, rows: usize, rowList: usize, count: u32): u32 {
  let bits: u32 = 0;
  const end = slots + 4 * <usize>count;
  // From the last on: every bit moves up to its place.
  if (rowList === 0) {
    for (let at = end; at > slots; at -= 4) bits = (bits << 1) | bitOf(rows, load<u32>(at - 4));
  } else {
    for (let at = end; at > slots; at -= 4) {
      bits = (bits << 1) | bitOf(rows, load<u32>(rowList + 4 * <usize>load<u32>(at - 4)));
    }
  }
  return bits;
}

/** The slot of a vector: the last that begins at or before it. */
function slotOf(starts: usize, slots: u32, vector: u32): u32 {
  let low: u32 = 0;
  let high = slots;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(starts + 4 * <usize>middle) <= vector) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether a vector may be found. */
export function isAllowed(who: Allowed, vector: u32): bool {
  const rows = <usize>who.rows;
  if (rows === 0) return true;
  const rowList = <usize>who.rowList;
  const starts = <usize>who.starts;
  const slot = starts === 0 ? vector : slotOf(starts, who.slots, vector);
  const row = rowList === 0 ? slot : load<u32>(rowList + 4 * <usize>slot);
  return bitOf(rows, row) !== 0;
}
