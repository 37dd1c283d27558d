/**
 * Names at the top of documents, by the bytes they are spelled with in JSON. Documents repeat their names in one order: the
 * one that followed last time is tried first.
 */
import { allocate } from "../../shared/assembly/region";
import { Entry, Table } from "../../shared/assembly/table";
import { nameOf } from "./host";

/** Names whose document the host has to look at. */
export const UNREADABLE: u32 = u32.MAX_VALUE;

/** An entry's value is what the name stands for, `more` the entry that followed it last. */
let names: Table = changetype<Table>(0);
/** The entry found last in this document; 0 at its beginning. */
let before: usize = 0;
let first: usize = 0;

export function openNames(): void {
  names = changetype<Table>(allocate(offsetof<Table>()));
  names.prepare();
  first = 0;
  before = 0;
}

export function beginNames(): void {
  before = 0;
}

/** What the next name of the document stands for. */
export function meaningOf(start: usize, length: u32): u32 {
  const expected = before === 0 ? first : <usize>changetype<Entry>(before).more;
  if (expected !== 0) {
    const entry = changetype<Entry>(expected);
    if (entry.length === length && isSpelled(entry.bytes, start, length)) {
      before = expected;
      return entry.value;
    }
  }
  const entry = names.entry(start, length);
  if (names.isNew) entry.value = nameOf(start, length);
  const found = changetype<usize>(entry);
  if (before === 0) first = found;
  else changetype<Entry>(before).more = <u32>found;
  before = found;
  return entry.value;
}

function isSpelled(own: usize, start: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(own + i) !== load<u8>(start + i)) return false;
  return true;
}
