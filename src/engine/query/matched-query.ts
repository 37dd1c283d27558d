/** Tells formatting which words of a document the query meant, after the search has found out. */
import type { Corpus } from "./corpus.ts";
import type { QueryGraph } from "./graph.ts";
import type { MatchedQuery, MatchedTerm } from "./matched.ts";
import type { ParsedQuery } from "./parse.ts";
import { type Phrase, samePhrase } from "./synonyms.ts";

export function matchedQuery(corpus: Corpus, { nodes }: QueryGraph, { stopWords }: ParsedQuery): MatchedQuery {
  const ordered = [...nodes.filter(({ size }) => size === 1), ...nodes.filter(({ size }) => size > 1)];
  const terms = ordered.map(({ first, last, term }): MatchedTerm => {
    const tiers = term.computedTiers;
    const own = [...(term.exact === null ? [] : [term.exact]), ...term.completions];
    const words = new Set([...own, ...(tiers?.one ?? []), ...(tiers?.two ?? [])].map(({ text }) => text));
    const phrases: Phrase[] = [...(term.phrase === null ? [] : [term.phrase]), ...term.synonyms];
    const split = tiers?.split ?? null;
    if (split !== null && !phrases.some((phrase) => samePhrase(phrase, split))) phrases.push(split);
    return {
      firstPosition: first,
      lastPosition: last,
      isPrefix: term.prefix,
      typed: term.word,
      words: [...words].sort((a, b) => corpus.metAs(corpus.find(a)) - corpus.metAs(corpus.find(b))),
      phrases: phrases.map((phrase) => [...phrase]),
    };
  });
  const width = ({ firstPosition, lastPosition }: MatchedTerm): number => lastPosition - firstPosition;
  terms.sort((a, b) => Number(a.isPrefix) - Number(b.isPrefix) || width(b) - width(a));
  return { terms, stopWords };
}
