/**
 * Several ordered lists of hits become one. No list is reordered: at each step the best of the heads is taken.
 * Queries of one index are merged first, so that a document which several of them found is kept once, where it came first;
 * then the indexes are merged. Knows places and elements, not documents.
 */
import { compareElements, type Element } from "../rank/elements.ts";

/** All that decides about the order. */
export interface MergeableHit {
  /** Position of the query that found it. */
  query: number;
  elements: Element[];
  /** Global score times the weight of the query. */
  weightedScore: number;
}

export interface FederatedHit extends MergeableHit {
  /** Place in that query's list. */
  at: number;
  docid: number;
}

/** Lazily, so that only what the page needs is compared. */
export function* mergeLists<Hit extends MergeableHit>(lists: readonly Iterable<Hit>[]): Generator<Hit> {
  const sources = lists.map((list) => list[Symbol.iterator]());
  const heads = sources.map((source) => headOf(source));
  for (;;) {
    let best = -1;
    for (let i = 0; i < heads.length; i++) {
      const head = heads[i];
      if (head && (best === -1 || goesFirst(head, heads[best]!))) best = i;
    }
    if (best === -1) return;
    yield heads[best]!;
    heads[best] = headOf(sources[best]!);
  }
}

/** The queries of one index: each document once. */
export function* mergeQueries(lists: readonly Iterable<FederatedHit>[]): Generator<FederatedHit> {
  const seen = new Set<number>();
  for (const hit of mergeLists(lists)) {
    if (seen.has(hit.docid)) continue;
    seen.add(hit.docid);
    yield hit;
  }
}

/** As lazily. */
export function* only<Item>(items: Iterable<Item>, test: (item: Item) => boolean): Generator<Item> {
  for (const item of items) if (test(item)) yield item;
}

function headOf<Hit>(source: Iterator<Hit>): Hit | null {
  const { done, value } = source.next();
  return done === true ? null : value;
}

function goesFirst(left: MergeableHit, right: MergeableHit): boolean {
  const order = compareElements(left.elements, right.elements, left.weightedScore, right.weightedScore);
  return order > 0 || (order === 0 && left.query < right.query);
}
