/**
 * One search, from its checked query to the bytes of its answer, over one snapshot: filter, rank, answer. Knows in which
 * order things happen and how refusals are worded; the work itself is done by `engine/filter/`, `engine/rank/` and `engine/answer/`.
 */

import type { SearchQuery } from "../../base/contract/search.ts";
import { type Window, windowOf } from "../../base/contract/window.ts";
import { ApiError, apiError, indexNotFound, internalError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { type SearchAnswer, type SearchExtras, searchAnswer } from "../answer/search.ts";
import { isRepeatable } from "../cache/answer-cache.ts";
import { ForeignDocuments } from "../joins/documents.ts";
import { Hydration } from "../joins/hydration.ts";
import type { ReaderRequests, SearchCall } from "../link/requests.ts";
import { newUid } from "../link/uids.ts";
import { rank as rankDocuments } from "../parts/rank.ts";
import { type PinnedHit, pinnedHits, pinnedResult, withoutPinned } from "../pins/merge.ts";
import type { WithPins } from "../pins/pin.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankResult } from "../rank/result.ts";

import { isGoodEnough, sharesOf } from "../semantic/hybrid.ts";
import { rankByMeaning, rankHybrid, semanticHits } from "../semantic/search.ts";
import { SearchClock } from "./clock.ts";
import { type SearchKind, searchKind } from "./search-kind.ts";
import { selectedRows } from "./select.ts";
import type { RequestContext } from "./task.ts";

const ANSWER_BYTES = 64 * 1024;
/** Memory for a longer answer is not kept for the next one. */
const KEPT_ANSWER_BYTES_MAX = 1024 * 1024;

/** Everything `search` needs that is the same for all searches of one request. */
export interface Searching {
  context: RequestContext;
  clock: SearchClock;
  call: SearchCall;
}

interface Searched {
  answer: SearchAnswer;
  /** Whether a vector for the query, which came without one, could make it better. */
  wantsVector: boolean;
  /** Whether the same answer would be given again. */
  isKeepable: boolean;
}

/** Where answers are written: new memory for each of them costs more than many a search. */
let answerSink = new ByteSink(ANSWER_BYTES);

/** The answer is only good until the next search. */
export function runSearch(header: ReaderRequests["search"], context: RequestContext): Searched {
  const searching = { context, clock: new SearchClock(header.call), call: header.call };
  if (answerSink.buffer.length > KEPT_ANSWER_BYTES_MAX) answerSink = new ByteSink(ANSWER_BYTES);
  answerSink.reset();
  return searchOne(viewOf(header.indexUid, context), header.query, searching, answerSink);
}

/** The whole answer to one query, in memory of its own unless given some. */
export function searchOne(
  view: IndexView,
  query: SearchQuery & WithPins,
  searching: Searching,
  out?: ByteSink,
): Searched {
  const { clock, call } = searching;
  const kind = searchKind(query, view.settings);
  return insideIndex(view.uid, () => {
    const window = windowOf(query);
    const found = search(view, query, kind, window, wantedOf(query, kind), searching);
    const end = window.offset + window.limit;
    const result = pinnedResult(found, found.pinned, end, view.settings.pagination.maxTotalHits);
    const extras: SearchExtras = {
      clock,
      requestUid: call.requestUid,
      metadata: call.includeMetadata ? metadataOf(view.uid, view.primaryKey, query) : null,
      semanticHitCount: kind === "keyword" ? null : semanticHits(result.hits.slice(window.offset, end)),
      queryVector: kind !== "keyword" && query.retrieveVectors ? query.vector : null,
      remoteErrors: null,
      hydration: hydrationOf(view, searching),
    };
    const answer = searchAnswer(view, query, result, extras, out);
    const wantsVector = kind === "hybrid" && query.vector === null && !isEnough(found, query, end);
    return { answer, wantsVector, isKeepable: !wantsVector && !result.degraded && isRepeatable(query, call) };
  });
}

/** Whether what words have found is as good as it gets. */
function isEnough(found: RankResult, { hybrid }: Pick<SearchQuery, "hybrid">, wanted: number): boolean {
  return isGoodEnough(found, wanted, sharesOf(hybrid?.semanticRatio ?? 0));
}

/** Between the queries of one request: what nobody waits for is not worked on any further. */
export function refuseAbandoned({ context }: Searching): void {
  if (context.canceled()) throw apiError("bad_request", "The client is gone.");
}

/** Also of an index whose documents cannot be read: its settings can. */
export function anyViewOf(uid: string, { snapshot }: Pick<RequestContext, "snapshot">): IndexView {
  const view = snapshot().index(uid);
  if (view === null) throw indexNotFound(uid);
  return view;
}

export function viewOf(uid: string, context: Pick<RequestContext, "snapshot">): IndexView {
  const view = anyViewOf(uid, context);
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
  | "vector"
> &
  WithPins;

/** What ranking found, without the documents that are pinned. */
export interface Found extends RankResult {
  pinned: PinnedHit[];
}

/** What will be looked at of what a search finds, beside its documents in order. */
interface Wanted {
  /** What every rule said, for scores. */
  details: boolean;
  candidates: NonNullable<KeywordRequest["candidates"]>;
  /** Which words were meant. */
  matches: boolean;
}

export const ALL_BUT_DETAILS: Wanted = { details: false, candidates: "own", matches: true };
export const ALL: Wanted = { details: true, candidates: "own", matches: true };

function wantedOf(query: SearchQuery & WithPins, kind: SearchKind): Wanted {
  const { attributesToCrop, attributesToHighlight, facets } = query;
  const isPlain = kind === "keyword" && query.pins === undefined;
  return {
    details: query.showRankingScore || query.showRankingScoreDetails,
    candidates: !isPlain ? "own" : facets !== null && facets.length > 0 ? "borrowed" : "none",
    matches: kind !== "keyword" || query.showMatchesPosition || (attributesToCrop ?? attributesToHighlight) !== null,
  };
}

/** The order of the documents that pass the filter. */
export function search(
  view: IndexView,
  query: Ranked,
  kind: SearchKind,
  window: Window,
  wanted: Wanted,
  { context, clock }: Searching,
): Found {
  // A hybrid search whose query cannot be embedded goes on with its words; one by meaning alone has nothing to go on with.
  const hybrid = kind === "keyword" ? null : query.hybrid;
  if (kind === "semantic" && query.vector === null) {
    throw apiError("vector_embedding_error", `The query could not be embedded with embedder \`${hybrid?.embedder}\`.`);
  }
  const passing = clock.step("search > filter", () =>
    selectedRows(view, query.filter, context.snapshot(), "invalid_search_filter"),
  );
  const distinct = query.distinct ?? view.settings.distinctAttribute;
  const pinned = query.pins === undefined ? [] : pinnedHits(view, passing, query.pins, distinct);
  const universe = pinned.length === 0 ? passing : withoutPinned(view, passing, pinned, distinct);
  const request: KeywordRequest = {
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
    deadline: clock.deadline(view.settings.searchCutoffMs),
  };
  const result = rank(view, universe, request, kind, hybrid, query.vector, clock);
  if (result.degraded) context.countDegraded();
  return { ...result, pinned };
}

function rank(
  view: IndexView,
  universe: Bitmap[],
  request: KeywordRequest,
  kind: SearchKind,
  hybrid: SearchQuery["hybrid"],
  vector: number[] | null,
  clock: SearchClock,
): RankResult {
  if (hybrid === null) return clock.step("search > keyword ranking", () => rankDocuments(view, universe, request));
  const { embedder, semanticRatio } = hybrid;
  if (kind === "semantic") {
    return clock.step("search > semantic ranking", () => rankByMeaning(view, universe, request, embedder, vector!));
  }
  const both = { ...request, embedder, semanticRatio, target: vector };
  return clock.step("search > hybrid ranking", () => rankHybrid(view, universe, both));
}

/** Null when no ids are to be replaced by documents. A foreign index that does not exist makes the search fail. */
export function hydrationOf(view: IndexView, { call, context }: Searching): Hydration | null {
  const keys = view.settings.foreignKeys.filter(({ foreignIndexUid }) => call.hydrates?.includes(foreignIndexUid));
  if (keys.length === 0) return null;
  return new Hydration(
    keys.map(({ fieldName, foreignIndexUid }) => ({
      field: fieldName,
      documents: new ForeignDocuments(viewOf(foreignIndexUid, context)),
    })),
  );
}

/** What a client that asked for it is told about a query besides its answer. */
export function metadataOf(indexUid: string, primaryKey: string | null, query: Pick<SearchQuery, "q">): JsonObject {
  return {
    ...(query.q === null ? {} : { query: query.q }),
    queryUid: newUid(),
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
  };
}
