/**
 * The query graph: terms in a row, and over two or three neighbours a term that joins them.
 *
 * ```
 *   sun   flower   seed        terms 0, 1, 2
 *   └─ sunflower ─┘            joins 0-1
 *         └ flowerseed ┘       joins 1-2
 *   └─ sunflowerseed ──┘       joins 0-2
 * ```
 * Nodes are numbered by their last term, shorter ones first; every tie between readings is decided by that order.
 */
import { Buffer } from "node:buffer";
import { limits } from "../../base/limits.ts";
import type { Corpus } from "./corpus.ts";
import type { Deadline } from "./deadline.ts";
import type { Lexicon } from "./lexicon.ts";
import type { ParsedQuery } from "./parse.ts";
import type { QueryRules } from "./rules.ts";
import { Term } from "./term.ts";

export const JOINED_MAX = 3;

export interface GraphNode {
  readonly index: number;
  readonly term: Term;
  /** Positions in the query. */
  readonly first: number;
  readonly last: number;
  /** Terms it covers. */
  readonly from: number;
  readonly to: number;
  /** How many. */
  readonly size: number;
}

export interface QueryGraph {
  readonly termCount: number;
  readonly nodes: readonly GraphNode[];
}

export function queryGraph(
  corpus: Corpus,
  lexicon: Lexicon,
  rules: QueryRules,
  { terms }: ParsedQuery,
  clock: Deadline,
): QueryGraph {
  const nodes: GraphNode[] = [];
  const add = (term: Term, from: number, to: number): void => {
    const { first } = terms[from]!;
    const { last } = terms[to]!;
    nodes.push({ index: nodes.length, term, first, last, from, to, size: to - from + 1 });
  };
  // All words of the query come before any joined ones in the order of first appearance.
  const plain = terms.map(
    ({ word, phrase, prefix }) =>
      new Term(corpus, lexicon, rules, clock, {
        word,
        phrase,
        prefix,
        typos: phrase === null ? rules.typosOf(word) : 0,
        joined: null,
      }),
  );
  terms.forEach((_, to) => {
    add(plain[to]!, to, to);
    for (let size = 2; size <= JOINED_MAX; size++) {
      const from = to - size + 1;
      if (from < 0 || !areNeighbours(terms, from, to)) continue;
      const joined = terms.slice(from, to + 1).map(({ word }) => word);
      const word = joined.join("");
      if (Buffer.byteLength(word) > limits.wordBytes) continue;
      const typos = Math.max(0, rules.typosOf(word) - (size - 1));
      const { prefix } = terms[to]!;
      add(new Term(corpus, lexicon, rules, clock, { word, phrase: null, prefix, typos, joined }), from, to);
    }
  });
  return { termCount: terms.length, nodes };
}

function areNeighbours(terms: ParsedQuery["terms"], from: number, to: number): boolean {
  for (let i = from; i <= to; i++) {
    if (terms[i]!.phrase !== null) return false;
    if (i > from && terms[i - 1]!.last + 1 !== terms[i]!.first) return false;
  }
  return true;
}
