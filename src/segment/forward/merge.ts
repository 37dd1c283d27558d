/** The words of the rows that stay, under the numbers that terms and fields have then. */
import { WordLog } from "../byte-log.ts";
import { flatPart, wordsVector } from "../flat-table.ts";
import { PART_FORWARD, type Part } from "../parts.ts";
import type { RowPlan } from "../row-plan.ts";
import { FIELD, GAP_BITS, GAP_MAX, ORDINALS_MAX, POSITION, VALUE_MASK } from "./format.ts";
import type { ForwardReader } from "./reader.ts";

export interface ForwardInput {
  reader: ForwardReader | null;
  /** By term and by field: what they are called then. Both ascend with what they were called. */
  ordinals: Uint32Array;
  fields: Uint16Array;
}

/** None when an input has none, or there are too many terms together. */
export function mergeForward(inputs: readonly ForwardInput[], termCount: number, plan: RowPlan): Part[] {
  const readers = inputs.map(({ reader }) => reader);
  if (termCount >= ORDINALS_MAX || readers.includes(null)) return [];
  const starts = new Uint32Array(plan.rows + 1);
  const words = new WordLog(readers.reduce((sum, reader) => sum + reader!.words.length, 0));
  for (let i = 0; i < plan.rows; i++) {
    const { fields, ordinals, reader } = inputs[plan.inputsOf[i]!]!;
    const row = plan.rowsOf[i]!;
    renumber(reader!.words, reader!.starts[row]!, reader!.starts[row + 1]!, ordinals, fields, words);
    starts[i + 1] = words.length;
  }
  return [flatPart(PART_FORWARD, [wordsVector(starts), wordsVector(words.view())])];
}

function renumber(
  from: Uint32Array,
  start: number,
  end: number,
  ordinals: Uint32Array,
  fields: Uint16Array,
  into: WordLog,
): void {
  const { words } = into;
  let { length } = into;
  for (let i = start; i < end; i++) {
    const word = from[i]!;
    if (word < FIELD) words[length++] = (ordinals[word >>> GAP_BITS]! << GAP_BITS) | (word & GAP_MAX);
    else words[length++] = word < POSITION ? FIELD | fields[word & VALUE_MASK]! : word;
  }
  into.length = length;
}
