/** The beginnings of words: their first two letters, which are few even where words are many. */
import { characterBytes, codePointAt } from "../../shared/assembly/characters";
import { NO_LETTER, Terms } from "./layout";
import { leave, length, next, openWalk, ordinal } from "./walk";

/**
 * For each two letters that terms in `[from, to)` begin with, as many as there is room for: the ordinal of the first such
 * term and its second letter. Returns how many; starts[that many] is the ordinal to go on from.
 */
export function termBranches(
  terms: Terms,
  from: u32,
  to: u32,
  scratch: usize,
  starts: usize,
  seconds: usize,
  capacity: u32,
): u32 {
  let count: u32 = 0;
  openWalk(terms, from, scratch);
  while (ordinal < to && count < capacity) {
    const first = characterBytes(load<u8>(scratch));
    const isAlone = first === length;
    const place = (<usize>count) << 2;
    store<u32>(starts + place, ordinal);
    store<u32>(seconds + place, isAlone ? NO_LETTER : codePointAt(scratch + first));
    count++;
    if (isAlone) next(to);
    else leave(first + characterBytes(load<u8>(scratch + first)), to);
  }
  store<u32>(starts + ((<usize>count) << 2), ordinal);
  return count;
}
