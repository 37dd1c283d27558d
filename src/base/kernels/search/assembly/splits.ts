/** A word cut in two: the cut whose halves stand beside each other in most documents. */

import { termFind } from "../../dictionary/assembly/seek";
import { characterBytes } from "../../shared/assembly/characters";
import { timeIsUp } from "./clock";
import { findNumber, keepNumber, UNKNOWN } from "./findings";
import { index, segmentAt, segmentCount, termsOf } from "./index-of";
import { Node } from "./nodes";
import { countPhrase, newPhrase, putWord } from "./phrases";
import { findWord, Word } from "./words";

/**
 * The first one of equals. Where the query words were joined there is nothing new to find, so that cut is only looked at
 * when it might beat another.
 */
export function findSplit(node: Node): void {
  const text = node.input.text;
  const length = node.input.length;
  const isLasting = index.byAttribute === 0 || index.isRestricted === 0;
  const tag = SPLIT_TAG | node.input.seam;
  const known = isLasting ? findNumber(text, length, tag) : UNKNOWN;
  const best = known === UNKNOWN ? bestCut(text, length, node.input.seam) : known;
  if (isLasting && known === UNKNOWN && !timeIsUp) keepNumber(text, length, tag, best);
  if (best > 0) splitAt(node, best);
}

export function splitAt(node: Node, cut: u32): void {
  const text = node.input.text;
  node.cut = cut;
  const phrase = newPhrase(2);
  putWord(phrase, 0, findWord(text, cut));
  putWord(phrase, 1, findWord(text + cut, node.input.length - cut));
  phrase.whole = text;
  phrase.wholeLength = node.input.length;
  phrase.cut = cut;
  node.split = phrase;
}

/** Beyond all numbers of bytes a word can be cut after. */
const SPLIT_TAG: u32 = 0x2000;

/** Bytes before the best cut, 0 when there is none. */
function bestCut(text: usize, length: u32, seam: u32): u32 {
  let best: u32 = 0;
  let most: u32 = 0;
  for (let cut = characterBytes(load<u8>(text)); cut < length; cut += characterBytes(load<u8>(text + cut))) {
    if (cut === seam || !isTerm(text, cut) || !isTerm(text + cut, length - cut)) continue;
    const left = findWord(text, cut);
    const right = findWord(text + cut, length - cut);
    if (left.exists === 0 || right.exists === 0 || min(left.documents, right.documents) <= most) continue;
    const count = countTogether(left, right, text, length, cut);
    if (count <= most) continue;
    most = count;
    best = cut;
  }
  if (best > 0 && seam > 0) {
    const left = findWord(text, seam);
    const right = findWord(text + seam, length - seam);
    const enough = seam < best ? most : most + 1;
    if (min(left.documents, right.documents) >= enough && countTogether(left, right, text, length, seam) >= enough)
      return 0;
  }
  return best;
}

function isTerm(text: usize, length: u32): bool {
  for (let i: u32 = 0; i < segmentCount; i++) {
    const segment = segmentAt(i);
    if (termFind(termsOf(segment), 0, segment.termCount, text, length) !== -1) return true;
  }
  return false;
}

/** Documents with both side by side: `text`, cut after `cut` bytes. Known again as long as the index stays the same. */
function countTogether(left: Word, right: Word, text: usize, length: u32, cut: u32): u32 {
  const isLasting = index.byAttribute === 0 || index.isRestricted === 0;
  const known = isLasting ? findNumber(text, length, cut) : UNKNOWN;
  if (known !== UNKNOWN) return known;
  const phrase = newPhrase(2);
  putWord(phrase, 0, left);
  putWord(phrase, 1, right);
  const count = countPhrase(phrase);
  if (isLasting && !timeIsUp) keepNumber(text, length, cut, count);
  return count;
}
