/** Values of a facet that several servers have found as one list: counts add up by spelling, in the order of the index here. */

import { apiError, type ErrorBody, internalError } from "../../base/errors/errors.ts";
import { isObject } from "../../base/json/value.ts";
import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import type { FacetHit } from "../answer/facet-search.ts";
import type { FacetsPlan } from "../ask/shared-facets.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { compareText } from "../query/order.ts";
import { SearchClock } from "./clock.ts";

export function mergeFacetHits(
  { call, planBytes, shares, errors: sent }: ReaderRequests["merge"],
  { facetQuery, order, valuesMax }: FacetsPlan,
  payload: Uint8Array,
): Uint8Array {
  const clock = new SearchClock(call);
  const errors: Record<string, ErrorBody> = { ...sent };
  const counts = new Map<string, number>();
  let at = planBytes;
  for (const { remote, bytes } of shares) {
    const hits = readHits(payload.subarray(at, at + bytes));
    at += bytes;
    if (hits !== null) for (const { value, count } of hits) counts.set(value, (counts.get(value) ?? 0) + count);
    else if (remote === null) throw internalError("what was found here cannot be read");
    else
      errors[remote] = apiError("remote_bad_response", "The answer of the remote holds no values of a facet.").body();
  }
  const facetHits = inOrder([...counts], order).slice(0, valuesMax);
  const processingTimeMs = Math.floor(clock.waitedMs + clock.elapsedMs);
  return Buffer.from(JSON.stringify({ facetHits, facetQuery, processingTimeMs, remoteErrors: errors }));
}

/** Null for what is no answer to a facet search. */
function readHits(bytes: Uint8Array): FacetHit[] | null {
  try {
    const told: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const hits = isObject(told) ? told["facetHits"] : null;
    return Array.isArray(hits) && hits.every(isHit) ? (hits as unknown as FacetHit[]) : null;
  } catch {
    return null;
  }
}

function isHit(hit: unknown): boolean {
  return isObject(hit) && typeof hit["value"] === "string" && typeof hit["count"] === "number";
}

function inOrder(counts: readonly [string, number][], order: FacetsPlan["order"]): FacetHit[] {
  const hits = counts.map(([value, count]) => ({ value, count, key: normalizeFacetSearch(value) }));
  if (order === "count") hits.sort((a, b) => b.count - a.count || compareText(b.value, a.value));
  else hits.sort((a, b) => compareText(a.key, b.key) || compareText(a.value, b.value));
  return hits.map(({ value, count }) => ({ value, count }));
}
