/**
 * One search, from its checked query to the bytes of its answer, over one snapshot: filter, rank, answer. Knows in which
 * order things happen and how refusals are worded; the work itself is done by `filter/`, `rank/` and `answer/`.
 */
import { searchAnswer } from "../answer/search.ts";
import { ApiError, apiError, indexNotFound, internalError } from "../contract/errors.ts";
import type { SearchQuery } from "../contract/search.ts";
import type { IndexView } from "../index/view.ts";
import type { ReaderRequests, SearchCall } from "../link/requests.ts";
import { newUid } from "../link/uids.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankResult } from "../rank/result.ts";
import { rankSearch } from "../rank/search.ts";
import type { JsonObject } from "../tasks/task.ts";
import { SearchClock } from "./clock.ts";
import { type SearchKind, searchKind } from "./search-kind.ts";
import { selectedRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

const PAGE_SIZE = 20;

/** Everything `search` needs that is the same for all searches of one request. */
export interface Searching {
  context: RequestContext;
  clock: SearchClock;
  call: SearchCall;
}

export function runSearch(header: ReaderRequests["search"], context: RequestContext): Uint8Array {
  const searching = { context, clock: new SearchClock(header.call), call: header.call };
  return searchBody(header.indexUid, header.query, searching);
}

/** The whole answer to one query. */
export function searchBody(indexUid: string, query: SearchQuery, searching: Searching): Uint8Array {
  const { clock, call } = searching;
  refuseAbandoned(searching);
  const view = viewOf(indexUid, searching.context);
  const kind = searchKind(query, view.settings);
  return insideIndex(indexUid, () => {
    const wantDetails = query.showRankingScore || query.showRankingScoreDetails;
    const result = search(view, query, kind, windowOf(query), wantDetails, searching);
    return searchAnswer(view, query, result, {
      clock,
      requestUid: call.requestUid,
      metadata: call.includeMetadata ? metadataOf(view, query) : null,
      semanticHitCount: kind === "keyword" ? null : 0,
      queryVector: null,
      remoteErrors: null,
    });
  });
}

/** Between the queries of one request: what nobody waits for is not worked on any further. */
export function refuseAbandoned({ context }: Searching): void {
  if (context.canceled()) throw apiError("bad_request", "The client is gone.");
}

export function viewOf(uid: string, { snapshot }: Pick<RequestContext, "snapshot">): IndexView {
  const view = snapshot().index(uid);
  if (view === null) throw indexNotFound(uid);
  if (view.problem !== null) throw internalError(`index \`${uid}\` cannot be read: ${view.problem}`);
  return view;
}

/** Refusals that an index's settings cause name the index. */
export function insideIndex<Result>(uid: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) throw error.within(`Index \`${uid}\`: `);
    throw error;
  }
}

/** Which documents, counted from the first. */
export interface Window {
  offset: number;
  limit: number;
  /** Totals must be exact. */
  exhaustive: boolean;
}

export function windowOf(query: Pick<SearchQuery, "offset" | "limit" | "page" | "hitsPerPage">): Window {
  if (query.page === null && query.hitsPerPage === null) {
    return { offset: query.offset, limit: query.limit, exhaustive: false };
  }
  const size = query.hitsPerPage ?? PAGE_SIZE;
  const page = query.page ?? 1;
  return { offset: size * Math.max(0, page - 1), limit: page === 0 ? 0 : size, exhaustive: true };
}

type Ranked = Pick<
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
>;

/** The order of the documents that pass the filter. `wantDetails`: with what every rule said, for scores. */
export function search(
  view: IndexView,
  query: Ranked,
  kind: SearchKind,
  window: Window,
  wantDetails: boolean,
  { context, clock }: Searching,
): RankResult {
  // A hybrid search whose query cannot be embedded goes on with its words; one by meaning alone has nothing to go on with.
  if (kind === "semantic") {
    throw apiError(
      "vector_embedding_error",
      `The query could not be embedded with embedder \`${query.hybrid?.embedder}\`.`,
    );
  }
  const universe = clock.step("search > filter", () =>
    selectedRows(view, query.filter, context.snapshot(), "invalid_search_filter"),
  );
  const request: KeywordRequest = {
    q: query.q,
    matchingStrategy: query.matchingStrategy,
    attributesToSearchOn: query.attributesToSearchOn,
    sort: query.sort,
    distinct: query.distinct,
    locales: query.locales,
    rankingScoreThreshold: query.rankingScoreThreshold,
    ...window,
    wantDetails,
    deadline: clock.deadline(view.settings.searchCutoffMs),
  };
  const result = clock.step("search > keyword ranking", () => rankSearch(view, universe, request));
  if (result.degraded) context.countDegraded();
  return result;
}

/** What a client that asked for it is told about a query besides its answer. */
export function metadataOf(view: IndexView, query: Pick<SearchQuery, "q">): JsonObject {
  return {
    ...(query.q === null ? {} : { query: query.q }),
    queryUid: newUid(),
    indexUid: view.uid,
    ...(view.primaryKey === null ? {} : { primaryKey: view.primaryKey }),
  };
}
