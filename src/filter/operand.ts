/**
 * A value written in a filter, seen as a number and as a normalized string, and the codes of a column it selects.
 * One column of one segment at a time; which documents that makes is up to `evaluate.ts`.
 */
import { Buffer } from "node:buffer";
import { Bitmap } from "../segment/bitmap.ts";
import type { Column, OrdinalRange } from "../segment/columns/column.ts";
import { normalizeFacet } from "../text/normalize.ts";
import type { Comparison, Token } from "./filter.ts";

const NUMBER_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export interface Operand {
  /** Null when the text is no finite number. */
  number: number | null;
  /** Normalized, as UTF-8; unlike stored values it is never cut. */
  bytes: Uint8Array;
}

export function operandOf(token: Token): Operand {
  const number = NUMBER_TEXT.test(token.text) ? Number(token.text) : Number.NaN;
  return { number: Number.isFinite(number) ? number : null, bytes: Buffer.from(normalizeFacet(token.text)) };
}

/** Adds the rows that have one of the values. */
export function addEqualRows(column: Column, operands: readonly Operand[], out: Bitmap): void {
  const codes = Bitmap.create(column.codesMax + 1);
  let only: OrdinalRange | null = null;
  let ranges = 0;
  const choose = (range: OrdinalRange): void => {
    codes.setRange(range.from, range.to);
    only = range;
    ranges++;
  };
  for (const { number, bytes } of operands) {
    const numberAt = number === null ? -1 : column.ordinalOfNumber(number);
    if (numberAt !== -1) choose(column.codesOfNumbers({ from: numberAt, to: numberAt + 1 }));
    const stringAt = column.ordinalOfString(bytes);
    if (stringAt !== -1) choose(column.codesOfStrings({ from: stringAt, to: stringAt + 1 }));
  }
  if (ranges === 1) column.rowsWithCodes(only!, out);
  else if (ranges > 1) column.rowsWithCodeSet(codes, out);
}

/** Adds the rows that have a value on the right side of the bound. */
export function addComparedRows(column: Column, operator: Comparison, { number, bytes }: Operand, out: Bitmap): void {
  const included = operator === ">=" || operator === "<=";
  if (operator === ">" || operator === ">=") {
    if (number !== null) {
      column.rowsWithNumberOrdinals(column.rangeOfNumbers(number, included, Number.POSITIVE_INFINITY, true), out);
    }
    column.rowsWithStringOrdinals(column.rangeOfStrings(bytes, included, null, true), out);
    return;
  }
  if (number !== null) {
    column.rowsWithNumberOrdinals(column.rangeOfNumbers(Number.NEGATIVE_INFINITY, true, number, included), out);
  }
  column.rowsWithStringOrdinals(column.rangeOfStrings(null, true, bytes, included), out);
}

/** Adds the rows that have a value between the bounds, both included; numbers only if both bounds are numbers. */
export function addRowsBetween(column: Column, low: Operand, high: Operand, out: Bitmap): void {
  if (low.number !== null && high.number !== null) {
    column.rowsWithNumberOrdinals(column.rangeOfNumbers(low.number, true, high.number, true), out);
  }
  column.rowsWithStringOrdinals(column.rangeOfStrings(low.bytes, true, high.bytes, true), out);
}

export function addRowsStartingWith(column: Column, { bytes }: Operand, out: Bitmap): void {
  column.rowsWithStringOrdinals(column.rangeOfPrefix(bytes), out);
}

/** Adds the rows with a string that contains the bytes. One search over the whole dictionary, not one a string. */
export function addRowsContaining(column: Column, { bytes }: Operand, out: Bitmap): void {
  if (bytes.length === 0) {
    column.rowsWithStringOrdinals({ from: 0, to: column.stringCount }, out);
    return;
  }
  const codes = Bitmap.create(column.codesMax + 1);
  const { stringBytes, stringOffsets } = column;
  let ordinal = 0;
  let at = stringBytes.indexOf(bytes);
  while (at !== -1) {
    while (stringOffsets[ordinal + 1]! <= at) ordinal++;
    if (at + bytes.length <= stringOffsets[ordinal + 1]!) {
      const range = column.codesOfStrings({ from: ordinal, to: ordinal + 1 });
      codes.setRange(range.from, range.to);
      at = stringBytes.indexOf(bytes, stringOffsets[ordinal + 1]);
    } else {
      // Found across the border of two strings.
      at = stringBytes.indexOf(bytes, at + 1);
    }
  }
  column.rowsWithCodeSet(codes, out);
}
