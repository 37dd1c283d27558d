/** Starts of places by position, written while positions are visited in ascending order. */

/** Places so far. */
export let total: u32 = 0;
let startsAt: usize = 0;
/** Starts below this position are written. */
let filled: u32 = 0;

export function openStarts(starts: usize): void {
  startsAt = starts;
  total = 0;
  filled = 0;
}

/** Writes the starts up to and with that of a position. */
export function startsUpTo(position: u32): void {
  for (; filled <= position; filled++) store<u32>(startsAt + ((<usize>filled) << 2), total);
}

export function addPlaces(count: u32): void {
  total += count;
}
