/** Texts and their counts as the members of a JSON object, straight from the bytes of a column. */
import { Texts } from "./layout";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const COLON: u32 = 0x3a;
const COMMA: u32 = 0x2c;
const ZERO: u32 = 0x30;
const SPACE: u32 = 0x20;

/** Instead of a length: there is no room, or a text needs escapes. */
const NOT_WRITTEN: u32 = u32.MAX_VALUE;
/** Of a member besides its text: quotes, colon, digits, comma. */
const MEMBER_BYTES: usize = 16;

/**
 * Writes the first `limit` texts among codes that were met, in order, all spellings of one as one: the spelling of the lowest
 * row is shown. Returns how many bytes it wrote.
 */
export function writeTexts(
  texts: Texts,
  codes: usize,
  counts: usize,
  firstRows: usize,
  length: u32,
  limit: u32,
  out: usize,
  room: u32,
): u32 {
  let to = out;
  const roomEnd = out + room;
  let ordinal: u32 = 0;
  let at: u32 = 0;
  for (let left = limit; at < length && left > 0; left--) {
    const first = spellingAt(texts, codes, at);
    ordinal = stringOf(texts, first, ordinal);
    const last = texts.spellingStarts === 0 ? first : numberAt(texts.spellingStarts, ordinal + 1) - 1;
    let spelling = first;
    let lowest = numberAt(firstRows, at);
    let total: u32 = 0;
    for (; at < length && spellingAt(texts, codes, at) <= last; at++) {
      total += numberAt(counts, at);
      const row = numberAt(firstRows, at);
      if (row < lowest) {
        lowest = row;
        spelling = spellingAt(texts, codes, at);
      }
    }
    const isOwn = isSpelled(texts, spelling);
    const offsets = isOwn ? texts.spellingOffsets : texts.stringOffsets;
    const which = isOwn ? spelling : ordinal;
    const start = numberAt(offsets, which);
    const bytes = numberAt(offsets, which + 1) - start;
    if (to + <usize>bytes + MEMBER_BYTES > roomEnd) return NOT_WRITTEN;
    if (to > out) store<u8>(to++, COMMA);
    to = writeText(<usize>(isOwn ? texts.spellingBytes : texts.stringBytes) + start, bytes, to);
    if (to === 0) return NOT_WRITTEN;
    store<u8>(to++, COLON);
    to = writeNumber(total, to);
  }
  return <u32>(to - out);
}

function numberAt(list: usize, index: u32): u32 {
  return load<u32>(list + ((<usize>index) << 2));
}

function spellingAt(texts: Texts, codes: usize, at: u32): u32 {
  return numberAt(codes, at) - texts.numberCount - 1;
}

/** Whether the bytes of a spelling are kept. */
function isSpelled(texts: Texts, spelling: u32): bool {
  const offsets = texts.spellingOffsets;
  return offsets !== 0 && numberAt(offsets, spelling + 1) > numberAt(offsets, spelling);
}

/** The string that a spelling belongs to, known to be `from` or a later one. */
function stringOf(texts: Texts, spelling: u32, from: u32): u32 {
  const starts = texts.spellingStarts;
  if (starts === 0) return spelling;
  let low = from;
  let high = texts.stringCount;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (numberAt(starts, middle) <= spelling) low = middle;
    else high = middle;
  }
  return low;
}

/** Behind the text in quotes; 0 when it needs escapes. */
function writeText(from: usize, length: u32, out: usize): usize {
  let to = out;
  store<u8>(to++, QUOTE);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(from + i);
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return 0;
    store<u8>(to++, byte);
  }
  store<u8>(to++, QUOTE);
  return to;
}

function writeNumber(value: u32, out: usize): usize {
  let digits: u32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  let rest = value;
  for (let i = digits; i > 0; i--) {
    store<u8>(out + i - 1, ZERO + (rest % 10));
    rest /= 10;
  }
  return out + digits;
}
