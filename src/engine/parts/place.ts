/** Where buckets of several parts stand to each other. */
import type { Place, Step } from "../rank/agreement.ts";
import { compareValues } from "../rank/elements.ts";

/** Negative when the first one goes first, zero also where one is a part of the other. */
export function comparePlaces(a: Place, b: Place): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareSteps(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

function compareSteps(a: Step, b: Step): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // A number among values stands for documents that no rule got to.
  if (typeof a === "number") return 1;
  if (typeof b === "number") return -1;
  return -compareValues(a.value, b.value, a.descending);
}

export function placeKey(place: Place): string {
  return JSON.stringify(place);
}
