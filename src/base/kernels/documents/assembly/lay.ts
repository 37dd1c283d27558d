/**
 * Puts documents into the form in which they are stored: compact, top-level members in the order of the index, of repeated
 * names the last. Documents are known to be valid.
 */

import { ByteRange } from "../../shared/assembly/byte-range";
import {
  COLON,
  COMMA,
  forgetSpaces,
  OBJECT_END,
  OBJECT_START,
  passSpaces,
  QUOTE,
  SPACE,
  spaced,
  stringEnd,
  valueEnd,
} from "../../shared/assembly/json";
import { allocate } from "../../shared/assembly/region";
import { beginNames, meaningOf, UNREADABLE } from "./names";

/** A document with more members is left to the host. */
const MEMBERS_MAX: u32 = 512;

/** A member: its rank, then where its name (with quotes) and its value begin and end. */
@unmanaged
class Member {
  rank: u32;
  name: usize;
  nameEnd: usize;
  value: usize;
  valueEnd: usize;
}

let members: usize = 0;
/** Members by rank. */
let places: usize = 0;

export function openLaying(): void {
  members = allocate(<usize>MEMBERS_MAX * offsetof<Member>());
  places = allocate((<usize>MEMBERS_MAX) << 2);
}

function memberAt(i: u32): Member {
  return changetype<Member>(members + <usize>i * offsetof<Member>());
}

/**
 * Writes the documents of `ranges`, counted from `base`, one behind the other; `ends` gets where each
 * ends, counted from `out`, which has room for all. Stops at one that is left to the host, or behind the last; returns how
 * many were written.
 */
export function layDocuments(base: usize, ranges: usize, count: u32, out: usize, ends: usize): u32 {
  let to = out;
  for (let i: u32 = 0; i < count; i++) {
    const range = changetype<ByteRange>(ranges + <usize>i * offsetof<ByteRange>());
    to = layDocument(base + range.start, base + range.end, to);
    if (to === 0) return i;
    store<u32>(ends + ((<usize>i) << 2), <u32>(to - out));
  }
  return count;
}

/** Behind what was written; 0 when the document is left to the host. */
function layDocument(start: usize, end: usize, out: usize): usize {
  const from = storedForm(start, end, out);
  if (from === 0) return 0;
  if (from === start) memory.copy(out, start, end - start);
  return out + (storedEnd - from);
}

/** Where the stored form that was made last ends. */
export let storedEnd: usize = 0;

/**
 * Where the document `[start, end)` stands in its stored form: right there when it has that form, else it is written to `out`,
 * which has room for as much; 0 when it is left to the host.
 */
export function storedForm(start: usize, end: usize, out: usize): usize {
  let count: u32 = 0;
  let ordered = true;
  let previous: i32 = -1;
  let at = start + 1;
  beginNames();
  forgetSpaces();
  while (true) {
    at = passSpaces(at, COMMA);
    if (load<u8>(at) !== QUOTE) break;
    if (count === MEMBERS_MAX) return 0;
    const member = memberAt(count);
    member.name = at;
    at = stringEnd(at);
    member.nameEnd = at;
    const rank = meaningOf(member.name + 1, <u32>(at - member.name - 2));
    if (rank === UNREADABLE) return 0;
    member.rank = rank;
    store<u32>(places + ((<usize>count) << 2), count);
    member.value = passSpaces(at, COLON);
    at = valueEnd(member.value);
    member.valueEnd = at;
    if (<i32>rank <= previous) ordered = false;
    previous = rank;
    count++;
  }
  if (ordered && !spaced) {
    storedEnd = end;
    return start;
  }
  if (!ordered) sortPlaces(count);
  storedEnd = write(count, out);
  return out;
}

/** By rank, then by age. */
function sortPlaces(count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const rank = memberAt(i).rank;
    let to = i;
    for (; to > 0 && memberAt(placeAt(to - 1)).rank > rank; to--)
      store<u32>(places + ((<usize>to) << 2), placeAt(to - 1));
    store<u32>(places + ((<usize>to) << 2), i);
  }
}

function placeAt(i: u32): u32 {
  return load<u32>(places + ((<usize>i) << 2));
}

function write(count: u32, out: usize): usize {
  let to = out;
  const isSpaced = spaced;
  store<u8>(to++, OBJECT_START);
  for (let i: u32 = 0; i < count; i++) {
    const member = memberAt(placeAt(i));
    if (i + 1 < count && memberAt(placeAt(i + 1)).rank === member.rank) continue;
    if (to > out + 1) store<u8>(to++, COMMA);
    to = copy(member.name, member.nameEnd, to);
    store<u8>(to++, COLON);
    const isContainer = (<u32>load<u8>(member.value) | 0x20) === 0x7b;
    to =
      isSpaced && isContainer
        ? copyCompact(member.value, member.valueEnd, to)
        : copy(member.value, member.valueEnd, to);
  }
  store<u8>(to++, OBJECT_END);
  return to;
}

function copy(start: usize, end: usize, to: usize): usize {
  memory.copy(to, start, end - start);
  return to + (end - start);
}

/** Without the white space between tokens. */
function copyCompact(start: usize, end: usize, out: usize): usize {
  let to = out;
  for (let at = start; at < end; ) {
    const byte = <u32>load<u8>(at);
    if (byte === QUOTE) {
      const behind = stringEnd(at);
      to = copy(at, behind, to);
      at = behind;
      continue;
    }
    if (byte > SPACE) store<u8>(to++, byte);
    at++;
  }
  return to;
}
