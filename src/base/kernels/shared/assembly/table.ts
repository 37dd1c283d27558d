/**
 * Tells byte strings apart: each new one becomes an entry that is never moved, found again by its hash. Bytes are
 * compared eight at a time; up to seven bytes behind a string are read and have no meaning.
 */
import { allocate, allocateZeros } from "./region";

const FIRST_SLOTS: u32 = 64;

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

/** A slot is the hash and the address of an entry; address 0 when free. */
@unmanaged
export class Table {
  slots: usize;
  mask: u32;
  count: u32;
  /** Whether the entry found last is new. */
  isNew: bool;

  prepare(slots: u32 = FIRST_SLOTS): void {
    this.slots = allocateZeros((<usize>slots) << 3);
    this.mask = slots - 1;
    this.count = 0;
  }

  /** The entry of a string, made with value 0 when there is none. */
  @inline
  entry(bytes: usize, length: u32): Entry {
    const hash = hashOf(bytes, length);
    const slot = this.slotOf(bytes, length, hash);
    const found = load<u32>(this.slots + ((<usize>slot) << 3), 4);
    this.isNew = found === 0;
    return found === 0 ? this.add(bytes, length, hash, slot) : changetype<Entry>(found);
  }

  has(bytes: usize, length: u32): bool {
    const slot = this.slotOf(bytes, length, hashOf(bytes, length));
    return load<u32>(this.slots + ((<usize>slot) << 3), 4) !== 0;
  }

  /** The slot that holds a string, or the free one where it belongs. */
  @inline
  private slotOf(bytes: usize, length: u32, hash: u32): u32 {
    const mask = this.mask;
    const slots = this.slots;
    let slot = hash & mask;
    while (true) {
      const at = slots + ((<usize>slot) << 3);
      const found = load<u32>(at, 4);
      if (found === 0 || (load<u32>(at) === hash && isSame(changetype<Entry>(found), bytes, length))) break;
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
    if (filled > 0) store<u64>(entry.bytes + filled - 8, 0);
    memory.copy(entry.bytes, bytes, length);
    this.fill(slot, hash, changetype<usize>(entry));
    if (++this.count * 2 > this.mask) this.grow();
    return entry;
  }

  private fill(slot: u32, hash: u32, entry: usize): void {
    const at = this.slots + ((<usize>slot) << 3);
    store<u32>(at, hash);
    store<u32>(at, <u32>entry, 4);
  }

  private grow(): void {
    const before = this.slots;
    const end = before + ((<usize>this.mask + 1) << 3);
    const count = this.count;
    this.prepare((this.mask + 1) << 2);
    this.count = count;
    for (let at = before; at < end; at += 8) {
      const entry = load<u32>(at, 4);
      if (entry === 0) continue;
      const hash = load<u32>(at);
      let slot = hash & this.mask;
      while (load<u32>(this.slots + ((<usize>slot) << 3), 4) !== 0) slot = (slot + 1) & this.mask;
      this.fill(slot, hash, entry);
    }
  }

  /** Addresses of all entries, in no order. */
  listTo(out: usize): void {
    let to = out;
    const end = this.slots + ((<usize>this.mask + 1) << 3);
    for (let at = this.slots; at < end; at += 8) {
      const entry = load<u32>(at, 4);
      if (entry === 0) continue;
      store<u32>(to, entry);
      to += 4;
    }
  }
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
