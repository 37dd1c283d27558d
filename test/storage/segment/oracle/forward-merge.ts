/** The words of the rows that stay, under the numbers that terms and fields have then. */
import { flatPart } from "../../../../src/storage/segment/flat-table.ts";
import { type WordForm, wordFormOf } from "../../../../src/storage/segment/forward/format.ts";
import type { ForwardReader } from "../../../../src/storage/segment/forward/reader.ts";
import { ForwardPart } from "../../../../src/storage/segment/generated/forward-part.ts";
import { PART, type Part } from "../../../../src/storage/segment/parts.ts";
import type { RowPlan } from "../../../../src/storage/segment/row-plan.ts";
import { forwardSlots, gapCode, VALUE_MASK } from "./forward-words.ts";

interface ForwardInput {
  reader: ForwardReader | null;
  /** By term and by field: what they are called then. Both ascend with what they were called. */
  ordinals: Uint32Array;
  fields: Uint16Array;
}

/** None when an input has none, or there are too many terms together. */
export function mergeForward(inputs: readonly ForwardInput[], termCount: number, plan: RowPlan): Part[] {
  const readers = inputs.map(({ reader }) => reader);
  const form = wordFormOf(termCount);
  if (form === null || readers.includes(null)) return [];
  const starts = new Uint32Array(plan.rows + 1);
  // Each word may need a position told before it.
  const words = new Uint32Array(readers.reduce((sum, reader) => sum + 2 * reader!.count, 0));
  let length = 0;
  for (let i = 0; i < plan.rows; i++) {
    length = renumberRow(inputs[plan.inputsOf[i]!]!, plan.rowsOf[i]!, form, words, length);
    starts[i + 1] = length;
  }
  return [flatPart(PART.forward, ForwardPart, forwardSlots(form, starts, words.subarray(0, length)))];
}

/** Writes the words of a row to `into` behind the first `length`; returns how many there are then. */
function renumberRow(input: ForwardInput, row: number, to: WordForm, into: Uint32Array, length: number): number {
  const { fields, ordinals } = input;
  const reader = input.reader!;
  const from = reader.form;
  const end = reader.starts[row + 1]!;
  let next = length;
  /** Where the last word stood, and how far that is behind what was told of it. */
  let position = 0;
  let untold = 0;
  for (let i = reader.starts[row]!; i < end; i++) {
    const word = reader.word(i);
    if (word >= from.position) {
      untold += (word & VALUE_MASK) - position;
      position = word & VALUE_MASK;
    } else if (word >= from.field) {
      into[next++] = to.field | fields[word & VALUE_MASK]!;
      position = 0;
      untold = 0;
    } else {
      const told = word & from.lastCode;
      const gap = told === from.lastCode ? from.lastGap : told;
      const code = gapCode(to, untold + gap);
      position += gap;
      if (code < 0) into[next++] = to.position | position;
      into[next++] = (ordinals[word >>> from.gapBits]! << to.gapBits) | Math.max(code, 0);
      untold = 0;
    }
  }
  return next;
}
