/**
 * A hit's place in its own list, in a form that can be set against that of a hit from another list: what the rules said,
 * with consecutive rules of relevancy folded into one score.
 *
 *   words 2/2, typo 3/3, proximity 7/8, price:asc 12, exactness 1/3   ->   score 0.9…, sort 12, score 0.3…
 */

import { compareText } from "../query/order.ts";
import type { RankDetail } from "./result.ts";
import { globalScore } from "./score.ts";

export type Element =
  /** `byMeaning`: told by how near a vector is. */
  | { kind: "score"; score: number; byMeaning?: true }
  | { kind: "sort"; descending: boolean; value: number | string | null }
  | { kind: "geo"; descending: boolean; distance: number | null };

/** Scores that differ by no more are equal. */
const SCORE_EPSILON = Number.EPSILON;

/** Every score is multiplied by `weight`. */
export function elementsOf(details: readonly RankDetail[], weight: number): Element[] {
  const elements: Element[] = [];
  let runStart = 0;
  const closeRun = (end: number): void => {
    if (end > runStart) {
      const run = details.slice(runStart, end);
      const score = globalScore(run) * weight;
      elements.push(run.some(isVector) ? { kind: "score", score, byMeaning: true } : { kind: "score", score });
    }
    runStart = end + 1;
  };
  for (const [at, detail] of details.entries()) {
    if (detail.kind !== "sort" && detail.kind !== "geo") continue;
    closeRun(at);
    const { descending } = detail;
    if (detail.kind === "sort") elements.push({ kind: "sort", descending, value: detail.value });
    else elements.push({ kind: "geo", descending, distance: detail.distance });
  }
  closeRun(details.length);
  return elements;
}

function isVector({ kind }: RankDetail): boolean {
  return kind === "vector";
}

/** Positive when the left hit goes first, zero when they are equals. */
export function compareElements(
  left: readonly Element[],
  right: readonly Element[],
  leftGlobal: number,
  rightGlobal: number,
): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const order = compareElement(left[i]!, right[i]!);
    // Nothing in common: the hit with more to say goes first.
    if (order === null) return left.length - right.length || leftGlobal - rightGlobal;
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** The same for one place; null for elements that have nothing in common. */
export function compareElement(left: Element, right: Element): number | null {
  if (left.kind === "score" && right.kind === "score") {
    const difference = left.score - right.score;
    return Math.abs(difference) <= SCORE_EPSILON ? 0 : difference;
  }
  if (left.kind === "sort" && right.kind === "sort" && left.descending === right.descending) {
    return compareValues(left.value, right.value, left.descending);
  }
  if (left.kind === "geo" && right.kind === "geo" && left.descending === right.descending) {
    return compareValues(left.distance, right.distance, left.descending);
  }
  return null;
}

type Value = number | string | null;

/** Numbers go before strings and those before nothing, in both directions. */
export function compareValues(left: Value, right: Value, descending: boolean): number {
  if (typeof left === "number" && typeof right === "number") return descending ? left - right : right - left;
  if (typeof left === "string" && typeof right === "string") {
    return descending ? compareText(left, right) : compareText(right, left);
  }
  return worth(left) - worth(right);
}

function worth(value: Value): number {
  return typeof value === "number" ? 2 : typeof value === "string" ? 1 : 0;
}
