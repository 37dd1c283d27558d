/** The values of a facet among the documents a search would find. Finding the values is left to `engine/answer/`. */

import type { FacetSearchQuery } from "../../base/contract/search.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { checkFacetSearchEnabled, facetSearchAnswer } from "../answer/facet-search.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { searchedFields } from "../rank/searched-fields.ts";
import { SearchClock } from "./clock.ts";
import { ALL_BUT_DETAILS, insideIndex, type Searching, search, viewOf } from "./search.ts";
import { type SearchKind, searchKind } from "./search-kind.ts";
import { selectedRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

/** As many documents as a search shows: with `distinct`, only the duplicates of those are left out of the counts. */
const SEEN_DOCUMENTS = limits.pageItems;

export function runFacetSearch(header: ReaderRequests["facetSearch"], context: RequestContext): Uint8Array {
  const { indexUid, query, call } = header;
  const searching: Searching = { context, clock: new SearchClock(call), call };
  const view = viewOf(indexUid, context);
  const kind = searchKind(query, view.settings);
  return insideIndex(indexUid, () => {
    checkFacetSearchEnabled(view.settings);
    const rows = candidates(view, query, kind, searching);
    return facetSearchAnswer(view, rows, query, searching.clock.startedAt);
  });
}

function candidates(
  view: IndexView,
  query: FacetSearchQuery,
  kind: SearchKind,
  searching: Searching,
): readonly Bitmap[] {
  const blank = query.q === null || query.q.trim() === "";
  // Without words and duplicates the order of the documents is of no interest; by meaning, every document is near.
  if (kind !== "keyword" || (blank && view.settings.distinctAttribute === null)) {
    searchedFields(view, query.attributesToSearchOn);
    return selectedRows(view, query.filter, searching.context.snapshot(), "invalid_search_filter");
  }
  const window = { offset: 0, limit: SEEN_DOCUMENTS, exhaustive: query.exhaustiveFacetCount === true };
  return search(view, { ...query, sort: null, distinct: null }, kind, window, ALL_BUT_DETAILS, searching).candidates;
}
