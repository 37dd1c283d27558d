/**
 * Whether hits of two queries can be compared: at every place of their lists, the ranking rules must be of the same
 * kind. Consecutive rules of relevancy count as one.
 */

import type { SearchQuery } from "../../base/contract/search.ts";
import { type ApiError, apiError } from "../../base/errors/errors.ts";
import { customRankingRule } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { parseSortExpression } from "../filter/sort.ts";

/** `relevancy`, or the kind and direction of an order by value. */
type Place = "relevancy" | "asc" | "desc" | "geo:asc" | "geo:desc";

interface RankedBy {
  query: number;
  indexUid: string;
  places: Place[];
}

export function rankedBy(
  query: number,
  indexUid: string,
  { q, sort }: Pick<SearchQuery, "q" | "sort">,
  { rankingRules }: Pick<Settings, "rankingRules">,
  byMeaning = false,
): RankedBy {
  // Blanks count as words here, though nothing is searched by them.
  const byRelevancy = byMeaning || (q !== null && q !== "");
  const places: Place[] = [];
  const sorted = new Set<string>();
  const add = (place: Place, field: string): void => {
    if (sorted.has(field)) return;
    sorted.add(field);
    places.push(place);
  };
  for (const rule of rankingRules) {
    const custom = customRankingRule(rule);
    if (custom !== null) add(custom.direction, custom.field);
    else if (rule === "sort") {
      for (const expression of sort ?? []) {
        const parsed = parseSortExpression(expression);
        const direction = parsed.descending ? "desc" : "asc";
        if (parsed.kind === "geo") places.push(`geo:${direction}`);
        else add(direction, parsed.field);
      }
    } else if (byRelevancy && places.at(-1) !== "relevancy") places.push("relevancy");
  }
  return { query, indexUid, places };
}

/** The rules that all queries of a request have in common. */
export class CommonRules {
  /** The query with most of them: whatever goes with it goes with all others. */
  #longest: RankedBy | null = null;

  /** Throws when the rules of the query do not go with those of an earlier one. */
  add(current: RankedBy): void {
    const earlier = this.#longest;
    if (earlier === null) {
      this.#longest = current;
      return;
    }
    const length = Math.min(current.places.length, earlier.places.length);
    for (let place = 0; place < length; place++) {
      if (current.places[place] !== earlier.places[place]) throw incomparable(earlier, current, place);
    }
    if (current.places.length > earlier.places.length) this.#longest = current;
  }
}

function incomparable(earlier: RankedBy, current: RankedBy, place: number): ApiError {
  return apiError(
    "invalid_multi_search_query_ranking_rules",
    `Inside \`.queries[${current.query}]\`: the results of queries #${earlier.query} and #${current.query} cannot be ` +
      `compared: at place ${place + 1} index \`${earlier.indexUid}\` ranks by ${SPOKEN[earlier.places[place]!]}, index ` +
      `\`${current.indexUid}\` by ${SPOKEN[current.places[place]!]}.`,
  );
}

const SPOKEN: Record<Place, string> = {
  relevancy: "relevancy",
  asc: "an ascending attribute",
  desc: "a descending attribute",
  "geo:asc": "ascending distance",
  "geo:desc": "descending distance",
};
