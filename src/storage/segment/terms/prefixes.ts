/** The filter of what terms begin with and the letters that follow each other there, as `format.ts` describes them. */
import { wordsVector } from "../flat-table.ts";
import { listOf, type Maker } from "../handed-over.ts";
import { FILTER_LINE_BYTES } from "./format.ts";

/** About one beginning in thirty that no term has passes for one. */
const BITS_PER_PREFIX = 10;

/** Kernels read, and do not use, some behind the last. */
const FOLLOWERS_TAIL = 15;

interface PrefixMaker extends Maker {
  readonly kernels: Maker["kernels"] & {
    countPrefixes(): number;
    prefixFilter(out: number, lines: number): void;
    followerPairs(out: number): number;
  };
}

/** Of the terms that compiled code has written: those fields of the terms part that are about prefixes. */
export function prefixSlots(maker: PrefixMaker) {
  const { kernels } = maker;
  if (kernels.countPrefixes() === 0) return {};
  const lines = Math.ceil((kernels.countPrefixes() * BITS_PER_PREFIX) / 8 / FILTER_LINE_BYTES);
  const at = kernels.allocate(FILTER_LINE_BYTES * lines);
  kernels.prefixFilter(at, lines);
  const filter = maker.copyOfWords(at, (FILTER_LINE_BYTES / 4) * lines);
  const { letters, starts, followers } = followersOf(listOf(maker, (out) => kernels.followerPairs(out)));
  return {
    prefixFilter: wordsVector(filter),
    letters: wordsVector(letters),
    followerStarts: wordsVector(starts),
    followers: wordsVector(followers),
  };
}

/** By letter, from pairs of a letter and one that follows it, each of which is there once. */
function followersOf(pairs: Uint32Array) {
  const byLetter = new Map<number, number[]>();
  for (let i = 0; i < pairs.length; i += 2) {
    const known = byLetter.get(pairs[i]!);
    if (known === undefined) byLetter.set(pairs[i]!, [pairs[i + 1]!]);
    else known.push(pairs[i + 1]!);
  }
  const letters = Uint32Array.from(byLetter.keys()).sort();
  const starts = new Uint32Array(letters.length + 1);
  const followers = new Uint32Array(pairs.length / 2 + FOLLOWERS_TAIL);
  letters.forEach((letter, i) => {
    const own = Uint32Array.from(byLetter.get(letter)!).sort();
    followers.set(own, starts[i]!);
    starts[i + 1] = starts[i]! + own.length;
  });
  return { letters, starts, followers };
}
