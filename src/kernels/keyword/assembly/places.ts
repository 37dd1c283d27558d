/** Places of the term that is open: reading those of one row, and telling positions apart. */
import { fieldsOf, recordEnded, setSize, term } from "./term";

/** The first positions stand for themselves, later ones for all up to the next power of two. */
export function bucketOf(position: u32): u32 {
  return select<u32>(min<u32>(position, 16), 44 - clz(position - 1), position < 24);
}

/**
 * Writes the places in the row of rank `index`, ascending, as long as there is room; returns how many there are.
 */
export function readPlaces(index: u32, out: usize, room: u32): u32 {
  const form = term.formAt(index);
  const repeated = form & 1;
  let at = term.recordOf(index);
  let left = setSize(form >> 1);
  let field = fieldsOf(form >> 1);
  let place = (<u32>load<u16>(field)) << 16;
  let count: u32 = 0;
  while (true) {
    let byte = <u32>load<u8>(at++);
    const ends = 1 - (byte & repeated);
    let value = byte & 0x7f;
    for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
      byte = load<u8>(at++);
      value |= (byte & 0x7f) << shift;
    }
    place += value >> repeated;
    if (count < room) store<u32>(out + ((<usize>count) << 2), place);
    count++;
    left -= ends;
    if (left === 0) break;
    // The next field begins anew.
    field += ends << 1;
    place = select<u32>((<u32>load<u16>(field)) << 16, place, ends);
  }
  recordEnded(index, at);
  return count;
}

/** Number of places in the row of rank `index`; reads nothing when every field has one. */
export function countPlaces(index: u32): u32 {
  const form = term.formAt(index);
  let left = setSize(form >> 1);
  if ((form & 1) === 0) return left;
  let at = term.recordOf(index);
  let count: u32 = 0;
  while (left > 0) {
    let byte = <u32>load<u8>(at++);
    left -= 1 - (byte & 1);
    count++;
    while (byte >= 0x80) byte = load<u8>(at++);
  }
  recordEnded(index, at);
  return count;
}
