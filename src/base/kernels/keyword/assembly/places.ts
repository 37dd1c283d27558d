/** Places of the term that is open: reading those of one row, and telling positions apart. */
import { fieldsOf, recordEnded, setSize, term } from "./term";

/** The first positions stand for themselves, later ones for all up to the next power of two. */
export function bucketOf(position: u32): u32 {
  return select<u32>(min<u32>(position, 16), 44 - clz(position - 1), position < 24);
}

class Record {
  /**
   * Goes through the places in the row of rank `index`, of which there is one at least, ascending: `take` of a reader, a
   * class without state, gets what is known so far, where the field is and the position in it, and returns what is known
   * then. `end` is for the reader.
   */
  @inline
  read<Reader>(index: u32, start: usize, end: usize): usize {
    const form = term.formAt(index);
    const repeated = form & 1;
    let left = setSize(form >> 1);
    let field = fieldsOf(form >> 1);
    let at = term.recordOf(index);
    let known = start;
    let position: u32 = 0;
    do {
      let byte = <u32>load<u8>(at++);
      const ends = 1 - (byte & repeated);
      let value = byte & 0x7f;
      for (let shift: u32 = 7; byte >= 0x80; shift += 7) {
        byte = load<u8>(at++);
        value |= (byte & 0x7f) << shift;
      }
      position += value >> repeated;
      known = changetype<Reader>(<usize>0).take(known, field, position, end);
      left -= ends;
      // The next field begins anew.
      field += ends << 1;
      position &= ends - 1;
    } while (left > 0);
    recordEnded(index, at);
    return known;
  }
}

/** What is told of the places of one row; a method, which dissolves in its callers. */
export const record = changetype<Record>(<usize>0);

/** Writes the places in the row of rank `index` as long as they fit before `end`; returns how many there are. */
export function readPlaces(index: u32, out: usize, end: usize): u32 {
  return <u32>((record.read<Copying>(index, out, end) - out) >> 2);
}

class Copying {
  @inline
  take(to: usize, field: usize, position: u32, end: usize): usize {
    if (to < end) store<u32>(to, ((<u32>load<u16>(field)) << 16) | position);
    return to + 4;
  }
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
