/**
 * Packs documents while they are walked: the names at their top become numbers, as `storage/segment/documents/packed.ts` describes.
 * A document that has anything but its members, such as white space, cannot be packed, and then none are.
 */
const NAMES_MAX: u32 = 32;
const CHUNK: usize = 16;

let isPacked: bool = false;
/** Where the first document would begin, where the next byte goes, and where it is noted that a document ends. */
let out: usize = 0;
let to: usize = 0;
let ends: usize = 0;
/** Where the document begins, and its next name if nothing is in between. */
let start: usize = 0;
let nextName: usize = 0;

export function openPacking(): void {
  isPacked = true;
}

/** `before`: bytes that documents before the slab took: ends are counted from their beginning. */
export function openSlab(packed: usize, packedEnds: usize, before: u32): void {
  out = packed - before;
  to = packed;
  ends = packedEnds;
}

/** Whether all documents so far could be packed. */
export function arePacked(): bool {
  return isPacked;
}

export function beginDocument(at: usize): void {
  start = at;
  nextName = at + 1;
}

/** A member whose name stands in `[name, nameEnd)`, quotes included, and its value in `[value, end)`. */
export function packMember(name: usize, nameEnd: usize, value: usize, end: usize, number: u32): void {
  if (!isPacked) return;
  if (name !== nextName || value !== nameEnd + 1 || number >= NAMES_MAX) {
    isPacked = false;
    return;
  }
  store<u8>(to++, number);
  let from = value;
  let isOdd = i8x16.splat(0);
  for (; from + CHUNK <= end; from += CHUNK, to += CHUNK) {
    const chunk = v128.load(from);
    v128.store(to, chunk);
    isOdd = v128.or(isOdd, i8x16.lt_u(chunk, i8x16.splat(<i8>NAMES_MAX)));
  }
  const last = v128.load(from);
  const rest = <u32>(end - from);
  v128.store(to, last);
  to += rest;
  const odd = i8x16.bitmask(i8x16.lt_u(last, i8x16.splat(<i8>NAMES_MAX))) & ((1 << rest) - 1);
  if (odd !== 0 || v128.any_true(isOdd)) isPacked = false;
  nextName = end + 1;
}

/** The document of `members` members ends at `end`. */
export function endDocument(end: usize, members: u32): void {
  if (end !== (members === 0 ? start + 2 : nextName)) isPacked = false;
  store<u32>(ends, <u32>(to - out));
  ends += 4;
}

/** Gives the names in packed documents `[from, end)` the numbers that `numbers` has for them, a byte each. */
export function renumberNames(from: usize, end: usize, numbers: usize): void {
  for (let at = from; at < end; at += CHUNK) {
    let found = i8x16.bitmask(i8x16.lt_u(v128.load(at), i8x16.splat(<i8>NAMES_MAX)));
    if (end - at < CHUNK) found &= (1 << (<u32>(end - at))) - 1;
    for (; found !== 0; found &= found - 1) {
      const place = at + ctz(found);
      store<u8>(place, load<u8>(numbers + load<u8>(place)));
    }
  }
}
