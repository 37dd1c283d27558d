/**
 * How numbers are written when the server itself writes them: whole doubles keep a `.0`, large and small ones take an
 * exponent, single-precision ones their shortest digits. Numbers that came from a client keep their own text instead.
 */

/** Bounds of whole numbers of 64 bits, with a sign and without. */
export const I64_MIN = -(2n ** 63n);
export const I64_MAX = 2n ** 63n - 1n;
export const U64_MAX = 2n ** 64n - 1n;

/** A decimal number as people write one: what filters and coordinates take for a number. */
export const NUMBER_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whole numbers from here up, and fractions below the lower bound, are written with an exponent. */
const PLAIN_UPPER = 1e16;
const PLAIN_LOWER = 1e-5;

/** A finite double as JSON, always recognisable as one: `1.0`, `0.5`, `1e20`, `1.5e-7`. */
export function doubleText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const size = Math.abs(value);
  if (size < PLAIN_UPPER && size >= PLAIN_LOWER) {
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  return value.toExponential().replace("e+", "e");
}

/** Decimal digits that any single-precision float keeps, and digits that tell any two apart. */
const FLOAT_DIGITS_KEPT = 6;
const FLOAT_DIGITS_MAX = 9;

/** The shortest text that reads back as the same single-precision float. */
export function floatText(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return doubleText(value);
  for (let digits = FLOAT_DIGITS_KEPT; digits < FLOAT_DIGITS_MAX; digits++) {
    const candidate = Number(single.toPrecision(digits));
    if (Math.fround(candidate) === single) return doubleText(candidate);
  }
  return doubleText(Number(single.toPrecision(FLOAT_DIGITS_MAX)));
}
