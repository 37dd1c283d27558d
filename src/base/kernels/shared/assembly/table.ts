/**
 * Tells byte strings apart: each new one becomes an entry that is never moved, found again by its hash. Bytes are
 * compared eight at a time; up to seven bytes behind a string are read and have no meaning.
 */
import { allocate, allocateZeros } from "./region";

const FIRST_SLOTS: u32 = 64;
const NO_BYTES: u64 = 0;

/** Odd numbers with bits set all over. */
const MIX_LENGTH: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;
const MIX: u64 = ((<u64>0xff51afd7) << 32) | 0xed558ccd;
const MIX_LAST: u64 = ((<u64>0xc4ceb9fe) << 32) | 0x1a85ec53;

/** Chosen by the thread, so that nobody can send strings prepared to collide. */
let seed: u64 = 0;

export function useSeed(low: u32, high: u32): void {
  seed = ((<u64>high) << 32) | low;
}

/** A string in a table; its bytes follow, filled up to a multiple of eight with zeros. */
@unmanaged
export class Entry {
  hash: u32;
  length: u32;
  /** What the owner of the table keeps with the string. */
  value: u32;
  more: u32;

  @inline
  get bytes(): usize {
    return changetype<usize>(this) + offsetof<Entry>();
  }
}

/** The address of an entry, 0 when free, with its hash. */
@unmanaged
class Slot {
  hash: u32;
  entry: u32;
}

@unmanaged
export class Table {
  slots: usize;
  mask: u32;
  count: u32;
  /** Whether the entry found last is new. */
  isNew: bool;

  prepare(slots: u32 = FIRST_SLOTS): void {
    this.slots = allocateZeros(<usize>slots * offsetof<Slot>());
    this.mask = slots - 1;
    this.count = 0;
  }

  /** The entry of a string, made with value 0 when there is none. */
  @inline
  entry(bytes: usize, length: u32): Entry {
    const hash = hashOf(bytes, length);
    const slot = this.slotOf(bytes, length, hash);
    const found = slotAt(this.slots, slot).entry;
    this.isNew = found === 0;
    return found === 0 ? this.add(bytes, length, hash, slot) : changetype<Entry>(found);
  }

  has(bytes: usize, length: u32): bool {
    const slot = this.slotOf(bytes, length, hashOf(bytes, length));
    return slotAt(this.slots, slot).entry !== 0;
  }

  /** The slot that holds a string, or the free one where it belongs. */
  @inline
  private slotOf(bytes: usize, length: u32, hash: u32): u32 {
    const mask = this.mask;
    const slots = this.slots;
    let slot = hash & mask;
    while (true) {
      const at = slotAt(slots, slot);
      const found = at.entry;
      if (found === 0 || (at.hash === hash && isSame(changetype<Entry>(found), bytes, length))) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private add(bytes: usize, length: u32, hash: u32, slot: u32): Entry {
    const filled = (<usize>length + 7) & ~7;
    const entry = changetype<Entry>(allocate(offsetof<Entry>() + filled));
    entry.hash = hash;
    entry.length = length;
    entry.value = 0;
    entry.more = 0;
    if (filled > 0) store<u64>(entry.bytes + filled - 8, NO_BYTES);
    memory.copy(entry.bytes, bytes, length);
    this.fill(slot, hash, changetype<usize>(entry));
    if (++this.count * 2 > this.mask) this.grow();
    return entry;
  }

  private fill(slot: u32, hash: u32, entry: usize): void {
    const at = slotAt(this.slots, slot);
    at.hash = hash;
    at.entry = <u32>entry;
  }

  private grow(): void {
    const before = this.slots;
    const slots = this.mask + 1;
    const count = this.count;
    this.prepare((this.mask + 1) << 2);
    this.count = count;
    for (let i: u32 = 0; i < slots; i++) {
      const own = slotAt(before, i);
      if (own.entry === 0) continue;
      let slot = own.hash & this.mask;
      while (slotAt(this.slots, slot).entry !== 0) slot = (slot + 1) & this.mask;
      this.fill(slot, own.hash, own.entry);
    }
  }

  /** Addresses of all entries, in no order. */
  listTo(out: usize): void {
    let to = out;
    for (let i: u32 = 0; i <= this.mask; i++) {
      const entry = slotAt(this.slots, i).entry;
      if (entry === 0) continue;
      store<u32>(to, entry);
      to += 4;
    }
  }
}

export function slotAt(slots: usize, i: u32): Slot {
  return changetype<Slot>(slots + <usize>i * offsetof<Slot>());
}

function hashOf(bytes: usize, length: u32): u32 {
  let hash = seed ^ (<u64>length * MIX_LENGTH);
  let at = bytes;
  let left = length;
  for (; left > 8; left -= 8, at += 8) {
    hash = (hash ^ load<u64>(at)) * MIX;
    hash ^= hash >> 32;
  }
  if (left > 0) {
    hash = (hash ^ lastOf(at, left)) * MIX;
    hash ^= hash >> 32;
  }
  hash *= MIX_LAST;
  return <u32>(hash >> 32);
}

/** One to eight bytes as a number. */
function lastOf(at: usize, count: u32): u64 {
  return load<u64>(at) & (u64.MAX_VALUE >> ((8 - count) << 3));
}

function isSame(entry: Entry, bytes: usize, length: u32): bool {
  if (entry.length !== length) return false;
  const own = entry.bytes;
  let done: u32 = 0;
  for (; done + 8 < length; done += 8) if (load<u64>(own + done) !== load<u64>(bytes + done)) return false;
  return done >= length || load<u64>(own + done) === lastOf(bytes + done, length - done);
}
