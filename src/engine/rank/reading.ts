/**
 * A node of the query graph as one reading of it: which of its derivations may still be used. Rules narrow readings;
 * a list of readings, one per term, is an interpretation of the query.
 */
import type { GraphNode, QueryGraph } from "../query/graph.ts";
import { type Phrase, samePhrase } from "../query/synonyms.ts";
import type { Word } from "../query/vocabulary.ts";

/** What is left of the words without typos: nothing, all of them, or only the word itself. */
type Untouched = 0 | 1 | 2;
const UNTOUCHED_NONE = 0;
const UNTOUCHED_ALL = 1;
const UNTOUCHED_EXACT = 2;

export class Reading {
  readonly node: GraphNode;
  readonly untouched: Untouched;
  readonly one: boolean;
  readonly two: boolean;
  /** Tells readings of one query apart. */
  readonly key: number;

  constructor(node: GraphNode, untouched: Untouched, one: boolean, two: boolean) {
    this.node = node;
    this.untouched = untouched;
    this.one = one;
    this.two = two;
    this.key = node.index * 16 + untouched * 4 + (one ? 2 : 0) + (two ? 1 : 0);
  }

  static whole(node: GraphNode): Reading {
    return new Reading(node, UNTOUCHED_ALL, true, true);
  }

  /** The one with that key. */
  static of(nodes: readonly GraphNode[], key: number): Reading {
    return new Reading(nodes[key >>> 4]!, ((key >>> 2) & 3) as Untouched, (key & 2) !== 0, (key & 1) !== 0);
  }

  /** Only the words with that many typos. */
  tier(typos: number): Reading {
    return new Reading(
      this.node,
      typos === 0 ? this.untouched : UNTOUCHED_NONE,
      typos === 1 && this.one,
      typos === 2 && this.two,
    );
  }

  /** Nothing was narrowed yet. */
  get isWhole(): boolean {
    return this.untouched === UNTOUCHED_ALL && this.one && this.two;
  }

  /** False when there is nothing it could match; true does not promise a document. */
  mayMatch(): boolean {
    if (this.node.term.phrase !== null || this.node.term.synonyms.length > 0) return true;
    if (this.untouched !== UNTOUCHED_NONE) {
      const { commonPrefix, completions, exact } = this.node.term;
      if (exact !== null || commonPrefix !== null || completions.length > 0) return true;
    }
    if (!this.one && !this.two) return false;
    const { one, split, two } = this.node.term.tiers;
    return (this.one && (one.length > 0 || split !== null)) || (this.two && two.length > 0);
  }

  exactly(): Reading {
    return new Reading(this.node, UNTOUCHED_EXACT, false, false);
  }

  get typosMax(): number {
    const { term } = this.node;
    if (term.typos === 0) return term.phrase === null ? 1 : 0;
    if (term.typos === 1) return this.one ? 1 : 0;
    return this.two ? 2 : this.one ? 1 : 0;
  }

  /** Words without typos count everywhere, unless several query words were joined. */
  plainWords(): Word[] {
    const { term } = this.node;
    const words: Word[] = [];
    if (this.untouched === UNTOUCHED_NONE) return words;
    if (term.exact !== null) words.push(term.exact);
    if (this.untouched === UNTOUCHED_ALL) words.push(...term.completions);
    return words;
  }

  /** Words with typos count only where typos are tolerated. */
  typoWords(): Word[] {
    if (!this.one && !this.two) return [];
    const { one, two } = this.node.term.tiers;
    return [...(this.one ? one : []), ...(this.two ? two : [])];
  }

  words(): Word[] {
    return [...this.plainWords(), ...this.typoWords()];
  }

  commonPrefix(): string | null {
    return this.untouched === UNTOUCHED_NONE ? null : this.node.term.commonPrefix;
  }

  /** The phrase itself, synonyms, and the word cut in two. */
  phrases(): readonly Phrase[] {
    const { term } = this.node;
    if (term.phrase !== null) return [term.phrase];
    const split = this.one ? term.tiers.split : null;
    if (split === null || term.synonyms.some((known) => samePhrase(known, split))) return term.synonyms;
    return [...term.synonyms, split];
  }

  /** What the user wrote, if it can be found as it is; null otherwise. */
  exactTerm(): Phrase | null {
    const { term } = this.node;
    if (term.joined !== null || this.untouched === UNTOUCHED_NONE) return null;
    if (term.phrase !== null) return term.phrase;
    return term.exact === null ? null : [term.exact.text];
  }
}

export type Interpretation = readonly Reading[];

/** How the query may be read: in every way the graph allows, or in the ways an earlier rule left. */
export interface Interpretations {
  readonly paths: readonly Interpretation[];
  /** No rule has chosen yet: paths follow the graph and share their beginnings. */
  readonly isGraph: boolean;
}

/** All ways through a graph, in the order of its nodes; found when a rule needs them. */
export class GraphPaths implements Interpretations {
  readonly isGraph = true;
  readonly #graph: QueryGraph;
  #paths: readonly Interpretation[] | null = null;

  constructor(graph: QueryGraph) {
    this.#graph = graph;
  }

  get paths(): readonly Interpretation[] {
    this.#paths ??= allPaths(this.#graph);
    return this.#paths;
  }
}

function allPaths({ nodes, termCount }: QueryGraph): Interpretation[] {
  const paths: Interpretation[] = [];
  const whole = nodes.map((node) => Reading.whole(node));
  const walk = (from: number, path: Reading[]): void => {
    if (from === termCount) {
      paths.push(path);
      return;
    }
    for (const node of nodes) if (node.from === from) walk(node.to + 1, [...path, whole[node.index]!]);
  };
  walk(0, []);
  return paths;
}

/** Paths chosen by a rule, without repetitions; a path that is the end of an earlier one takes that one's place. */
export function chosenPaths(chosen: Iterable<Interpretation>): Interpretations {
  const places = new Map<string, number>();
  const found = new Map<string, Interpretation>();
  for (const path of chosen) {
    const names = endNames(path);
    if (found.has(names[0]!)) continue;
    found.set(names[0]!, path);
    for (const name of names) if (!places.has(name)) places.set(name, places.size);
  }
  if (found.size < 2) return { paths: [...found.values()], isGraph: false };
  const ordered = [...found].sort(([a], [b]) => places.get(a)! - places.get(b)!);
  const paths: Interpretation[] = [];
  for (const [, path] of ordered) paths.push(path);
  return { paths, isGraph: false };
}

/** What a path is known by, then its ends, from the longest to the last reading. */
function endNames(path: Interpretation): string[] {
  const names: string[] = [];
  let name = "";
  for (let from = path.length - 1; from >= 0; from--) {
    name = name === "" ? `${path[from]!.key}` : `${path[from]!.key},${name}`;
    names.push(name);
  }
  return names.length === 0 ? [""] : names.reverse();
}
