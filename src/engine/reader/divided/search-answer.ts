/** The answer of a search over parts: hits written by the parts that have them, facets of all parts together. */
import type { SearchQuery } from "../../../base/contract/search.ts";
import type { ByteSink } from "../../../base/json/bytes.ts";
import { answerWith, type SearchAnswer, type SearchExtras } from "../../answer/search.ts";
import type { Hydration } from "../../joins/hydration.ts";
import { writeHitsInParts } from "./hits.ts";
import type { DividedHit, IndexInParts } from "./index-in-parts.ts";
import type { FoundInParts } from "./search.ts";

export function answerInParts(
  index: IndexInParts,
  query: SearchQuery,
  result: FoundInParts,
  extras: SearchExtras,
  hydration: Hydration | null,
  out?: ByteSink,
): SearchAnswer {
  const showing = {
    facets: (names: readonly string[]) => result.candidates.facets(names),
    write: (page: readonly DividedHit[], into: ByteSink) =>
      writeHitsInParts(index, page, query, result.query, hydration, into),
  };
  return answerWith(showing, index.view.settings.pagination.maxTotalHits, query, result, extras, out);
}
