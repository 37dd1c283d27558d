/** Sorts u32 numbers where they are. Those of a row are mostly few, and come as a few ascending runs. */

/** Up to this many, sorting by insertion is the fastest. */
const INSERTED_MAX: u32 = 32;

export function sort(values: usize, count: u32): void {
  if (count <= INSERTED_MAX) sortByInsertion(values, count);
  else sortByHeap(values, count);
}

function sortByInsertion(values: usize, count: u32): void {
  const end = values + ((<usize>count) << 2);
  for (let next = values + 4; next < end; next += 4) {
    const value = load<u32>(next);
    let at = next;
    for (; at > values && load<u32>(at - 4) > value; at -= 4) store<u32>(at, load<u32>(at - 4));
    store<u32>(at, value);
  }
}

function sortByHeap(values: usize, count: u32): void {
  let sorted: u32 = 1;
  while (sorted < count && at(values, sorted - 1) <= at(values, sorted)) sorted++;
  if (sorted === count) return;
  for (let root = count >> 1; root > 0; root--) sink(values, root - 1, count);
  for (let end = count - 1; end > 0; end--) {
    const greatest = at(values, 0);
    put(values, 0, at(values, end));
    put(values, end, greatest);
    sink(values, 0, end);
  }
}

function sink(values: usize, start: u32, end: u32): void {
  const value = at(values, start);
  let root = start;
  for (let child = root * 2 + 1; child < end; child = root * 2 + 1) {
    if (child + 1 < end && at(values, child + 1) > at(values, child)) child++;
    if (at(values, child) <= value) break;
    put(values, root, at(values, child));
    root = child;
  }
  put(values, root, value);
}

function at(values: usize, i: u32): u32 {
  return load<u32>(values + ((<usize>i) << 2));
}

function put(values: usize, i: u32, value: u32): void {
  store<u32>(values + ((<usize>i) << 2), value);
}
