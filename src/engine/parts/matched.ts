/** Tells formatting which words of a document a query meant, from what all parts know of them. */
import type { MatchedQuery } from "../query/matched.ts";
import type { Phrase } from "../query/synonyms.ts";
import { matchedTerm, meetingOrder, type NodeWords, triedOrder } from "../rank/matched-nodes.ts";
import type { QueryNode } from "../rank/query-nodes.ts";
import type { TermWords } from "./words.ts";

interface Meant extends NodeWords {
  exists: boolean;
  split: Phrase | null;
}

const NOTHING: Meant = { exists: false, completions: [], one: [], two: [], split: null };

/** `known`: null for phrases. `looked`: nodes whose typos were looked at, one after the other. */
export function matchedInParts(
  nodes: readonly QueryNode[],
  known: readonly (TermWords | null)[],
  looked: ReadonlySet<number>,
  stopWords: string[],
): MatchedQuery {
  const words = known.map((term, i) => (term === null ? NOTHING : meantBy(term, looked.has(i))));
  const met = meetingOrder(nodes, words, looked);
  const terms = triedOrder(nodes).map((i) => {
    const node = nodes[i]!;
    const { completions, exists, one, split, two } = words[i]!;
    const own = new Set([...(exists ? [node.word] : []), ...completions, ...one, ...two]);
    const asMet = [...own].sort((a, b) => met.get(a)! - met.get(b)!);
    return matchedTerm(node, asMet, split);
  });
  return { terms, stopWords };
}

function meantBy({ completions, exists, isCommon, one, split, two }: TermWords, isLooked: boolean): Meant {
  const own = { exists, completions: isCommon ? [] : completions };
  return isLooked ? { ...own, one, two, split } : { ...own, one: [], two: [], split: null };
}
