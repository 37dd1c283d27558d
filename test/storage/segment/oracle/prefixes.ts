/** What terms begin with, plainly: every beginning is written down, and set in the filter, by itself. */
import { codePointAt } from "../../../../src/base/text/utf8.ts";
import { wordsVector } from "../../../../src/storage/segment/flat-table.ts";
import { FILTER_LINE_BYTES } from "../../../../src/storage/segment/terms/format.ts";

const LETTERS = 8;
const BITS_PER_PREFIX = 10;
const LINE_BITS = FILTER_LINE_BYTES * 8;
const NO_LETTERS = 0x811c9dc5;
const MIX = 0x9e3779b1;

/** Those fields of a terms part that are about prefixes. */
export function plainPrefixSlots(terms: readonly Uint8Array[]) {
  const beginnings = new Map<string, { hash: number; letter: number }>();
  const followers = new Map<number, Set<number>>();
  for (const term of terms) {
    const letters = lettersOf(term).slice(0, LETTERS);
    let hash = NO_LETTERS;
    letters.forEach((letter, i) => {
      beginnings.set(letters.slice(0, i + 1).join(), { hash, letter });
      const mixed = Math.imul(hash ^ letter, MIX) >>> 0;
      hash = (mixed ^ (mixed >>> 15)) >>> 0;
      const next = letters[i + 1];
      if (next !== undefined) followers.set(letter, (followers.get(letter) ?? new Set()).add(next));
    });
  }
  if (beginnings.size === 0) return {};
  const lines = Math.ceil((beginnings.size * BITS_PER_PREFIX) / LINE_BITS);
  const filter = new Uint8Array(lines * FILTER_LINE_BYTES);
  for (const { hash, letter } of beginnings.values()) {
    const line = Math.floor((hash * lines) / 2 ** 32) * FILTER_LINE_BYTES;
    const mixed = Math.imul(letter, MIX) >>> 0;
    const first = (hash % 4) * 128 + ((mixed >>> 25) ^ ((hash >>> 2) % 128));
    for (const bit of [first, ((mixed >>> 16) ^ (hash >>> 9)) % LINE_BITS]) {
      filter[line + (bit >>> 3)]! |= 1 << (bit & 7);
    }
  }
  const followed = [...followers.keys()].sort((a, b) => a - b);
  const lists = followed.map((letter) => [...followers.get(letter)!].sort((a, b) => a - b));
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1)! + list.length);
  const words = (list: readonly number[]) => wordsVector(Uint32Array.from(list));
  return {
    prefixFilter: wordsVector(new Uint32Array(filter.buffer)),
    letters: words(followed),
    followerStarts: words(starts),
    followers: words([...lists.flat(), ...new Array<number>(15).fill(0)]),
  };
}

function lettersOf(term: Uint8Array): number[] {
  const letters: number[] = [];
  for (let at = 0; at < term.length; ) {
    const letter = codePointAt(term, at);
    letters.push(letter);
    at += letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
  }
  return letters;
}
