/** Tells formatting which words of a document a query meant, from what compiled search found out about its nodes. */
import { NodeOutput, Request } from "../../base/kernels/search/generated/layout.ts";
import type { MatchedQuery, MatchedTerm } from "../query/matched.ts";
import { compareText } from "../query/order.ts";
import { type Phrase, samePhrase } from "../query/synonyms.ts";
import type { Vocabulary } from "../query/vocabulary.ts";
import type { QueryNode } from "./query-nodes.ts";

/** Pairs of segment and ordinal. */
type Terms = Uint32Array;

interface Found {
  exists: boolean;
  completions: Terms;
  /** Pairs of ordinals by segment, from and to; null when completions are listed. */
  ranges: Uint32Array | null;
  one: Terms;
  two: Terms;
  cut: number;
}

/** What the nodes of one search were found to stand for; copied out of memory that the next search uses. */
export class MatchedWords {
  readonly #vocabulary: Vocabulary;
  readonly #nodes: readonly QueryNode[];
  readonly #found: Found[];
  readonly #tierOrder: Uint32Array;

  constructor(vocabulary: Vocabulary, nodes: readonly QueryNode[], u32: Uint32Array, request: number) {
    this.#vocabulary = vocabulary;
    this.#nodes = nodes;
    const copy = (at: number, words: number): Uint32Array => u32.slice(at >>> 2, (at >>> 2) + words);
    const outputs = u32[request + Request.outputs]! >>> 2;
    this.#tierOrder = copy(u32[request + Request.tierOrder]!, u32[request + Request.tierOrderCount]!);
    this.#found = nodes.map((_, i): Found => {
      const struct = outputs + i * NodeOutput.WORDS;
      const field = (name: Exclude<keyof typeof NodeOutput, "WORDS">): number => u32[struct + NodeOutput[name]]!;
      return {
        exists: field("exists") === 1,
        completions: copy(field("completions"), field("completionCount") * 2),
        ranges: field("ranges") === 0 ? null : copy(field("ranges"), vocabulary.segments.length * 2),
        one: copy(field("one"), field("oneCount") * 2),
        two: copy(field("two"), field("twoCount") * 2),
        cut: field("cut"),
      };
    });
  }

  query(stopWords: string[]): MatchedQuery {
    const words = this.#found.map((found) => ({
      completions: this.#completionsOf(found),
      one: this.#textsOf(found.one),
      two: this.#textsOf(found.two),
    }));
    const met = this.#meetingOrder(words);
    const order = [...this.#nodes.keys()].sort(
      (a, b) => Number(this.#isJoined(a)) - Number(this.#isJoined(b)) || a - b,
    );
    const terms = order.map((i): MatchedTerm => {
      const { first, last, phrase, prefix, synonyms, word } = this.#nodes[i]!;
      const { cut, exists } = this.#found[i]!;
      const { completions, one, two } = words[i]!;
      const own = new Set([...(exists ? [word] : []), ...completions, ...one, ...two]);
      const phrases: Phrase[] = phrase === null ? [...synonyms] : [phrase];
      const split: Phrase | null = cut === 0 ? null : cutAt(word, cut);
      if (split !== null && !phrases.some((known) => samePhrase(known, split))) phrases.push(split);
      return {
        firstPosition: first,
        lastPosition: last,
        isPrefix: prefix,
        typed: word,
        words: [...own].sort((a, b) => met.get(a)! - met.get(b)!),
        phrases: phrases.map((known) => [...known]),
      };
    });
    const width = ({ firstPosition, lastPosition }: MatchedTerm): number => lastPosition - firstPosition;
    terms.sort((a, b) => Number(a.isPrefix) - Number(b.isPrefix) || width(b) - width(a));
    return { terms, stopWords };
  }

  #isJoined(node: number): boolean {
    return this.#nodes[node]!.to > this.#nodes[node]!.from;
  }

  /** When each word first turned up: words of the query, then what joins them, then typos as they were looked for. */
  #meetingOrder(words: readonly { completions: string[]; one: string[]; two: string[] }[]): Map<string, number> {
    const met = new Map<string, number>();
    const meet = (word: string | null): void => {
      if (word !== null && !met.has(word)) met.set(word, met.size);
    };
    for (const joined of [false, true]) {
      this.#nodes.forEach(({ phrase, word }, i) => {
        if (this.#isJoined(i) !== joined) return;
        for (const own of phrase ?? [word, ...words[i]!.completions]) meet(own);
      });
    }
    const listed = new Set<string>();
    for (const { completions, one, two } of words)
      for (const list of [completions, one, two]) for (const word of list) listed.add(word);
    for (const i of this.#tierOrder) {
      const { one, two } = words[i]!;
      for (const word of two.length === 0 ? one : [...one, ...two].sort(compareText)) meet(word);
      // Halves of the word were met as well: those that are some node's words.
      const { word } = this.#nodes[i]!;
      for (let at = 1; at < word.length && listed.size > 0; at++) {
        const left = word.slice(0, at);
        const right = word.slice(at);
        if (listed.has(left)) meet(left);
        if (listed.has(right)) meet(right);
      }
    }
    return met;
  }

  #completionsOf({ completions, ranges }: Found): string[] {
    if (ranges === null) return this.#textsOf(completions);
    const found = new Set<string>();
    this.#vocabulary.segments.forEach(({ dictionary }, i) => {
      for (let ordinal = ranges[2 * i]!; ordinal < ranges[2 * i + 1]!; ordinal++) found.add(dictionary.term(ordinal));
    });
    return this.#vocabulary.segments.length === 1 ? [...found] : [...found].sort(compareText);
  }

  #textsOf(terms: Terms): string[] {
    const texts: string[] = [];
    for (let i = 0; i < terms.length; i += 2) {
      texts.push(this.#vocabulary.segments[terms[i]!]!.dictionary.term(terms[i + 1]!));
    }
    return texts;
  }
}

/** Cut after so many bytes. */
function cutAt(word: string, bytes: number): Phrase {
  let at = 0;
  for (let left = bytes; left > 0; ) {
    const point = word.codePointAt(at)!;
    at += point > 0xffff ? 2 : 1;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return [word.slice(0, at), word.slice(at)];
}
