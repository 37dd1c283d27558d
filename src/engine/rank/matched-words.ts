/** Tells formatting which words of a document a query meant, from what compiled search found out about its nodes. */
import { NodeOutput, Request } from "../../base/kernels/search/generated/layout.ts";
import { UNSPELLED } from "../../base/kernels/search/kernels.ts";
import { characterCount } from "../../base/text/characters.ts";
import type { MatchedQuery } from "../query/matched.ts";
import { compareText } from "../query/order.ts";
import type { Phrase } from "../query/synonyms.ts";
import type { Vocabulary } from "../query/vocabulary.ts";
import { matchedTerm, meetingOrder, type NodeWords, triedOrder } from "./matched-nodes.ts";
import type { QueryNode } from "./query-nodes.ts";

type Field = Exclude<keyof typeof NodeOutput, "WORDS">;

/** The words of a search that has just ended: read before the next one uses the memory. */
export class MatchedWords {
  readonly #vocabulary: Vocabulary;
  readonly #nodes: readonly QueryNode[];
  readonly #u32: Uint32Array;
  readonly #request: number;
  readonly #outputs: number;

  constructor(vocabulary: Vocabulary, nodes: readonly QueryNode[], u32: Uint32Array, request: number) {
    this.#vocabulary = vocabulary;
    this.#nodes = nodes;
    this.#u32 = u32;
    this.#request = request;
    this.#outputs = u32[request + Request.outputs]! >>> 2;
  }

  /** `u8`: the same memory. */
  query(u8: Uint8Array, stopWords: string[]): MatchedQuery {
    const all = this.#spelledWords(u8);
    const terms = triedOrder(this.#nodes).map((i) => {
      const node = this.#nodes[i]!;
      const { completions, one, two } = all[i]!;
      const own = [...(this.#isWord(i) ? [node.word] : []), ...completions, ...one, ...two];
      if (node.prefix && isOrderSeen(node.word, own)) this.#sortAsMet(own, all);
      return matchedTerm(node, own, this.#splitOf(i));
    });
    return { terms, stopWords };
  }

  /** By node. Completions are none where the word is known: whatever begins with them begins with it. */
  #spelledWords(u8: Uint8Array): NodeWords[] {
    const bytes = new SpelledWords(
      u8,
      this.#u32[this.#request + Request.words]!,
      this.#u32[this.#request + Request.wordsEnd]!,
    );
    return this.#nodes.map((_, i) => {
      const count = this.#field(i, "wordCount");
      if (count === UNSPELLED) {
        const completions = this.#isWord(i) ? [] : this.#completionsOf(i);
        return { completions, one: this.#tierOf(i, "one"), two: this.#tierOf(i, "two") };
      }
      const [one, two] = [this.#field(i, "oneCount"), this.#field(i, "twoCount")];
      return { completions: bytes.next(count - one - two), one: bytes.next(one), two: bytes.next(two) };
    });
  }

  #isWord(node: number): boolean {
    return this.#field(node, "exists") === 1;
  }

  #field(node: number, name: Field): number {
    return this.#u32[this.#outputs + node * NodeOutput.WORDS + NodeOutput[name]]!;
  }

  #splitOf(node: number): Phrase | null {
    const cut = this.#field(node, "cut");
    return cut === 0 ? null : cutAt(this.#nodes[node]!.word, cut);
  }

  #sortAsMet(words: string[], all: readonly NodeWords[]): void {
    // Completions of a known word, which may be very many, are read only where one of these words may be among them.
    const known = this.#nodes.map(({ word }, i) => {
      const isAsked = this.#isWord(i) && words.some((own) => own !== word && own.startsWith(word));
      return isAsked ? { ...all[i]!, completions: this.#completionsOf(i) } : all[i]!;
    });
    const tierOrder = this.#u32[this.#request + Request.tierOrder]! >>> 2;
    const tierCount = this.#u32[this.#request + Request.tierOrderCount]!;
    const met = meetingOrder(this.#nodes, known, this.#u32.subarray(tierOrder, tierOrder + tierCount));
    words.sort((a, b) => met.get(a)! - met.get(b)!);
  }

  #completionsOf(node: number): string[] {
    const ranges = this.#field(node, "ranges") >>> 2;
    if (ranges === 0) return this.#textsOf(this.#field(node, "completions"), this.#field(node, "completionCount"));
    const found = new Set<string>();
    this.#vocabulary.segments.forEach(({ dictionary }, i) => {
      const end = this.#u32[ranges + 2 * i + 1]!;
      for (let ordinal = this.#u32[ranges + 2 * i]!; ordinal < end; ordinal++) found.add(dictionary.term(ordinal));
    });
    return this.#vocabulary.segments.length === 1 ? [...found] : [...found].sort(compareText);
  }

  #tierOf(node: number, tier: "one" | "two"): string[] {
    return this.#textsOf(this.#field(node, tier), this.#field(node, `${tier}Count`));
  }

  /** Of pairs of segment and ordinal. */
  #textsOf(address: number, count: number): string[] {
    const terms = this.#u32.slice(address >>> 2, (address >>> 2) + 2 * count);
    return Array.from({ length: count }, (_, i) =>
      this.#vocabulary.segments[terms[2 * i]!]!.dictionary.term(terms[2 * i + 1]!),
    );
  }
}

/** Words with a byte for the length of each before it, read one after the other. */
class SpelledWords {
  readonly #bytes: Buffer;
  /** All of them, a character for each byte: parts of it are made in no time. */
  readonly #text: string;
  #at = 0;

  constructor(u8: Uint8Array, start: number, end: number) {
    this.#bytes = Buffer.allocUnsafe(end - start);
    this.#bytes.set(u8.subarray(start, end));
    this.#text = this.#bytes.toString("latin1");
  }

  next(count: number): string[] {
    const words: string[] = [];
    for (let i = 0; i < count; i++) {
      const from = this.#at + 1;
      this.#at = from + this.#bytes[this.#at]!;
      words.push(this.#word(from, this.#at));
    }
    return words;
  }

  #word(from: number, to: number): string {
    for (let i = from; i < to; i++) if (this.#bytes[i]! >= 0x80) return this.#bytes.toString("utf8", from, to);
    return this.#text.slice(from, to);
  }
}

/**
 * Whether it shows which word of a prefix came first: where one that is shorter than what was typed begins another. Of
 * those that are not, as much is marked as was typed.
 */
function isOrderSeen(typed: string, words: readonly string[]): boolean {
  const length = characterCount(typed);
  for (const word of words) {
    if (characterCount(word) >= length) continue;
    if (words.some((other) => other.length > word.length && other.startsWith(word))) return true;
  }
  return false;
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
