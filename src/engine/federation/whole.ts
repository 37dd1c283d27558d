/**
 * The shares of several servers as one list: pinned hits in their places, the others by rank, none whose values of the distinct
 * attribute were seen before. Knows nothing of how the list is written.
 */

import type { Federation } from "../../base/contract/multi-search.ts";
import { windowOf } from "../../base/contract/window.ts";
import type { Json } from "../../base/json/value.ts";
import { normalizeFacet } from "../../base/text/normalize.ts";
import { withPins } from "../pins/merge.ts";
import { SeenValues } from "./distinct.ts";
import { mergeLists, only } from "./merge.ts";
import type { Share, ShareHit } from "./share.ts";

/** A hit, and whose it is. */
export interface WholeHit extends ShareHit {
  /** Number of the share. */
  share: number;
}

interface Whole {
  page: WholeHit[];
  /** Kept out by `distinct`, as far as hits were looked at. */
  rejected: WholeHit[];
}

export function wholeOf(shares: readonly Pick<Share, "hits">[], federation: Federation): Whole {
  const { offset, limit } = windowOf(federation);
  const page: WholeHit[] = [];
  const rejected: WholeHit[] = [];
  if (limit === 0) return { page, rejected };
  const accept = acceptance(federation.distinct, rejected);
  const lists = shares.map(({ hits }, share) => hits.map((hit): WholeHit => ({ ...hit, share })));
  const pins = lists
    .flat()
    .filter(({ pinnedAt }) => pinnedAt !== null)
    .map((hit) => ({ position: hit.pinnedAt!, hit }))
    .sort((a, b) => a.position - b.position)
    .filter(({ hit }) => accept(hit));
  const ranked = mergeLists(lists.map((hits) => hits.filter(({ pinnedAt }) => pinnedAt === null)));
  let skipped = 0;
  for (const hit of withPins(only(ranked, accept), pins)) {
    if (skipped < offset) skipped++;
    else if (page.push(hit) === limit) break;
  }
  return { page, rejected };
}

function acceptance(distinct: string | null, rejected: WholeHit[]): (hit: WholeHit) => boolean {
  if (distinct === null) return () => true;
  const seen = new SeenValues(distinct);
  return (hit) => {
    const { numbers, strings } = inColumns(hit.valuesOf(distinct));
    if (seen.acceptValues(numbers, strings)) return true;
    rejected.push(hit);
    return false;
  };
}

/** Values as columns hold them: strings normalized. */
export function inColumns(values: readonly Json[]): { numbers: number[]; strings: string[] } {
  return {
    numbers: values.filter((each) => typeof each === "number"),
    strings: values.filter((each) => typeof each === "string" || typeof each === "boolean").map(normalizedText),
  };
}

function normalizedText(value: string | boolean): string {
  return normalizeFacet(String(value));
}
