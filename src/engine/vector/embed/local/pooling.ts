/** How the vectors of a text's tokens become the vector of the text. Pure arithmetic. */

export type Pooling = "cls" | "mean" | "max" | "meanSqrtLength" | "last";

/** Pools the `tokens` rows of `dimensions` values that begin at `start`; padding follows them and is not looked at. */
export function pool(kind: Pooling, rows: Float32Array, start: number, tokens: number, dimensions: number) {
  const pooled = new Float32Array(dimensions);
  const end = start + tokens * dimensions;
  if (kind === "cls") pooled.set(rows.subarray(start, start + dimensions));
  else if (kind === "last") pooled.set(rows.subarray(end - dimensions, end));
  else if (kind === "max") takeGreatest(pooled, rows, start, end);
  else takeSum(pooled, rows, start, end, kind === "mean" ? tokens : Math.sqrt(tokens));
  return pooled;
}

function takeGreatest(pooled: Float32Array, rows: Float32Array, start: number, end: number): void {
  pooled.fill(Number.NEGATIVE_INFINITY);
  for (let row = start; row < end; row += pooled.length) {
    for (let i = 0; i < pooled.length; i++) pooled[i] = Math.max(pooled[i]!, rows[row + i]!);
  }
}

function takeSum(pooled: Float32Array, rows: Float32Array, start: number, end: number, divisor: number): void {
  for (let row = start; row < end; row += pooled.length) {
    for (let i = 0; i < pooled.length; i++) pooled[i]! += rows[row + i]!;
  }
  for (let i = 0; i < pooled.length; i++) pooled[i]! /= divisor;
}

/** Brings the vector to length 1 in place; one of zeros stays as it is. */
export function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return;
  const length = Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! /= length;
}
