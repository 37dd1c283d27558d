/** What a search is asked. Shapes only. */
import type { MatchingStrategy } from "../../base/contract/search.ts";
import type { VectorOrder } from "./vector-sort.ts";

export interface KeywordRequest {
  /** Null, or blank, for a placeholder search. */
  q: string | null;
  /** For a search by meaning: then words of `q` only exclude. */
  vector: Omit<VectorOrder, "batch"> | null;
  matchingStrategy: MatchingStrategy;
  attributesToSearchOn: string[] | null;
  sort: string[] | null;
  distinct: string | null;
  locales: string[] | null;
  rankingScoreThreshold: number | null;
  offset: number;
  limit: number;
  /** Totals must be exact: the search is for a page. */
  exhaustive: boolean;
  wantDetails: boolean;
  /**
   * Of what was found but is not shown: its number alone, all of it, or all of it without a copy, for who looks at it before
   * the next search of this thread and does not change it. All of it unless it is said.
   */
  candidates?: "none" | "own" | "borrowed";
  /** False when nobody will ask which words were meant. */
  wantMatches?: boolean;
  /** Of this thread's `performance.now()`, milliseconds. */
  deadline: number;
}
