/** From codes to rows: which codes lie in one of some ranges, or in a set; whose codes they are. Bits are written up to a multiple of 4 bytes and 16 more. */
import { NEXT } from "./column";
import { CodeRange } from "./layout";

/** Sixteen bits: which of sixteen codes lie in a range. */
function mask<T>(codes: usize, ranges: usize, end: usize): i32 {
  if (sizeof<T>() === 1) {
    const a = v128.load(codes);
    let found = i8x16.splat(0);
    for (let range = ranges; range < end; range += offsetof<CodeRange>()) {
      const first = i8x16.splat(<u8>changetype<CodeRange>(range).first);
      const reach = i8x16.splat(<u8>changetype<CodeRange>(range).reach);
      found = v128.or(found, i8x16.le_u(i8x16.sub(a, first), reach));
    }
    return i8x16.bitmask(found);
  }
  if (sizeof<T>() === 2) {
    const a = v128.load(codes);
    const b = v128.load(codes, 16);
    let low = i16x8.splat(0);
    let high = i16x8.splat(0);
    for (let range = ranges; range < end; range += offsetof<CodeRange>()) {
      const first = i16x8.splat(<u16>changetype<CodeRange>(range).first);
      const reach = i16x8.splat(<u16>changetype<CodeRange>(range).reach);
      low = v128.or(low, i16x8.le_u(i16x8.sub(a, first), reach));
      high = v128.or(high, i16x8.le_u(i16x8.sub(b, first), reach));
    }
    return i8x16.bitmask(i8x16.narrow_i16x8_s(low, high));
  }
  const a = v128.load(codes);
  const b = v128.load(codes, 16);
  const c = v128.load(codes, 32);
  const d = v128.load(codes, 48);
  let inA = i32x4.splat(0);
  let inB = i32x4.splat(0);
  let inC = i32x4.splat(0);
  let inD = i32x4.splat(0);
  for (let range = ranges; range < end; range += offsetof<CodeRange>()) {
    const first = i32x4.splat(<u32>changetype<CodeRange>(range).first);
    const reach = i32x4.splat(<u32>changetype<CodeRange>(range).reach);
    inA = v128.or(inA, i32x4.le_u(i32x4.sub(a, first), reach));
    inB = v128.or(inB, i32x4.le_u(i32x4.sub(b, first), reach));
    inC = v128.or(inC, i32x4.le_u(i32x4.sub(c, first), reach));
    inD = v128.or(inD, i32x4.le_u(i32x4.sub(d, first), reach));
  }
  const low = i16x8.narrow_i32x4_s(inA, inB);
  return i8x16.bitmask(i8x16.narrow_i16x8_s(low, i16x8.narrow_i32x4_s(inC, inD)));
}

function isIn(code: u32, ranges: usize, end: usize): bool {
  for (let at = ranges; at < end; at += offsetof<CodeRange>()) {
    const range = changetype<CodeRange>(at);
    if (code - range.first <= range.reach) return true;
  }
  return false;
}

function setBit(bits: usize, row: u32): void {
  const at = bits + ((row >>> 5) << 2);
  store<u32>(at, load<u32>(at) | (1 << (row & 31)));
}

/** Clears the bits from `from`, a multiple of 8, on. */
function clearFrom(bits: usize, from: u32, length: u32): void {
  const end = (((length + 31) >>> 5) << 2) + 16;
  memory.fill(bits + (from >>> 3), 0, end - (from >>> 3));
}

function denseRanges<T>(codes: usize, length: u32, ranges: usize, count: u32, bits: usize): void {
  const end = ranges + <usize>count * offsetof<CodeRange>();
  const whole = length & ~15;
  for (let row: u32 = 0; row < whole; row += 16) {
    store<u16>(bits + (row >>> 3), <u16>mask<T>(codes + <usize>row * sizeof<T>(), ranges, end));
  }
  clearFrom(bits, whole, length);
  for (let row = whole; row < length; row++) {
    if (isIn(<u32>load<T>(codes + <usize>row * sizeof<T>()), ranges, end)) setBit(bits, row);
  }
}

/** One range, whose bounds stay in registers. */
function denseRange8(codes: usize, length: u32, ranges: usize, bits: usize): void {
  const first = i8x16.splat(<u8>changetype<CodeRange>(ranges).first);
  const reach = i8x16.splat(<u8>changetype<CodeRange>(ranges).reach);
  const whole = length & ~15;
  for (let row: u32 = 0; row < whole; row += 16) {
    const found = i8x16.le_u(i8x16.sub(v128.load(codes + row), first), reach);
    store<u16>(bits + (row >>> 3), <u16>i8x16.bitmask(found));
  }
  clearFrom(bits, whole, length);
  for (let row = whole; row < length; row++)
    if (isIn(load<u8>(codes + row), ranges, ranges + offsetof<CodeRange>())) setBit(bits, row);
}

function denseRange16(codes: usize, length: u32, ranges: usize, bits: usize): void {
  const first = i16x8.splat(<u16>changetype<CodeRange>(ranges).first);
  const reach = i16x8.splat(<u16>changetype<CodeRange>(ranges).reach);
  const whole = length & ~15;
  for (let row: u32 = 0; row < whole; row += 16) {
    const at = codes + ((<usize>row) << 1);
    const low = i16x8.le_u(i16x8.sub(v128.load(at), first), reach);
    const high = i16x8.le_u(i16x8.sub(v128.load(at, 16), first), reach);
    store<u16>(bits + (row >>> 3), <u16>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
  }
  clearFrom(bits, whole, length);
  for (let row = whole; row < length; row++) {
    if (isIn(load<u16>(codes + ((<usize>row) << 1)), ranges, ranges + offsetof<CodeRange>())) setBit(bits, row);
  }
}

/** Sets the bits of the codes that lie in a range. */
export function select(codes: usize, width: u32, length: u32, ranges: usize, count: u32, bits: usize): void {
  if (width === 1) {
    if (count === 1) denseRange8(codes, length, ranges, bits);
    else denseRanges<u8>(codes, length, ranges, count, bits);
  } else if (width === 2) {
    if (count === 1) denseRange16(codes, length, ranges, bits);
    else denseRanges<u16>(codes, length, ranges, count, bits);
  } else denseRanges<u32>(codes, length, ranges, count, bits);
}

/** Of 64 rows more than these are looked at side by side. */
const FEW: u64 = 6;

function among<T>(codes: usize, length: u32, ranges: usize, count: u32, bits: usize): void {
  const end = ranges + <usize>count * offsetof<CodeRange>();
  for (let base: u32 = 0; base < length; base += 64) {
    const at = bits + (base >>> 3);
    let found = load<u64>(at);
    if (found === 0) continue;
    const own = codes + <usize>base * sizeof<T>();
    if (popcnt(found) > FEW && base + 64 <= length) {
      for (let part: u64 = 0; part < 64; part += 16) {
        const rest = (found >>> part) & 0xffff;
        if (rest === 0) continue;
        const dropped = rest & ~(<u64>mask<T>(own + <usize>part * sizeof<T>(), ranges, end));
        found ^= dropped << part;
      }
    } else {
      for (let left = found; left !== 0; left &= left - 1) {
        const row = ctz(left);
        if (!isIn(<u32>load<T>(own + <usize>row * sizeof<T>()), ranges, end)) found ^= (<u64>1) << row;
      }
    }
    store<u64>(at, found);
  }
}

/** Clears those of the bits whose codes lie in no range. */
export function selectAmong(codes: usize, width: u32, length: u32, ranges: usize, count: u32, bits: usize): void {
  if (width === 1) among<u8>(codes, length, ranges, count, bits);
  else if (width === 2) among<u16>(codes, length, ranges, count, bits);
  else among<u32>(codes, length, ranges, count, bits);
}

function members<T>(codes: usize, length: u32, set: usize, bits: usize): void {
  for (let base: u32 = 0; base < length; base += 32) {
    const end = min(base + 32, length);
    let found: u32 = 0;
    for (let at = base; at < end; at++) {
      const code = <u32>load<T>(codes + <usize>at * sizeof<T>());
      found |= ((<u32>load<u8>(set + (code >>> 3)) >>> (code & 7)) & 1) << (at & 31);
    }
    store<u32>(bits + (base >>> 3), found);
  }
  clearFrom(bits, (length + 31) & ~31, length);
}

/** Sets the bits of the codes that are in the set, which is given as bits by code. */
export function selectMembers(codes: usize, width: u32, length: u32, set: usize, bits: usize): void {
  if (width === 1) members<u8>(codes, length, set, bits);
  else if (width === 2) members<u16>(codes, length, set, bits);
  else members<u32>(codes, length, set, bits);
}

/** The slot that a code belongs to, known to be `slot` or a later one: steps that double, then halving. */
function slotOf(starts: usize, slots: u32, slot: u32, at: u32): u32 {
  if (load<u32>(starts + ((<usize>(slot + 1)) << 2)) > at) return slot;
  let low = slot;
  let step: u32 = 1;
  while (low + step < slots && load<u32>(starts + ((<usize>(low + step)) << 2)) <= at) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step, slots);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (load<u32>(starts + ((<usize>middle) << 2)) <= at) low = middle;
    else high = middle;
  }
  return low;
}

/** Slots of so many rows to one found are looked up for what is found; fewer are all looked at. */
const SLOTS_PER_FOUND: u32 = 16;
/** Bits that can be looked at in one go, whatever their place in a byte. */
const BITS_AT_ONCE: u32 = 56;

/** Whether one of many bits is set, from `from` to below `to`. */
function anyOfMany(bits: usize, from: u32, to: u32): u64 {
  for (let at = from; at < to; at++) if (((load<u8>(bits + (at >>> 3)) >>> (at & 7)) & 1) !== 0) return 1;
  return 0;
}

/** From bits of codes to bits of the slots they belong to. */
export function slotsOfCodes(codeBits: usize, length: u32, starts: usize, slots: u32, bits: usize): void {
  let found: u32 = 0;
  const words = (length + 63) >>> 6;
  for (let i: u32 = 0; i < words; i++) found += <u32>popcnt(load<u64>(codeBits + ((<usize>i) << 3)));
  if (slots / SLOTS_PER_FOUND < found) {
    for (let base: u32 = 0; base < slots; base += 64) {
      const end = min(base + 64, slots);
      let own: u64 = 0;
      let from = load<u32>(starts + ((<usize>base) << 2));
      for (let slot = base; slot < end; slot++) {
        const to = load<u32>(starts + ((<usize>slot) << 2), NEXT);
        const count = to - from;
        let any: u64;
        if (count <= BITS_AT_ONCE) {
          const near = load<u64>(codeBits + (from >>> 3)) >>> (from & 7);
          any = <u64>((near & (((<u64>1) << count) - 1)) !== 0);
        } else any = anyOfMany(codeBits, from, to);
        own |= any << (slot & 63);
        from = to;
      }
      store<u64>(bits + (base >>> 3), own);
    }
    clearFrom(bits, (slots + 63) & ~63, slots);
    return;
  }
  clearFrom(bits, 0, slots);
  let slot: u32 = 0;
  for (let i: u32 = 0; i < words; i++) {
    let word = load<u64>(codeBits + ((<usize>i) << 3));
    while (word !== 0) {
      slot = slotOf(starts, slots, slot, (i << 6) + <u32>ctz(word));
      word &= word - 1;
      setBit(bits, slot);
    }
  }
}

/** From bits of slots to bits of the rows in the list of slots. */
export function rowsOfSlots(slotBits: usize, slots: u32, list: usize, rows: u32, bits: usize): void {
  clearFrom(bits, 0, rows);
  const words = (slots + 63) >>> 6;
  for (let i: u32 = 0; i < words; i++) {
    let word = load<u64>(slotBits + ((<usize>i) << 3));
    while (word !== 0) {
      const slot = (i << 6) + <u32>ctz(word);
      word &= word - 1;
      setBit(bits, load<u32>(list + ((<usize>slot) << 2)));
    }
  }
}
