/**
 * Room in the memory, handed out front to back and given back all at once: what one build gathers lives as long as the
 * build. The memory grows when it must, and the call under way is broken off when it cannot.
 */
const PAGE_SHIFT: usize = 16;
/** Grown by at least this many pages at a time. */
const PAGES_MIN: usize = 16;
/**
 * Grown to twice its size up to so many pages more: pages that nothing is put into take no memory, while the engine may collect garbage
 * each time that a memory of more than 64 MiB grows.
 */
const PAGES_DOUBLED_MAX: usize = 2048;

let next: usize = 0;
let limit: usize = 0;

/** Everything from `start` on is free again. */
export function freeFrom(start: usize): void {
  next = start;
  limit = (<usize>memory.size()) << PAGE_SHIFT;
}

/** `bytes` at a multiple of 16; what is in them is of no meaning. */
export function allocate(bytes: usize): usize {
  const place = next;
  const end = (place + bytes + 15) & ~15;
  if (end < place) unreachable();
  if (end > limit) grow(end);
  next = end;
  return place;
}

export function allocateZeros(bytes: usize): usize {
  const place = allocate(bytes);
  memory.fill(place, 0, bytes);
  return place;
}

/** Where the next allocation will be: with `freeFrom`, a way to give back what was allocated last. */
export function mark(): usize {
  return next;
}

function grow(end: usize): void {
  const wanted = (end - limit + 0xffff) >> PAGE_SHIFT;
  const there = limit >> PAGE_SHIFT;
  const more = max(PAGES_MIN, max(there >> 3, min(there, PAGES_DOUBLED_MAX)));
  let pages = max(wanted, more);
  if (memory.grow(<i32>pages) < 0) {
    pages = wanted;
    if (memory.grow(<i32>pages) < 0) unreachable();
  }
  limit += pages << PAGE_SHIFT;
}
