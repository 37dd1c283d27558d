/** The values of a facet among the documents that a search over parts finds. */
import type { FacetSearchQuery } from "../../../base/contract/search.ts";
import { checkFacetName, type FacetHit, hitsInOrder } from "../../answer/facet-search.ts";
import type { SentSet } from "../../parts/questions.ts";
import type { SearchClock } from "../clock.ts";
import type { SearchKind } from "../search-kind.ts";
import type { Wanted } from "../search-request.ts";
import { mergedTexts } from "./facets.ts";
import type { IndexInParts } from "./index-in-parts.ts";
import { searchInParts } from "./search.ts";

/** `window`: of the search; null where all that passes the filter counts. */
export function facetSearchInParts(
  index: IndexInParts,
  query: FacetSearchQuery,
  kind: SearchKind,
  window: { offset: number; limit: number; exhaustive: boolean } | null,
  wanted: Wanted,
  clock: SearchClock,
): FacetHit[] {
  const { settings } = index.view;
  checkFacetName(settings, query.facetName);
  const { facetName, facetQuery, filter, locales } = query;
  const all = Array.from({ length: index.count }, (): SentSet => ({ kind: "filtered", filter }));
  const asked = { ...query, sort: null, distinct: null };
  const sets = window === null ? all : searchInParts(index, asked, kind, window, wanted, null, clock).candidates.sets;
  const answers = index.askEach(
    "facetSearch",
    sets.map((set) => ({ set, query: { facetName, facetQuery, locales } })),
  );
  const texts = mergedTexts(answers.map((answer) => answer!.answer));
  const hits = texts.map(({ count, key, spelling }) => ({ key, value: spelling, count }));
  return hitsInOrder(settings, query, hits);
}
