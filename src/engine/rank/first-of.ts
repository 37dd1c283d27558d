/** The smallest of many, without putting the others in order. Plain numbers; what they measure is known by who asks. */

/**
 * Parts positions in the `count` first by key, then id, in that order, and the rest in any. There must be
 * at least `count` of them.
 */
export function partFirst(
  positions: readonly number[],
  keys: Float64Array,
  ids: Uint32Array,
  count: number,
): { first: number[]; rest: number[] } {
  const own = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i++) own[i] = keys[positions[i]!]!;
  const bound = kthSmallest(own, count - 1);
  const first: number[] = [];
  const tied: number[] = [];
  const rest: number[] = [];
  for (const position of positions) {
    const key = keys[position]!;
    (key < bound ? first : key === bound ? tied : rest).push(position);
  }
  tied.sort((a, b) => ids[a]! - ids[b]!);
  const taken = count - first.length;
  first.sort((a, b) => keys[a]! - keys[b]! || ids[a]! - ids[b]!);
  for (let i = 0; i < tied.length; i++) (i < taken ? first : rest).push(tied[i]!);
  return { first, rest };
}

/** The k-th smallest, counting from 0; reorders `values`. */
function kthSmallest(values: Float64Array, k: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const held = values[i]!;
      values[i++] = values[j]!;
      values[j--] = held;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return values[k]!;
}
