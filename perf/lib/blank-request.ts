/** A search that asks for nothing in particular: measurements and tests of ranking begin with it. */
import type { KeywordRequest } from "../../src/engine/rank/request.ts";

export const BLANK_REQUEST: KeywordRequest = {
  q: null,
  vector: null,
  matchingStrategy: "last",
  attributesToSearchOn: null,
  sort: null,
  distinct: null,
  locales: null,
  rankingScoreThreshold: null,
  offset: 0,
  limit: 20,
  exhaustive: false,
  wantDetails: false,
  deadline: Number.POSITIVE_INFINITY,
};
