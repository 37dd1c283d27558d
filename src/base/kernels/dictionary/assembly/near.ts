/** Terms near a word: walks them in byte order, with a table of edit distances of which rows serve all that begin alike. */
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { addLetter, allowsAny, distanceOf, endOf, nextLetter, openTable, settled } from "./edit-table";
import { FuzzyWord, Near, NO_LETTER, Terms } from "./layout";
import { leave, length, next, openWalk, ordinal, seek, shared } from "./walk";

/**
 * Writes the ordinal to go on from, then a `Near` for terms in `[from, to)` whose distance from the word is 1 to its
 * limit, in byte order. Stops when there is no room for more, or after `steps` terms and branches. The terms must begin
 * with the word's first letter. A term that may go on behind the word is judged by its first beginning that is near enough and
 * to which no shorter beginning of the word is nearer.
 */
export function termsNear(
  terms: Terms,
  from: u32,
  to: u32,
  word: FuzzyWord,
  room: usize,
  steps: u32,
  out: usize,
  capacity: u32,
): u32 {
  openTable(room, word);
  const limit = word.limit;
  const isPrefix = word.isPrefix !== 0;
  openWalk(terms, from, room);
  let count: u32 = 0;
  let end = out + 4;
  let depth: u32 = 0;
  for (let left = steps; left > 0 && ordinal < to && count < capacity; left--) {
    while (depth > 0 && endOf(depth) > shared) depth--;
    let isDead = false;
    let isSettled = isPrefix && settled(depth);
    while (!isSettled && endOf(depth) < length) {
      isDead = !readLetter(room, depth);
      depth++;
      if (isDead) break;
      isSettled = isPrefix && settled(depth);
    }
    const first = ordinal;
    const distance = isDead ? <u32>0 : distanceOf(depth);
    if (isDead) skip(room, depth - 1, to);
    else if (isSettled) leave(endOf(depth), to);
    else next(to);
    if (distance === 0 || distance > limit) continue;
    const near = changetype<Near>(end);
    near.first = first;
    near.end = ordinal;
    near.distance = distance;
    end += offsetof<Near>();
    count++;
  }
  store<u32>(out, ordinal);
  return count;
}

/** Reads the term's letter after the first `depth`; false when no term that begins so can be near. */
function readLetter(text: usize, depth: u32): bool {
  const start = endOf(depth);
  const at = text + start;
  const lead = <u32>load<u8>(at);
  return addLetter(depth, lead < 0x80 ? lead : codePointAt(at), start + characterBytes(lead));
}

/** No term that goes on with this letter can be near: to the next letter with which one can. */
function skip(text: usize, depth: u32, to: u32): void {
  if (allowsAny(depth)) {
    leave(endOf(depth + 1), to);
    return;
  }
  const letter = nextLetter(depth, codePointAt(text + endOf(depth)) + 1);
  if (letter === NO_LETTER) leave(endOf(depth), to);
  else seek(endOf(depth), letter, to);
}
