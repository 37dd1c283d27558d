/**
 * Whether a text may hold anything of what a query stands for: seen from the characters that words may begin with, in any
 * script, so that most texts that are not read here need not be read by the host either.
 */
import { characterBytes, codePointAt, lowerCase, SECOND } from "../../shared/assembly/characters";
import { BACKSLASH } from "../../shared/assembly/json";
import { allocateZeros } from "../../shared/assembly/region";
import { beginnings } from "./host";
import { mayBegin } from "./terms";
import { CARRIAGE_RETURN, mayFit, TAB } from "./words";

/** Characters from here on may begin anything. */
const LISTED_END: u32 = 0x10000;
/** First number of a place: 0 when nobody asked for the character, 255 when it may begin anything, else their count + 1. */
const UNKNOWN: u32 = 0;
const ANYTHING: u32 = 255;
const SMALL_B: u32 = 0x62;
const SMALL_U: u32 = 0x75;

/** What the lemma of a word that begins with a character may begin with. */
@unmanaged
class Beginnings {
  count: u16;
  first: u16;
  second: u16;
  third: u16;
}

let listed: usize = 0;

export function layBeginnings(): void {
  listed = allocateZeros(<usize>LISTED_END * offsetof<Beginnings>());
}

/** Whether the word whose first character, outside ASCII, is at `at` may be looked for. */
export function mayBeginWide(at: usize): bool {
  const codePoint = codePointAt(at);
  if (codePoint >= LISTED_END) return true;
  const place = listed + <usize>codePoint * offsetof<Beginnings>();
  const own = changetype<Beginnings>(place);
  if (own.count === UNKNOWN) beginnings(codePoint, place);
  const count = <u32>own.count;
  if (count === ANYTHING) return true;
  if (count > 1 && mayBegin(own.first)) return true;
  if (count > 2 && mayBegin(own.second)) return true;
  return count > 3 && mayBegin(own.third);
}

/** By what stands behind the backslash: a letter stands for a control character, or for anything. */
function mayBeginEscaped(byte: u32): bool {
  if (byte < SMALL_B) return mayBegin(byte);
  for (let control = TAB; control <= CARRIAGE_RETURN; control++) if (mayBegin(control)) return true;
  return byte === SMALL_U;
}

/** False when nothing in the text `[start, end)`, in JSON, is to be marked. */
export function mayHoldTerms(start: usize, end: usize): bool {
  let at = start;
  // Letters of ASCII next to each other are of one word.
  let isInside = false;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte >= 0x80) {
      if (mayBeginWide(at)) return true;
      isInside = false;
      at += characterBytes(byte);
    } else if (byte === BACKSLASH) {
      if (mayBeginEscaped(load<u8>(at, SECOND))) return true;
      isInside = false;
      at += 2;
    } else {
      const letter = lowerCase(byte);
      const isLetter = letter - 0x61 < 26;
      if (!(isLetter && isInside) && mayBegin(letter)) {
        // What is no letter may stand in a run whose words end anywhere.
        if (!isLetter || mayFit(at, end)) return true;
      }
      isInside = isLetter;
      at++;
    }
  }
  return false;
}
