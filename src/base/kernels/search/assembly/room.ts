/**
 * Room for one search, used from both ends: what is only needed for a while is stacked from the bottom, what lasts until
 * the end of the search comes from the top. Nothing is left of it afterwards.
 */
const ALIGNED: usize = 15;

let top: usize = 0;
let floor: usize = 0;

export function openRoom(start: usize, end: usize): void {
  top = (start + ALIGNED) & ~ALIGNED;
  floor = end & ~ALIGNED;
}

/** How far the stack is in use, for `release`. */
export function mark(): usize {
  return top;
}

export function release(to: usize): void {
  top = to;
}

/** Bytes on the stack. A search that has no room left ends at once. */
export function stack(bytes: usize): usize {
  const at = top;
  if (bytes > floor - at) unreachable();
  top = (at + bytes + ALIGNED) & ~ALIGNED;
  if (top > floor) unreachable();
  return at;
}

/** All the room there is: what is used of it is claimed by `stack` afterwards. */
export function roomLeft(): usize {
  return floor - top;
}

/** Bytes that last until the end of the search. */
export function keep(bytes: usize): usize {
  const size = (bytes + ALIGNED) & ~ALIGNED;
  if (size > floor - top) unreachable();
  floor -= size;
  return floor;
}

export function keepZeros(bytes: usize): usize {
  const at = keep(bytes);
  memory.fill(at, 0, bytes);
  return at;
}
