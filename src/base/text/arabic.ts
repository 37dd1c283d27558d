/** The Arabic definite article, which is written together with its noun, becomes a word of its own. */
import type { Segmenter } from "./segmenter.ts";

const ALEFS = "اأإآٱ";
const LAM = "ل";

export const segmentArabic: Segmenter = (text, start, end, cuts) => {
  if (end - start > 2 && ALEFS.includes(text[start]!) && text[start + 1] === LAM) cuts.push(start + 2);
  cuts.push(end);
};
