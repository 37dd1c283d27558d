/**
 * The operators that compare a field with a text, an entry for each: how it is written, whose feature it is, and the codes it
 * selects in a column. Words that are reserved, reading, messages and meaning follow from the entries.
 */
import type { FeatureName } from "../../base/contract/features.ts";
import type { Column, OrdinalRange } from "../../storage/segment/columns/column.ts";
import { codesContaining, codesStartingWith, type Operand } from "./operand.ts";

interface TextOperatorEntry {
  words: string;
  /** Without it the operator is refused. */
  feature: FeatureName | null;
  codes(column: Column, operand: Operand): OrdinalRange[];
  /** Where every value passes, those that are no strings too: an empty text selects every document with the field. */
  emptyIsAny: boolean;
}

const TABLE = {
  contains: { words: "CONTAINS", feature: "containsFilter", codes: codesContaining, emptyIsAny: false },
  startsWith: { words: "STARTS WITH", feature: null, codes: codesStartingWith, emptyIsAny: true },
} satisfies Record<string, TextOperatorEntry>;

export type TextOperator = keyof typeof TABLE;
export const TEXT_OPERATORS: Readonly<Record<TextOperator, TextOperatorEntry>> = TABLE;
export const TEXT_OPERATOR_KINDS = Object.keys(TABLE) as TextOperator[];

export function isTextOperator<F extends { kind: string }>(filter: F): filter is Extract<F, { kind: TextOperator }> {
  return Object.hasOwn(TABLE, filter.kind);
}
