/** What is asked of the server, from what the reader has set. */
import type { Json } from "../api/types.ts";
import { type Picks, type Ranges, wholeFilter } from "./filters.ts";
import type { Around } from "./geo.ts";
import { MARK_BEGIN, MARK_END } from "./highlight.ts";

export interface Wanted {
  q: string;
  filter: string;
  picks: Picks;
  ranges: Ranges;
  /** Null for everywhere. */
  around: Around | null;
  /** `attribute:asc`; empty for the order of relevancy. */
  sort: string;
  page: number;
  /** Empty for a search by words alone. */
  embedder: string;
  semanticRatio: number;
}

export type SearchBody = { [name: string]: Json };

const HITS_PER_PAGE = 20;

/** What a person would write: nothing that is only for the page. */
export function plainRequest(wanted: Wanted): SearchBody {
  const { q, sort, page, embedder, semanticRatio } = wanted;
  const filter = wholeFilter(wanted.filter, wanted.picks, wanted.ranges, wanted.around);
  return {
    q,
    ...(filter === undefined ? {} : { filter }),
    ...(sort === "" ? {} : { sort: [sort] }),
    ...(embedder === "" ? {} : { hybrid: { embedder, semanticRatio } }),
    facets: ["*"],
    hitsPerPage: HITS_PER_PAGE,
    page,
  };
}

export function pageRequest(wanted: Wanted): SearchBody {
  return {
    ...plainRequest(wanted),
    attributesToHighlight: ["*"],
    highlightPreTag: MARK_BEGIN,
    highlightPostTag: MARK_END,
    showRankingScore: true,
    showRankingScoreDetails: true,
  };
}
