/** The nodes of the query graph as they are given to compiled search: texts, positions, synonyms. Knows no documents. */

import { Buffer } from "node:buffer";
import { KnownWords, NodeInput, PhraseInput, Text } from "../../base/kernels/search/generated/layout.ts";
import { limits } from "../../base/limits.ts";
import type { Workspace } from "../../storage/memory/workspace.ts";
import type { Deadline } from "../query/deadline.ts";
import { JOINED_MAX } from "../query/graph.ts";
import type { Spelling } from "../query/lexicon.ts";
import type { ParsedQuery, ParsedTerm } from "../query/parse.ts";
import type { QueryRules } from "../query/rules.ts";
import type { Phrase } from "../query/synonyms.ts";

const ASCII_MAX = 0x7f;

/** A term, or two or three neighbours joined to one. Nodes are numbered by their last term, shorter ones first. */
export interface QueryNode {
  word: string;
  phrase: Phrase | null;
  synonyms: readonly Phrase[];
  prefix: boolean;
  typos: number;
  first: number;
  last: number;
  from: number;
  to: number;
  /** Letters before the seam of two joined words, 0 for what is not two words. */
  seam: number;
}

/** What a search over a part of an index is told of a node. */
export interface KnownNode {
  /** Some document has the word. */
  exists: boolean;
  /** So many words begin with it that they are searched as one. */
  isCommon: boolean;
  /** No completion counts that comes after this one; null where all do. */
  lastCompletion: string | null;
  /** Those that count; null where all of the part's own do. */
  typoWords: { readonly one: readonly string[]; readonly two: readonly string[] } | null;
  /** The two words that it may have been. */
  split: Phrase | null;
}

export function queryNodes(rules: QueryRules, { terms }: ParsedQuery, clock: Deadline): QueryNode[] {
  const nodes: QueryNode[] = [];
  for (let to = 0; to < terms.length; to++) {
    const { word, phrase, prefix, first, last } = terms[to]!;
    const typos = phrase === null ? rules.typosOf(word) : 0;
    const synonyms = phrase === null ? rules.synonymsOfWord(word, clock) : [];
    nodes.push({ word, phrase, synonyms, prefix, typos, first, last, from: to, to, seam: 0 });
    for (let size = 2; size <= JOINED_MAX && size <= to + 1; size++) {
      const joined = joinedNode(rules, terms, to - size + 1, to, clock);
      if (joined !== null) nodes.push(joined);
    }
  }
  return nodes;
}

function joinedNode(
  rules: QueryRules,
  terms: readonly ParsedTerm[],
  from: number,
  to: number,
  clock: Deadline,
): QueryNode | null {
  let word = "";
  for (let i = from; i <= to; i++) {
    if (terms[i]!.phrase !== null || (i > from && terms[i - 1]!.last + 1 !== terms[i]!.first)) return null;
    word += terms[i]!.word;
  }
  if (word.length * 3 > limits.wordBytes && Buffer.byteLength(word) > limits.wordBytes) return null;
  return {
    word,
    phrase: null,
    synonyms: rules.synonymsOfJoined(
      word,
      terms.slice(from, to + 1).map((term) => term.word),
      clock,
    ),
    prefix: terms[to]!.prefix,
    typos: Math.max(0, rules.typosOf(word) - (to - from)),
    first: terms[from]!.first,
    last: terms[to]!.last,
    from,
    to,
    seam: to === from + 1 ? terms[from]!.word.length : 0,
  };
}

/** Null for phrases, and for words that are too long to be any. */
export function spellingOf({ phrase, prefix, seam, typos, word }: QueryNode): Spelling | null {
  if (phrase !== null || Buffer.byteLength(word) > limits.wordBytes) return null;
  return { word, prefix, typos, joined: seam === 0 ? null : [word.slice(0, seam), word.slice(seam)] };
}

/** `known`: null for a search over a whole index. Writes the nodes; returns where they are. Good until the workspace is released. */
export function putNodes(
  workspace: Workspace,
  nodes: readonly QueryNode[],
  known: ((node: QueryNode) => KnownNode | null) | null,
): number {
  const at = workspace.allocate(nodes.length * NodeInput.WORDS * 4);
  for (let i = 0; i < nodes.length; i++) {
    putNode(workspace, nodes[i]!, known?.(nodes[i]!) ?? null, (at >>> 2) + i * NodeInput.WORDS);
  }
  return at;
}

function putNode(workspace: Workspace, node: QueryNode, known: KnownNode | null, struct: number): void {
  const { u32 } = workspace;
  u32[struct + NodeInput.length] = putText(workspace, node.word);
  u32[struct + NodeInput.text] = textAt;
  u32[struct + NodeInput.phrase] = node.phrase === null ? 0 : putPhrase(workspace, node.phrase);
  u32[struct + NodeInput.isPrefix] = node.prefix ? 1 : 0;
  u32[struct + NodeInput.typos] = node.typos;
  u32[struct + NodeInput.first] = node.first;
  u32[struct + NodeInput.last] = node.last;
  u32[struct + NodeInput.from] = node.from;
  u32[struct + NodeInput.to] = node.to;
  u32[struct + NodeInput.seam] = node.seam === 0 ? 0 : Buffer.byteLength(node.word.slice(0, node.seam));
  u32[struct + NodeInput.synonyms] = putPhrases(workspace, node.synonyms);
  u32[struct + NodeInput.synonymCount] = node.synonyms.length;
  u32[struct + NodeInput.known] = known === null ? 0 : putKnown(workspace, known);
}

function putKnown(workspace: Workspace, { exists, isCommon, lastCompletion, split, typoWords }: KnownNode): number {
  const at = workspace.allocate(KnownWords.WORDS * 4);
  const struct = at >>> 2;
  const { u32 } = workspace;
  u32[struct + KnownWords.exists] = exists ? 1 : 0;
  u32[struct + KnownWords.isCommonPrefix] = isCommon ? 1 : 0;
  u32[struct + KnownWords.lastLength] = lastCompletion === null ? 0 : putText(workspace, lastCompletion);
  u32[struct + KnownWords.lastCompletion] = textAt;
  u32[struct + KnownWords.takesAll] = typoWords === null ? 1 : 0;
  u32[struct + KnownWords.oneCount] = typoWords?.one.length ?? 0;
  u32[struct + KnownWords.one] = putTexts(workspace, typoWords?.one ?? []);
  u32[struct + KnownWords.twoCount] = typoWords?.two.length ?? 0;
  u32[struct + KnownWords.two] = putTexts(workspace, typoWords?.two ?? []);
  u32[struct + KnownWords.cut] = split === null ? 0 : Buffer.byteLength(split[0]!);
  return at;
}

function putTexts(workspace: Workspace, texts: readonly string[]): number {
  const at = workspace.allocate(texts.length * Text.WORDS * 4);
  texts.forEach((text, i) => {
    const struct = (at >>> 2) + i * Text.WORDS;
    workspace.u32[struct + Text.length] = putText(workspace, text);
    workspace.u32[struct + Text.at] = textAt;
  });
  return at;
}

/** Writes phrases, and a list of their addresses; returns where that is. */
export function putPhrases(workspace: Workspace, phrases: readonly Phrase[]): number {
  if (phrases.length === 0) return 0;
  const at = workspace.allocate(phrases.length * 4);
  phrases.forEach((phrase, i) => {
    workspace.u32[(at >>> 2) + i] = putPhrase(workspace, phrase);
  });
  return at;
}

function putPhrase(workspace: Workspace, phrase: Phrase): number {
  const at = workspace.allocate((PhraseInput.WORDS + phrase.length * 2) * 4);
  const { u32 } = workspace;
  u32[at >>> 2] = phrase.length;
  phrase.forEach((word, i) => {
    const slot = (at >>> 2) + PhraseInput.WORDS + i * 2;
    u32[slot + 1] = word === null ? 0 : putText(workspace, word);
    u32[slot] = textAt;
  });
  return at;
}

/** Where the text that was written last begins. */
let textAt = 0;

/** Returns the number of its bytes. */
function putText(workspace: Workspace, text: string): number {
  const { length } = text;
  textAt = workspace.allocate(length * 3);
  const { u8 } = workspace;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > ASCII_MAX) {
      const bytes = Buffer.from(text);
      u8.set(bytes, textAt);
      return bytes.length;
    }
    u8[textAt + i] = unit;
  }
  return length;
}
