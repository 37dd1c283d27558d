/** Picks the nearest of many without sorting them all: a heap that holds the best so far, the worst of them on top. */

/**
 * The `wanted` members of `positions` with the least distance, in order; where distances are equal the lower id goes
 * first. Lists are looked up by position.
 */
export function nearest(
  positions: Uint32Array,
  distances: Float32Array,
  docids: Uint32Array,
  wanted: number,
): Uint32Array {
  const byNearness = (a: number, b: number): number => distances[a]! - distances[b]! || docids[a]! - docids[b]!;
  if (wanted >= positions.length) return positions.toSorted(byNearness);
  if (wanted === 0) return new Uint32Array(0);
  const heap = positions.slice(0, wanted);
  const sink = (from: number): void => {
    const moved = heap[from]!;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= wanted) break;
      if (child + 1 < wanted && byNearness(heap[child + 1]!, heap[child]!) > 0) child++;
      if (byNearness(heap[child]!, moved) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moved;
  };
  for (let at = (wanted >>> 1) - 1; at >= 0; at--) sink(at);
  for (let i = wanted; i < positions.length; i++) {
    const position = positions[i]!;
    if (distances[position]! > distances[heap[0]!]! || byNearness(position, heap[0]!) >= 0) continue;
    heap[0] = position;
    sink(0);
  }
  return heap.sort(byNearness);
}
