/** Sorts 64-bit numbers. */
import { ByteRange } from "../../shared/assembly/byte-range";
import { allocate } from "../../shared/assembly/region";

/** From this many on they are sorted by a heap, fewer by insertion. */
const MANY: u32 = 32;

/** Runs that are told apart when numbers come in runs. */
const RUNS_MAX: u32 = 16;
const DIGIT_BITS: u64 = 8;
const DIGITS: usize = 256;

/** Bytes of what `sortRuns` notes of runs. */
export const RUNS_BYTES: usize = <usize>RUNS_MAX * offsetof<ByteRange>();

/**
 * Sorts numbers that come in a few ascending runs, of which mostly none reaches into another: those runs only change places.
 * Returns where the sorted ones are: in `room`, which is as large, or where they were. `runs`: RUNS_BYTES of no meaning.
 */
export function sortRuns(keys: usize, count: u32, room: usize, runs: usize): usize {
  const end = keys + ((<usize>count) << 3);
  let found: u32 = 0;
  for (let from = keys; from < end; ) {
    let to = from + 8;
    while (to < end && load<u64>(to) >= load<u64>(to - 8)) to += 8;
    if (found === RUNS_MAX) {
      sortKeys(keys, count);
      return keys;
    }
    let place = found++;
    for (; place > 0 && load<u64>(runAt(runs, place - 1).start) > load<u64>(from); place--) {
      const before = runAt(runs, place - 1);
      const run = runAt(runs, place);
      run.start = before.start;
      run.end = before.end;
    }
    const run = runAt(runs, place);
    run.start = <u32>from;
    run.end = <u32>to;
    from = to;
  }
  for (let i: u32 = 1; i < found; i++) {
    if (load<u64>(runAt(runs, i - 1).end - 8) <= load<u64>(runAt(runs, i).start)) continue;
    sortKeys(keys, count);
    return keys;
  }
  let to = room;
  for (let i: u32 = 0; i < found; i++) {
    const run = runAt(runs, i);
    const last: usize = run.end;
    for (let from: usize = run.start; from < last; from += 8, to += 8) store<u64>(to, load<u64>(from));
  }
  return room;
}

function runAt(runs: usize, i: u32): ByteRange {
  return changetype<ByteRange>(runs + <usize>i * offsetof<ByteRange>());
}

/** Sorts many numbers, digit by digit; those that all share are passed over. */
export function sortManyKeys(keys: usize, count: u32): void {
  const bytes = (<usize>count) << 3;
  const counts = allocate(DIGITS << 2);
  let from = keys;
  let to = allocate(bytes);
  for (let shift: u64 = 0; shift < 64; shift += DIGIT_BITS) {
    memory.fill(counts, 0, DIGITS << 2);
    for (let at = from; at < from + bytes; at += 8) {
      const place = counts + (digitOf(load<u64>(at), shift) << 2);
      store<u32>(place, load<u32>(place) + 1);
    }
    if (count === 0 || load<u32>(counts + (digitOf(load<u64>(from), shift) << 2)) === count) continue;
    let next = <u32>to;
    for (let digit: usize = 0; digit < DIGITS; digit++) {
      const place = counts + (digit << 2);
      const held = load<u32>(place);
      store<u32>(place, next);
      next += held << 3;
    }
    for (let at = from; at < from + bytes; at += 8) {
      const place = counts + (digitOf(load<u64>(at), shift) << 2);
      const there = load<u32>(place);
      store<u64>(there, load<u64>(at));
      store<u32>(place, there + 8);
    }
    const before = from;
    from = to;
    to = before;
  }
  if (from !== keys) memory.copy(keys, from, bytes);
}

function digitOf(key: u64, shift: u64): usize {
  return <usize>((key >> shift) & 0xff);
}

function keyAt(keys: usize, i: u32): u64 {
  return load<u64>(keys + ((<usize>i) << 3));
}

function setKey(keys: usize, i: u32, key: u64): void {
  store<u64>(keys + ((<usize>i) << 3), key);
}

export function sortKeys(keys: usize, count: u32): void {
  if (count > MANY) {
    for (let i = count >> 1; i > 0; i--) sink(keys, i - 1, count);
    for (let end = count - 1; end > 0; end--) {
      const greatest = keyAt(keys, 0);
      setKey(keys, 0, keyAt(keys, end));
      setKey(keys, end, greatest);
      sink(keys, 0, end);
    }
    return;
  }
  for (let i: u32 = 1; i < count; i++) {
    const held = keyAt(keys, i);
    let to = i;
    for (; to > 0 && keyAt(keys, to - 1) > held; to--) setKey(keys, to, keyAt(keys, to - 1));
    setKey(keys, to, held);
  }
}

function sink(keys: usize, from: u32, count: u32): void {
  const held = keyAt(keys, from);
  let at = from;
  while (true) {
    let below: u32 = 2 * at + 1;
    if (below >= count) break;
    if (below + 1 < count && keyAt(keys, below + 1) > keyAt(keys, below)) below++;
    if (keyAt(keys, below) <= held) break;
    setKey(keys, at, keyAt(keys, below));
    at = below;
  }
  setKey(keys, at, held);
}
