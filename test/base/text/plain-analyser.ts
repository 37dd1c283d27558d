// What our analyser should do, done plainly: the oracle of its tests. Only for characters of 16 bits.
import type { Dictionary, Entry } from "../../../scripts/dictionaries/dictionary.ts";
import { NO_CATEGORY } from "../../../src/base/text/morpheme-tables.ts";

interface Node {
  start: number;
  rightId: number;
  cost: number;
  /** Extra cost, due when another word follows. */
  penalty: number;
  before: Node | null;
}

/** Ends of the words of the cheapest way to cut a text. */
export function plainCuts(dictionary: Dictionary, text: string): number[] {
  const { words, categories, category, secondCategory, matrix, rightIds } = dictionary;
  const endingAt: Node[][] = Array.from({ length: text.length + 1 }, () => []);
  endingAt[0]!.push({ start: 0, rightId: 0, cost: 0, penalty: 0, before: null });

  for (let at = 0; at < text.length; at++) {
    const before = cheapestOfEach(endingAt[at]!);
    if (before.length === 0) continue;
    const add = (entries: readonly Entry[], end: number): void => {
      for (const { leftId, rightId, cost } of entries) {
        const costAfter = (node: Node) => node.cost + node.penalty + matrix[leftId * rightIds + node.rightId]!;
        const best = first(before, costAfter);
        const penalty = penaltyOf(text.slice(at, end));
        endingAt[end]!.push({ start: at, rightId, cost: costAfter(best) + cost, penalty, before: best });
      }
    };
    let isKnown = false;
    for (let end = at + 1; end <= text.length; end++) {
      const entries = words.get(text.slice(at, end));
      if (entries === undefined) continue;
      add(entries, end);
      isKnown = true;
    }
    for (const table of [category, secondCategory]) {
      const own = table[text.charCodeAt(at)]!;
      if (own === NO_CATEGORY) continue;
      const { group, invoke, unknown } = categories[own]!;
      let end = at + 1;
      while (group && end < text.length && table[text.charCodeAt(end)] === own) end++;
      if (!isKnown || invoke) add(unknown, end);
    }
  }

  const cuts: number[] = [text.length];
  const last = first(endingAt[text.length]!, (node) => node.cost + matrix[node.rightId]!);
  for (let node = last; node.start > 0; node = node.before!) cuts.unshift(node.start);
  return cuts;
}

/** For each right id, in the order in which they come, the first of the cheapest nodes. */
function cheapestOfEach(nodes: readonly Node[]): Node[] {
  const cheapest = new Map<number, Node>();
  for (const node of nodes) {
    const known = cheapest.get(node.rightId);
    if (known === undefined || node.cost + node.penalty < known.cost + known.penalty) cheapest.set(node.rightId, node);
  }
  return [...cheapest.values()];
}

function first(nodes: readonly Node[], cost: (node: Node) => number): Node {
  return nodes.reduce((best, node) => (cost(node) < cost(best) ? node : best));
}

function penaltyOf(word: string): number {
  const length = Math.floor(Buffer.byteLength(word) / 3);
  if (/^[\u4e00-\u9faf\u3400-\u4dbf]+$/.test(word)) return Math.max(0, length - 2) * 3000;
  return Math.max(0, length - 7) * 1700;
}
