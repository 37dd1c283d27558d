/**
 * One list from two: what was found by words and what was found by meaning, each weighed by its share. Neither list is
 * reordered; at each step the better head is taken.
 */

import type { IndexView } from "../../storage/index/view.ts";
import { countOf, or } from "../query/row-sets.ts";
import { Distinct } from "../rank/distinct.ts";
import { compareElement, type Element, elementsOf } from "../rank/elements.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";
import { globalScore } from "../rank/score.ts";

/** The share of meaning and that of words, in single precision. */
interface Shares {
  semantic: number;
  keyword: number;
}

export function sharesOf(semanticRatio: number): Shares {
  const semantic = Math.fround(semanticRatio);
  return { semantic, keyword: Math.fround(1 - semantic) };
}

const GOOD_ENOUGH = 0.45;

/** Whether meaning could hardly add anything to what words found. */
export function isGoodEnough({ hits }: Pick<RankResult, "hits">, wanted: number, { keyword }: Shares): boolean {
  return hits.length >= wanted && hits.every(({ details }) => globalScore(details) * keyword >= GOOD_ENOUGH);
}

/** `distinct`: the attribute of which no two hits may share a value. At most `wanted` hits. */
export function mergeHybrid(
  view: IndexView,
  keyword: RankResult,
  semantic: RankResult,
  shares: Shares,
  distinct: string | null,
  wanted: number,
): RankResult {
  const columns = view.segments.map(({ reader }) => (distinct === null ? null : reader.columns.column(distinct)));
  const shown = new Distinct(columns);
  const candidates = or(keyword.candidates, semantic.candidates);
  const hits = mergedHits(keyword.hits, semantic.hits, shares, wanted, (hit) => {
    if (shown.has(hit.segment, hit.row)) {
      candidates[hit.segment]!.clear(hit.row);
      return false;
    }
    shown.add(hit.segment, hit.row);
    return true;
  });
  return {
    hits,
    candidates,
    total: Math.min(countOf(candidates), view.settings.pagination.maxTotalHits),
    query: keyword.query,
    degraded: keyword.degraded || semantic.degraded,
  };
}

/** Each document once, those that `accept` lets pass. */
export function mergedHits<Hit extends RankedHit>(
  keyword: readonly Hit[],
  semantic: readonly Hit[],
  shares: Shares,
  wanted: number,
  accept: (hit: Hit) => boolean,
): Hit[] {
  const taken = new Set<number>();
  const hits: Hit[] = [];
  const left = new Head(semantic, shares.semantic);
  const right = new Head(keyword, shares.keyword);
  while (hits.length < wanted) {
    const head = left.isBefore(right) ? left : right;
    const hit = head.take();
    if (hit === null) break;
    if (taken.has(hit.docid) || !accept(hit)) continue;
    taken.add(hit.docid);
    hits.push(hit);
  }
  return hits;
}

/** The first hit not yet taken of a list. */
class Head<Hit extends RankedHit> {
  readonly #hits: readonly Hit[];
  readonly #weight: number;
  #at = 0;
  #elements: Element[] | null = null;

  constructor(hits: readonly Hit[], weight: number) {
    this.#hits = hits;
    this.#weight = weight;
  }

  take(): Hit | null {
    this.#elements = null;
    return this.#hits[this.#at++] ?? null;
  }

  #open(): Element[] | null {
    const hit = this.#hits[this.#at];
    if (hit !== undefined) this.#elements ??= elementsOf(hit.details, this.#weight);
    return this.#elements;
  }

  /** Equals go first here. */
  isBefore(other: Head<Hit>): boolean {
    const own = this.#open();
    const others = other.#open();
    if (own === null || others === null) return others === null;
    return compare(own, others) >= 0;
  }
}

/** Positive when the left hit is better. */
function compare(left: readonly Element[], right: readonly Element[]): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const order = compareElement(left[i]!, right[i]!) ?? compareKinds(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** A score is better than a value, unless it is none at all. */
function compareKinds(left: Element, right: Element): number {
  if (left.kind === "score") return left.score === 0 ? -1 : 1;
  if (right.kind === "score") return right.score === 0 ? 1 : -1;
  return 0;
}
