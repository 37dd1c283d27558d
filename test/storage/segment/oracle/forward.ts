/** The words of each row in their order, told plainly. */
import { flatPart } from "../../../../src/storage/segment/flat-table.ts";
import { wordFormOf } from "../../../../src/storage/segment/forward/format.ts";
import { ForwardPart } from "../../../../src/storage/segment/generated/forward-part.ts";
import { PART, type Part } from "../../../../src/storage/segment/parts.ts";
import { forwardSlots, gapCode } from "./forward-words.ts";
import type { SortedTerms } from "./inverter.ts";

interface Token {
  field: number;
  position: number;
  ordinal: number;
}

export function forwardPart(rows: number, { count, occurrences, pairs }: SortedTerms, form = wordFormOf(count)!): Part {
  const tokens: Token[][] = Array.from({ length: rows }, () => []);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    for (let i = occurrences[ordinal]!; i < occurrences[ordinal + 1]!; i++) {
      const place = pairs[2 * i + 1]!;
      tokens[pairs[2 * i]!]!.push({ field: place >>> 16, position: place & 0xffff, ordinal });
    }
  }
  const starts = [0];
  const words: number[] = [];
  for (const row of tokens) {
    row.sort((a, b) => a.field - b.field || a.position - b.position);
    row.forEach(({ field, position, ordinal }, i) => {
      const before = row[i - 1];
      const isFirst = before === undefined || before.field !== field;
      if (isFirst) words.push(form.field + field);
      const gap = isFirst ? position : position - before.position;
      const code = gapCode(form, gap);
      if (code < 0) words.push(form.position + position);
      words.push(ordinal * 2 ** form.gapBits + Math.max(code, 0));
    });
    starts.push(words.length);
  }
  return flatPart(PART.forward, ForwardPart, forwardSlots(form, Uint32Array.from(starts), Uint32Array.from(words)));
}
