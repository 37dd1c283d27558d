/** Sorts 64-bit numbers. */

/** From this many on they are sorted by a heap, fewer by insertion. */
const MANY: u32 = 32;

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
