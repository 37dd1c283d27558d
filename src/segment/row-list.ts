/** Lists of rows, ascending, that say which rows have something: what they have is found by the place of the row. */

/** The place of a row in a list, -1 when it is not there. */
export function placeOfRow(list: Uint32Array, row: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return list[low] === row ? low : -1;
}
