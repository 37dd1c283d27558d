/** Cuts a list into consecutive batches, bounded by count and by size; what is too large goes alone. */

export function inBatches<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  countMax: number,
  sizeMax: number,
): T[][] {
  const batches: T[][] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < countMax && total + size <= sizeMax) {
      batch.push(item);
      total += size;
    } else {
      batches.push([item]);
      total = size;
    }
  }
  return batches;
}
