/**
 * A value written in a filter, seen as a number and as a normalized string, and the codes of a column it selects.
 * One column of one segment at a time; which documents that makes is up to `evaluate.ts`.
 */

import { Buffer } from "node:buffer";
import { NUMBER_TEXT } from "../../base/json/number.ts";
import { normalizeFacet } from "../../base/text/normalize.ts";
import type { Column, OrdinalRange } from "../../storage/segment/columns/column.ts";
import type { Comparison, Token } from "./filter.ts";

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

/** Codes of the values themselves. */
export function equalCodes(column: Column, operands: readonly Operand[]): OrdinalRange[] {
  const codes: OrdinalRange[] = [];
  for (const { number, bytes } of operands) {
    const numberAt = number === null ? -1 : column.ordinalOfNumber(number);
    if (numberAt !== -1) codes.push(column.codesOfNumbers({ from: numberAt, to: numberAt + 1 }));
    const stringAt = column.ordinalOfString(bytes);
    if (stringAt !== -1) codes.push(column.codesOfStrings({ from: stringAt, to: stringAt + 1 }));
  }
  return codes;
}

/** Codes of the values on the right side of the bound. */
export function comparedCodes(column: Column, operator: Comparison, { number, bytes }: Operand): OrdinalRange[] {
  const included = operator === ">=" || operator === "<=";
  const above = operator === ">" || operator === ">=";
  const strings = above
    ? column.rangeOfStrings(bytes, included, null, true)
    : column.rangeOfStrings(null, true, bytes, included);
  const codes = [column.codesOfStrings(strings)];
  if (number === null) return codes;
  const numbers = above
    ? column.rangeOfNumbers(number, included, Number.POSITIVE_INFINITY, true)
    : column.rangeOfNumbers(Number.NEGATIVE_INFINITY, true, number, included);
  codes.push(column.codesOfNumbers(numbers));
  return codes;
}

/** Codes of the values between the bounds, both included; numbers only if both bounds are numbers. */
export function codesBetween(column: Column, low: Operand, high: Operand): OrdinalRange[] {
  const codes = [column.codesOfStrings(column.rangeOfStrings(low.bytes, true, high.bytes, true))];
  if (low.number !== null && high.number !== null) {
    codes.push(column.codesOfNumbers(column.rangeOfNumbers(low.number, true, high.number, true)));
  }
  return codes;
}

export function codesStartingWith(column: Column, { bytes }: Operand): OrdinalRange[] {
  return [column.codesOfStrings(column.rangeOfPrefix(bytes))];
}

/** Codes of the strings that contain the bytes. One search over the whole dictionary, not one a string. */
export function codesContaining(column: Column, { bytes }: Operand): OrdinalRange[] {
  if (bytes.length === 0) return [column.codesOfStrings({ from: 0, to: column.stringCount })];
  const codes: OrdinalRange[] = [];
  const { stringBytes, stringOffsets } = column;
  let ordinal = 0;
  let at = stringBytes.indexOf(bytes);
  while (at !== -1) {
    while (stringOffsets[ordinal + 1]! <= at) ordinal++;
    if (at + bytes.length <= stringOffsets[ordinal + 1]!) {
      codes.push(column.codesOfStrings({ from: ordinal, to: ordinal + 1 }));
      at = stringBytes.indexOf(bytes, stringOffsets[ordinal + 1]);
    } else {
      // Found across the border of two strings.
      at = stringBytes.indexOf(bytes, at + 1);
    }
  }
  return codes;
}
