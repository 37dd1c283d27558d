/** Which texts go through a model together. Texts of like length do, so that little of a run is padding. Pure. */

/**
 * Groups of indexes into `lengths` (tokens of each text): as many as stay within `tokensMax` when all are padded to the
 * longest of the group, but at least one.
 */
export function batchesOf(lengths: readonly number[], tokensMax: number): number[][] {
  const order = [...lengths.keys()].sort((a, b) => lengths[a]! - lengths[b]!);
  const batches: number[][] = [];
  for (const index of order) {
    const batch = batches.at(-1);
    // The order is ascending: the newest is the longest.
    if (batch !== undefined && (batch.length + 1) * lengths[index]! <= tokensMax) batch.push(index);
    else batches.push([index]);
  }
  return batches;
}
