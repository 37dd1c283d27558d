/** How the words of rows are written, told plainly. */
import { bytesVector, wordsVector } from "../../../../src/storage/segment/flat-table.ts";
import { NARROW, NARROW_TAIL_BYTES, WIDE, type WordForm } from "../../../../src/storage/segment/forward/format.ts";

/** Of what comes with FIELD and POSITION. */
export const VALUE_MASK = 0xffff;

/** How a gap is told with a term; -1 when its position has to be told before. */
export function gapCode({ lastCode, lastGap }: WordForm, gap: number): number {
  if (gap < lastCode) return gap;
  return gap === lastGap ? lastCode : -1;
}

/** The fields of the part. */
export function forwardSlots(form: WordForm, starts: Uint32Array, words: Uint32Array) {
  if (form === WIDE) return { starts: wordsVector(starts), words: wordsVector(words) };
  return { starts: wordsVector(starts), narrow: bytesVector([narrowed(words)]) };
}

function narrowed(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * NARROW.bytes + NARROW_TAIL_BYTES);
  words.forEach((word, i) => {
    for (let byte = 0; byte < NARROW.bytes; byte++) bytes[i * NARROW.bytes + byte] = word >>> (8 * byte);
  });
  return bytes;
}
