/**
 * Several walks as one, in byte order: a tree in which the lesser term wins. Each loser remembers how many bytes it has in
 * common with the term it lost to; of two that lost to the same one, the one with more in common is less, so that terms
 * are compared only from where they can differ.
 *
 * A tree of losers: Knuth, "The Art of Computer Programming" 3, 5.4.1.
 */
import { allocate } from "../../shared/assembly/region";
import { next, Walk } from "./walk";

/** In common with nothing: loses against every term. */
const AT_END: i32 = -1;

/** Number of the walk that stands on the least term, the lowest of those that stand on it; -1 when all are at their end. */
export let winner: i32 = -1;

let walks: usize = 0;
let count: u32 = 0;
/** Who lost at each inner node; the children of node n are 2n and 2n + 1, the walks are the leaves. */
let losers: usize = 0;
/** Of each walk: bytes in common with the term it was last compared to. */
let common: usize = 0;

/** `at`: the walks, side by side, none of which stands on a term yet. */
export function openTournament(at: usize, n: u32): void {
  walks = at;
  count = n;
  losers = allocate((<usize>n) << 2);
  common = allocate((<usize>n) << 2);
  for (let i: u32 = 0; i < n; i++) setCommon(i, next(walkAt(i)) ? 0 : AT_END);
  winner = -1;
  if (n > 0) crown(play(1));
}

export function walkAt(i: u32): Walk {
  return changetype<Walk>(walks + <usize>i * offsetof<Walk>());
}

/** Bytes that the winner's term has in common with the one that won before it. */
export function sharedBefore(): u32 {
  return commonOf(<u32>winner);
}

/** To the next term, which is the same one when another walk stands on it too. */
export function advance(): void {
  let best = <u32>winner;
  const walk = walkAt(best);
  setCommon(best, next(walk) ? <i32>walk.shared : AT_END);
  for (let node = (count + best) >> 1; node > 0; node >>= 1) {
    const place = losers + ((<usize>node) << 2);
    const other = load<u32>(place);
    if (isBefore(best, other)) continue;
    store<u32>(place, best);
    best = other;
  }
  crown(best);
}

function commonOf(walk: u32): i32 {
  return load<i32>(common + ((<usize>walk) << 2));
}

function setCommon(walk: u32, bytes: i32): void {
  store<i32>(common + ((<usize>walk) << 2), bytes);
}

/** The winner below a node. */
function play(node: u32): u32 {
  if (node >= count) return node - count;
  const left = play(2 * node);
  const right = play(2 * node + 1);
  const leftWins = isBefore(left, right);
  store<u32>(losers + ((<usize>node) << 2), leftWins ? right : left);
  return leftWins ? left : right;
}

function crown(best: u32): void {
  winner = commonOf(best) === AT_END ? -1 : <i32>best;
}

/** Whether walk `a` wins against `b`; both were last compared to the same term. */
function isBefore(a: u32, b: u32): bool {
  const known = commonOf(a);
  const other = commonOf(b);
  if (known !== other) return known > other;
  if (known === AT_END) return a < b;
  const left = walkAt(a);
  const right = walkAt(b);
  const limit = min(left.length, right.length);
  let at = <u32>known;
  while (at < limit && load<u8>(left.bytes + at) === load<u8>(right.bytes + at)) at++;
  const difference =
    at < limit
      ? <i32>load<u8>(left.bytes + at) - <i32>load<u8>(right.bytes + at)
      : <i32>left.length - <i32>right.length;
  const wins = difference === 0 ? a < b : difference < 0;
  setCommon(wins ? b : a, <i32>at);
  return wins;
}
