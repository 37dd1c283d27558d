/**
 * Where in an ascending list? The one binary search: what is found there is the caller's business. Only the hottest loops have
 * one of their own, over arrays of a single kind (`PostingsCursor`, tries of words) or after a gallop (facet counts).
 */

/** The first place in [low, high) from which on `isReached` is true; `high` when it never is. */
export function firstWhere(low: number, high: number, isReached: (place: number) => boolean): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isReached(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The first place in [low, high) whose number is at least `value`; `high` when all are below it. */
export function firstAtLeast(numbers: ArrayLike<number>, value: number, low = 0, high = numbers.length): number {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The place of a number, -1 when it is not there. */
export function placeOf(numbers: ArrayLike<number>, value: number): number {
  const place = firstAtLeast(numbers, value);
  return place < numbers.length && numbers[place] === value ? place : -1;
}
