/** Which of many counts are the highest. Plain numbers; what is counted is known by who asks. */

/** Positions of the `limit` highest counts, highest first; of equal counts the later position comes first. */
export function topCounts(counts: ArrayLike<number>, limit: number): number[] {
  if (limit === 0) return [];
  const threshold = counts.length <= limit ? 0 : leastOfHighest(counts, limit);
  const top: number[] = [];
  for (let i = 0; i < counts.length; i++) if (counts[i]! > threshold) top.push(i);
  for (let i = counts.length - 1; i >= 0 && top.length < limit; i--) if (counts[i] === threshold) top.push(i);
  return top.sort((a, b) => counts[b]! - counts[a]! || b - a);
}

/** The count that stands last among the highest: kept in a heap with the least of them on top. */
function leastOfHighest(counts: ArrayLike<number>, limit: number): number {
  const heap = new Float64Array(limit);
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    if (count <= heap[0]!) continue;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= limit) break;
      if (child + 1 < limit && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= count) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    heap[hole] = count;
  }
  return heap[0]!;
}
