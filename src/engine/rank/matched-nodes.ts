/** What formatting is told of the nodes of a query, whoever has found out what they stand for. */
import type { MatchedTerm } from "../query/matched.ts";
import { compareText } from "../query/order.ts";
import { type Phrase, samePhrase } from "../query/synonyms.ts";
import type { QueryNode } from "./query-nodes.ts";

/** Words that a node was found to stand for; those with typos are none where they were not looked for. */
export interface NodeWords {
  readonly completions: readonly string[];
  readonly one: readonly string[];
  readonly two: readonly string[];
}

/** Numbers of nodes: words before prefixes, what joins many words before what joins few. */
export function triedOrder(nodes: readonly QueryNode[]): number[] {
  const numbers = nodes.map((_, i) => i);
  return numbers.sort(
    (a, b) =>
      Number(nodes[a]!.prefix) - Number(nodes[b]!.prefix) ||
      nodes[b]!.last - nodes[b]!.first - (nodes[a]!.last - nodes[a]!.first) ||
      Number(isJoined(nodes[a]!)) - Number(isJoined(nodes[b]!)) ||
      a - b,
  );
}

/** When each word first turned up: words of the query, then what joins them, then typos as they were looked for. */
export function meetingOrder(
  nodes: readonly QueryNode[],
  words: readonly NodeWords[],
  tierOrder: Iterable<number>,
): Map<string, number> {
  const met = new Map<string, number>();
  const meet = (word: string | null): void => {
    if (word !== null && !met.has(word)) met.set(word, met.size);
  };
  for (const joined of [false, true]) {
    nodes.forEach((node, i) => {
      if (isJoined(node) !== joined) return;
      for (const own of node.phrase ?? [node.word, ...words[i]!.completions]) meet(own);
    });
  }
  const listed = new Set<string>();
  for (const { completions, one, two } of words)
    for (const list of [completions, one, two]) for (const word of list) listed.add(word);
  for (const i of tierOrder) {
    const { one, two } = words[i]!;
    for (const word of two.length === 0 ? one : [...one, ...two].sort(compareText)) meet(word);
    // Halves of the word were met as well: those that are some node's words.
    const { word } = nodes[i]!;
    for (let at = 1; at < word.length && listed.size > 0; at++) {
      const left = word.slice(0, at);
      const right = word.slice(at);
      if (listed.has(left)) meet(left);
      if (listed.has(right)) meet(right);
    }
  }
  return met;
}

/** `split`: the two words that it may have been. */
export function matchedTerm(node: QueryNode, words: string[], split: Phrase | null): MatchedTerm {
  return {
    firstPosition: node.first,
    lastPosition: node.last,
    isPrefix: node.prefix,
    typed: node.word,
    words,
    phrases: phrasesOf(node, split),
  };
}

function phrasesOf({ phrase, synonyms }: QueryNode, split: Phrase | null): (string | null)[][] {
  const phrases: Phrase[] = phrase === null ? [...synonyms] : [phrase];
  if (split !== null && !phrases.some((known) => samePhrase(known, split))) phrases.push(split);
  return phrases.map((known) => [...known]);
}

function isJoined({ from, to }: QueryNode): boolean {
  return to > from;
}
