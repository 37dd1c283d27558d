/** The values of a facet among the documents a search would find. Finding the values is left to `engine/answer/`. */

import type { FacetSearchQuery } from "../../base/contract/search.ts";
import type { Window } from "../../base/contract/window.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { checkFacetSearchEnabled, facetSearchAnswer, writtenHits } from "../answer/facet-search.ts";
import type { ReaderRequests } from "../link/requests.ts";
import { searchedFields } from "../rank/searched-fields.ts";
import { SearchClock } from "./clock.ts";
import { facetSearchInParts } from "./divided/facet-search.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
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
    const index = IndexInParts.of(view, context);
    if (index !== null) return answerInParts(index, query, kind, searching);
    const rows = candidates(view, query, kind, searching);
    return facetSearchAnswer(view, rows, query, searching.clock.startedAt);
  });
}

function answerInParts(
  index: IndexInParts,
  query: FacetSearchQuery,
  kind: SearchKind,
  { clock }: Searching,
): Uint8Array {
  const window = windowOf(index.view, query, kind);
  if (window === null && query.attributesToSearchOn !== null)
    searchedFields(index.fields(), query.attributesToSearchOn);
  const hits = facetSearchInParts(index, query, kind, window, ALL_BUT_DETAILS, clock);
  const errors = index.errors === null ? "" : `,"remoteErrors":${JSON.stringify(index.errors)}`;
  return writtenHits(hits, query, clock.elapsedMs, errors);
}

/** Null where the order of documents is of no interest: without words and duplicates; by meaning, every document is near. */
function windowOf({ settings }: IndexView, query: FacetSearchQuery, kind: SearchKind): Window | null {
  const blank = query.q === null || query.q.trim() === "";
  if (kind !== "keyword" || (blank && settings.distinctAttribute === null)) return null;
  // Where all are counted, none is seen: of duplicates the first in the index counts, not the best.
  const exhaustive = query.exhaustiveFacetCount === true;
  return { offset: 0, limit: exhaustive ? 0 : SEEN_DOCUMENTS, exhaustive };
}

function candidates(
  view: IndexView,
  query: FacetSearchQuery,
  kind: SearchKind,
  searching: Searching,
): readonly Bitmap[] {
  const window = windowOf(view, query, kind);
  if (window === null) {
    searchedFields(view, query.attributesToSearchOn);
    return selectedRows(view, query.filter, searching.context.snapshot(), "invalid_search_filter");
  }
  return search(view, { ...query, sort: null, distinct: null }, kind, window, ALL_BUT_DETAILS, searching).candidates;
}
