/**
 * Several walks as one, in byte order: a tree in which the lesser term wins. Each loser remembers how many bytes it has in
 * common with the term it lost to; of two that lost to the same one, the one with more in common is less, so that terms
 * are compared only from where they can differ.
 *
 * A tree of losers: Knuth, "The Art of Computer Programming" 3, 5.4.1.
 */
import type { TermWalk } from "./reader.ts";

/** In common with nothing: loses against every term. */
const AT_END = -1;

export class TermTournament {
  /** Number of the walk that stands on the least term, the lowest of those that stand on it; -1 when all are at their end. */
  winner = -1;
  readonly #walks: readonly TermWalk[];
  /** Who lost at each inner node; the children of node n are 2n and 2n + 1, the walks are the leaves. */
  readonly #losers: Int32Array;
  /** Of each walk: bytes in common with the term it was last compared to. */
  readonly #common: Int32Array;

  constructor(walks: readonly TermWalk[]) {
    this.#walks = walks;
    this.#losers = new Int32Array(walks.length);
    this.#common = Int32Array.from(walks, (walk) => (walk.moveTo(0) ? 0 : AT_END));
    if (walks.length > 0) this.#crown(this.#play(1));
  }

  /** Bytes that the term has in common with the one that won before it. */
  get shared(): number {
    return this.#common[this.winner]!;
  }

  /** To the next term, which is the same one when another walk stands on it too. */
  advance(): void {
    const common = this.#common;
    const losers = this.#losers;
    const walks = this.#walks;
    let best = this.winner;
    const walk = walks[best]!;
    common[best] = walk.next() ? walk.shared : AT_END;
    for (let node = (walks.length + best) >>> 1; node > 0; node >>>= 1) {
      const other = losers[node]!;
      if (this.#isBefore(best, other)) continue;
      losers[node] = best;
      best = other;
    }
    this.#crown(best);
  }

  /** The winner below a node. */
  #play(node: number): number {
    const losers = this.#losers;
    const walks = this.#walks;
    if (node >= walks.length) return node - walks.length;
    const left = this.#play(2 * node);
    const right = this.#play(2 * node + 1);
    const leftWins = this.#isBefore(left, right);
    losers[node] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  #crown(best: number): void {
    this.winner = this.#common[best] === AT_END ? -1 : best;
  }

  /** Whether walk `a` wins against `b`; both were last compared to the same term. */
  #isBefore(a: number, b: number): boolean {
    const common = this.#common;
    const walks = this.#walks;
    const known = common[a]!;
    if (known !== common[b]) return known > common[b]!;
    if (known === AT_END) return a < b;
    const { bytes: left, length: leftLength } = walks[a]!;
    const { bytes: right, length: rightLength } = walks[b]!;
    const limit = Math.min(leftLength, rightLength);
    let at = known;
    while (at < limit && left[at] === right[at]) at++;
    const difference = at < limit ? left[at]! - right[at]! : leftLength - rightLength;
    const wins = difference === 0 ? a < b : difference < 0;
    common[wins ? b : a] = at;
    return wins;
  }
}
