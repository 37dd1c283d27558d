/**
 * Applies the order that a reranking service gave to the hits of an answer. Such services answer alike: a list of
 * `{index, relevance_score}` or `{index, score}`, under `results`, under `data`, or on its own.
 */

import { ByteSink } from "../../base/json/bytes.ts";
import { isObject } from "../../base/json/value.ts";

import { hitsIn } from "./asking.ts";

/** What came is no order. */
export class NoOrder extends Error {
  override readonly name = "NoOrder";
}

/** Places of the hits, the most relevant first. Throws `NoOrder`. */
export function readOrder(text: string): number[] {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    throw new NoOrder("it is no JSON");
  }
  const list = isObject(told) ? (told["results"] ?? told["data"]) : told;
  if (!Array.isArray(list)) throw new NoOrder("it has no `results`");
  const scored = list.map((each: unknown) => {
    const { index, relevance_score: relevance, score } = isObject(each) ? each : {};
    const value = relevance ?? score;
    if (typeof index !== "number" || typeof value !== "number") {
      throw new NoOrder("a result has no `index` or no `relevance_score`");
    }
    return { index, value };
  });
  return scored.sort((a, b) => b.value - a.value).map(({ index }) => index);
}

/** The answer with its hits in that order; those that it does not name stay behind the others as they were. */
export function inOrder(answer: Uint8Array, result: number | null, order: readonly number[]): Uint8Array {
  const hits = hitsIn(answer, result);
  const [first, last] = [hits[0], hits.at(-1)];
  if (first === undefined || last === undefined) return answer;
  const named = new Set(order.filter((index) => hits[index] !== undefined));
  const places = [...named, ...[...hits.keys()].filter((index) => !named.has(index))];
  const out = new ByteSink(answer.length);
  out.bytes(answer, 0, first.start);
  for (const [i, place] of places.entries()) {
    if (i > 0) out.byte(0x2c);
    const { start, end } = hits[place]!;
    out.bytes(answer, start, end);
  }
  out.bytes(answer, last.end, answer.length);
  return out.copy();
}
