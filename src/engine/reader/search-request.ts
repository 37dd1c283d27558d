/** From a query to what ranking is asked. */
import type { SearchQuery } from "../../base/contract/search.ts";
import type { Window } from "../../base/contract/window.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { WithPins } from "../pins/pin.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { SearchKind } from "./search-kind.ts";

export type Ranked = Pick<
  SearchQuery,
  | "q"
  | "matchingStrategy"
  | "attributesToSearchOn"
  | "sort"
  | "distinct"
  | "locales"
  | "rankingScoreThreshold"
  | "filter"
  | "hybrid"
  | "vector"
> &
  WithPins;

/** What will be looked at of what a search finds, beside its documents in order. */
export interface Wanted {
  /** What every rule said, for scores. */
  details: boolean;
  candidates: NonNullable<KeywordRequest["candidates"]>;
  /** Which words were meant. */
  matches: boolean;
}

/** A hybrid search whose query cannot be embedded goes on with its words; one by meaning alone has nothing to go on with. */
export function requireVector(kind: SearchKind, { hybrid, vector }: Pick<Ranked, "hybrid" | "vector">): void {
  if (kind !== "semantic" || vector !== null) return;
  throw apiError("vector_embedding_error", `The query could not be embedded with embedder \`${hybrid?.embedder}\`.`);
}

/** `deadline`: of this thread's `performance.now()`. */
export function requestOf(query: Ranked, window: Window, wanted: Wanted, deadline: number): KeywordRequest {
  return {
    q: query.q,
    vector: null,
    matchingStrategy: query.matchingStrategy,
    attributesToSearchOn: query.attributesToSearchOn,
    sort: query.sort,
    distinct: query.distinct,
    locales: query.locales,
    rankingScoreThreshold: query.rankingScoreThreshold,
    offset: window.offset,
    limit: window.limit,
    exhaustive: window.exhaustive,
    wantDetails: wanted.details,
    candidates: wanted.candidates,
    wantMatches: wanted.matches,
    deadline,
  };
}
