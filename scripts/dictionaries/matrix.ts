// What is alike in a matrix: rows or columns that are the same, and for each the one before it that it has most in common
// with.

export interface Grid {
  rows: number;
  columns: number;
  /** At row * columns + column. */
  cells: Int32Array;
}

export function transposed({ rows, columns, cells }: Grid): Grid {
  const turned = new Int32Array(cells.length);
  for (let at = 0; at < cells.length; at++) turned[(at % columns) * rows + Math.floor(at / columns)] = cells[at]!;
  return { rows: columns, columns: rows, cells: turned };
}

/** Each different row once, in the order of first appearance, and which of them every row is. */
export function distinctRows({ rows, columns, cells }: Grid): { grid: Grid; rowOf: number[] } {
  const places = new Map<string, number>();
  const kept: number[] = [];
  const rowOf: number[] = [];
  for (let row = 0; row < rows; row++) {
    const values = cells.subarray(row * columns, (row + 1) * columns);
    const key = Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("latin1");
    const place = places.get(key) ?? places.size;
    if (place === places.size) {
      places.set(key, place);
      kept.push(row);
    }
    rowOf.push(place);
  }
  const distinct = new Int32Array(kept.length * columns);
  for (const [place, row] of kept.entries()) {
    distinct.set(cells.subarray(row * columns, (row + 1) * columns), place * columns);
  }
  return { grid: { rows: kept.length, columns, cells: distinct }, rowOf };
}

/** For each row the one before it that it agrees with in most places, the nearest of those; itself for the first. */
export function rowsLike({ rows, columns, cells }: Grid): number[] {
  const like = [0];
  for (let row = 1; row < rows; row++) {
    let most = -1;
    let nearest = row;
    for (let other = row - 1; other >= 0; other--) {
      const same = agreements(cells, row * columns, other * columns, columns);
      if (same <= most) continue;
      most = same;
      nearest = other;
    }
    like.push(nearest);
  }
  return like.slice(0, rows);
}

/** Each row less the row like it. */
export function lessRowsLike({ rows, columns, cells }: Grid, like: readonly number[]): Grid {
  const differences = cells.slice();
  for (const [row, other] of like.entries()) {
    if (other === row) continue;
    for (let column = 0; column < columns; column++) {
      differences[row * columns + column]! -= cells[other * columns + column]!;
    }
  }
  return { rows, columns, cells: differences };
}

function agreements(cells: Int32Array, one: number, other: number, count: number): number {
  let same = 0;
  for (let at = 0; at < count; at++) if (cells[one + at] === cells[other + at]) same++;
  return same;
}
