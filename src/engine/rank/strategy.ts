/** Which terms a document may lack: the matching strategy as groups of nodes, those given up first in front. */
import type { MatchingStrategy } from "../../base/contract/search.ts";
import type { QueryGraph } from "../query/graph.ts";
import type { RowSets } from "../query/row-sets.ts";
import type { Agreement } from "./agreement.ts";
import type { Matches } from "./matches.ts";
import { Reading } from "./reading.ts";

export class Strategy {
  /** Node numbers. */
  readonly groups: readonly (readonly number[])[];
  readonly #graph: QueryGraph;
  readonly #matches: Matches;
  readonly #agreement: Agreement | null;

  constructor(kind: MatchingStrategy, graph: QueryGraph, matches: Matches, live: RowSets, agreement: Agreement | null) {
    this.#agreement = agreement;
    this.#graph = graph;
    this.#matches = matches;
    this.groups = this.#removable(kind, live);
  }

  #removable(kind: MatchingStrategy, live: RowSets): number[][] {
    const { nodes, termCount } = this.#graph;
    if (kind === "all" || nodes.length === 0 || (kind === "last" && termCount === 1)) return [];
    const ranks = kind === "last" ? ranksFromLast(termCount) : this.#ranksByFrequency(live);
    const groups = new Map<number, number[]>();
    let hasPhrase = false;
    for (const { from, index, term, to } of nodes) {
      if (term.phrase !== null) {
        hasPhrase = true;
        continue;
      }
      const rank = Math.max(...ranks.slice(from, to + 1));
      const group = groups.get(rank) ?? [];
      group.push(index);
      groups.set(rank, group);
    }
    const ordered = [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
    if (!hasPhrase) ordered.pop();
    return ordered;
  }

  /** The most frequent terms get the lowest ranks; terms in no document count as most frequent. */
  #ranksByFrequency(live: RowSets): number[] {
    const { nodes, termCount } = this.#graph;
    const { spaces } = this.#matches.corpus;
    const here = Array.from({ length: termCount }, (_, term) => {
      const found = this.#matches.none();
      for (const node of nodes) {
        if (node.from <= term && term <= node.to) spaces.addTo(found, this.#matches.reading(Reading.whole(node)));
      }
      return spaces.countBoth(found, live);
    });
    const counts = this.#agreement?.frequencies(here) ?? here;
    const frequencies = counts.map((count) => count || Number.POSITIVE_INFINITY);
    const ranks: number[] = new Array(termCount).fill(0);
    let rank = 0;
    let previous = -1;
    const byFrequency = frequencies.map((_, term) => term).sort((a, b) => compare(frequencies[b]!, frequencies[a]!));
    for (const term of byFrequency) {
      if (frequencies[term] !== previous) rank++;
      previous = frequencies[term]!;
      ranks[term] = rank;
    }
    return ranks;
  }

  /** Documents of `allowed` that match some way through the graph on which what may be given up is skipped. */
  universe(allowed: RowSets): RowSets {
    const { nodes, termCount } = this.#graph;
    const { spaces } = this.#matches.corpus;
    const removable = new Set(this.groups.flat());
    const from: RowSets[] = [];
    for (let term = 0; term <= termCount; term++) from.push(allowed);
    for (let term = termCount - 1; term >= 0; term--) {
      const found = this.#matches.none();
      let isFree = false;
      for (const node of nodes) {
        if (node.from !== term) continue;
        if (removable.has(node.index)) isFree ||= node.size === 1;
        else if (!this.#matches.isEmpty(Reading.whole(node))) {
          spaces.addBoth(found, this.#matches.reading(Reading.whole(node)), from[node.to + 1]!);
        }
      }
      if (isFree) spaces.addTo(found, from[term + 1]!);
      from[term] = found;
    }
    return from[0]!;
  }
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function ranksFromLast(termCount: number): number[] {
  return Array.from({ length: termCount }, (_, term) => termCount - term);
}
