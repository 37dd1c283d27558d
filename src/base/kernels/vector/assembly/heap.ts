/**
 * Heaps of keys: a distance in the upper half, whose bits order as the number does because it is not negative, and an
 * id in the lower. So the lower of two keys is the nearer one, and of equally near ones that with the lower id.
 */

export function keyOf(distance: f32, id: u32): u64 {
  return ((<u64>reinterpret<u32>(distance)) << 32) | <u64>id;
}

export function distanceOf(key: u64): f32 {
  return reinterpret<f32>(<u32>(key >> 32));
}

/** Keeps the lowest `capacity` keys, the highest of them on top; returns how many there are. */
export function keep(heap: usize, size: u32, capacity: u32, key: u64): u32 {
  if (size < capacity) {
    rise(heap, size, key);
    return size + 1;
  }
  if (key < load<u64>(heap)) sink(heap, size, key);
  return size;
}

/** Puts a key in the last place and lets it rise: highest on top. */
function rise(heap: usize, last: u32, key: u64): void {
  let at = last;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(heap + 8 * <usize>parent);
    if (above >= key) break;
    store<u64>(heap + 8 * <usize>at, above);
    at = parent;
  }
  store<u64>(heap + 8 * <usize>at, key);
}

/** Puts a key in the place of the top and lets it sink: highest on top. */
function sink(heap: usize, size: u32, key: u64): void {
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= size) break;
    let below = load<u64>(heap + 8 * <usize>child);
    if (child + 1 < size) {
      const other = load<u64>(heap + 8 * <usize>(child + 1));
      if (other > below) {
        below = other;
        child++;
      }
    }
    if (below <= key) break;
    store<u64>(heap + 8 * <usize>at, below);
    at = child;
  }
  store<u64>(heap + 8 * <usize>at, key);
}

/** Adds a key to a heap with the lowest on top. */
export function add(heap: usize, size: u32, key: u64): void {
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(heap + 8 * <usize>parent);
    if (above <= key) break;
    store<u64>(heap + 8 * <usize>at, above);
    at = parent;
  }
  store<u64>(heap + 8 * <usize>at, key);
}

/** Takes the top of a heap with the lowest on top; `size` is what is left without it. */
export function take(heap: usize, size: u32): u64 {
  const top = load<u64>(heap);
  const key = load<u64>(heap + 8 * <usize>size);
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= size) break;
    let below = load<u64>(heap + 8 * <usize>child);
    if (child + 1 < size) {
      const other = load<u64>(heap + 8 * <usize>(child + 1));
      if (other < below) {
        below = other;
        child++;
      }
    }
    if (below >= key) break;
    store<u64>(heap + 8 * <usize>at, below);
    at = child;
  }
  store<u64>(heap + 8 * <usize>at, key);
  return top;
}

/** Orders the keys of a heap with the highest on top: lowest first. */
export function sorted(heap: usize, size: u32): void {
  for (let last = size; last > 1; last--) {
    const top = load<u64>(heap);
    const end = heap + 8 * <usize>last - 8;
    const key = load<u64>(end);
    sink(heap, last - 1, key);
    store<u64>(end, top);
  }
}
