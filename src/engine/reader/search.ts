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
import type { Equality } from "../filter/equalities.ts";
import { ForeignDocuments } from "../joins/documents.ts";
import { Hydration } from "../joins/hydration.ts";
import type { ReaderRequests, SearchCall } from "../link/requests.ts";
import { newUid } from "../link/uids.ts";

import { isDivided } from "../parts/divide.ts";
import { type PinnedHit, pinnedHits, pinnedResult, placedHits, withoutPinned } from "../pins/merge.ts";
import type { WithPins } from "../pins/pin.ts";
import type { KeywordRequest } from "../rank/request.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";
import { rankSearch } from "../rank/search.ts";

import { isGoodEnough, sharesOf } from "../semantic/hybrid.ts";
import { rankByMeaning, rankHybrid, semanticHits } from "../semantic/search.ts";
import { SearchClock } from "./clock.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
import { searchInParts } from "./divided/search.ts";
import { answerInParts } from "./divided/search-answer.ts";
import { type SearchKind, searchKind } from "./search-kind.ts";
import { type Ranked, requestOf, requireVector, type Wanted } from "./search-request.ts";
import { selection } from "./select.ts";
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
  const { call } = searching;
  const kind = searchKind(query, view.settings);
  return insideIndex(view.uid, () => {
    const window = windowOf(query);
    const index = IndexInParts.of(view, searching.context);
    if (index !== null) return searchOneInParts(index, query, kind, window, searching, out);
    const found = search(view, query, kind, window, wantedOf(query, kind), searching);
    const end = window.offset + window.limit;
    const result = pinnedResult(found, found.pinned, end, view.settings.pagination.maxTotalHits);
    const page = result.hits.slice(window.offset, end);
    const extras = extrasOf(view, query, kind, page, searching, hydrationOf(view, searching), null);
    const answer = searchAnswer(view, query, result, found.equalities, extras, out);
    const wantsVector = kind === "hybrid" && query.vector === null && !isEnough(found, query, end);
    return { answer, wantsVector, isKeepable: !wantsVector && !result.degraded && isRepeatable(query, call) };
  });
}

/** The same for an index that lies in parts. */
function searchOneInParts(
  index: IndexInParts,
  query: SearchQuery & WithPins,
  kind: SearchKind,
  window: Window,
  searching: Searching,
  out?: ByteSink,
): Searched {
  const { view } = index;
  const { call, clock, context } = searching;
  const facets = query.facets !== null && query.facets.length > 0 ? query.facets : null;
  const found = searchInParts(index, query, kind, window, wantedOf(query, kind), facets, clock);
  const end = window.offset + window.limit;
  const { maxTotalHits } = view.settings.pagination;
  const hits = placedHits(found.hits, found.pinned, Math.min(end, maxTotalHits));
  const result = {
    ...found,
    hits,
    candidates: found.candidates.with(found.pinned.map(({ hit }) => hit)),
    total: Math.min(found.total + found.pinned.length, maxTotalHits),
  };
  const errors = index.errors as JsonObject | null;
  const extras = extrasOf(view, query, kind, hits.slice(window.offset, end), searching, null, errors);
  const answer = answerInParts(index, query, result, extras, hydrationOf(view, searching, FORMATTED), out);
  if (found.degraded) context.countDegraded();
  const wantsVector = kind === "hybrid" && query.vector === null && !isEnough(found, query, end);
  const isWhole = index.isCurrent && !found.degraded;
  return { answer, wantsVector, isKeepable: !wantsVector && isWhole && isRepeatable(query, call) };
}

function extrasOf(
  view: IndexView,
  query: SearchQuery,
  kind: SearchKind,
  page: readonly RankedHit[],
  { call, clock }: Searching,
  hydration: Hydration | null,
  remoteErrors: JsonObject | null,
): SearchExtras {
  return {
    clock,
    requestUid: call.requestUid,
    metadata: call.includeMetadata ? metadataOf(view.uid, view.primaryKey, query) : null,
    semanticHitCount: kind === "keyword" ? null : semanticHits(page),
    queryVector: kind !== "keyword" && query.retrieveVectors ? query.vector : null,
    remoteErrors,
    hydration,
  };
}

/** Whether what words have found is as good as it gets. */
function isEnough(found: Pick<RankResult, "hits">, { hybrid }: Pick<SearchQuery, "hybrid">, wanted: number): boolean {
  return isGoodEnough(found, wanted, sharesOf(hybrid?.semanticRatio ?? 0));
}

/** Between the queries of one request: what nobody waits for is not worked on any further. */
export function refuseAbandoned({ context }: Pick<Searching, "context">): void {
  if (context.canceled()) throw apiError("bad_request", "The client is gone.");
}

/** Also of an index whose documents cannot be read: its settings can. */
export function anyViewOf(uid: string, context: Pick<RequestContext, "snapshot">): IndexView {
  const view = context.snapshot().index(uid);
  if (view === null) throw indexNotFound(uid);
  return view;
}

export function viewOf(uid: string, context: Pick<RequestContext, "snapshot">): IndexView {
  const view = anyViewOf(uid, context);
  if (view.problem !== null && !isDivided(view))
    throw internalError(`index \`${uid}\` cannot be read: ${view.problem}`);
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

/** What ranking found, without the documents that are pinned. */
export interface Found extends RankResult {
  pinned: PinnedHit[];
  /** Of everything that was found. */
  equalities: readonly Equality[];
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
  const hybrid = kind === "keyword" ? null : query.hybrid;
  requireVector(kind, query);
  const { rows: passing, equalities } = clock.step("search > filter", () =>
    selection(view, query.filter, context.snapshot(), "invalid_search_filter"),
  );
  const distinct = query.distinct ?? view.settings.distinctAttribute;
  const pinned = query.pins === undefined ? [] : pinnedHits(view, passing, query.pins, distinct);
  const universe = pinned.length === 0 ? passing : withoutPinned(view, passing, pinned, distinct);
  const request = requestOf(query, window, wanted, clock.deadline(view.settings.searchCutoffMs));
  const result = rank(view, universe, request, kind, hybrid, query.vector, clock);
  if (result.degraded) context.countDegraded();
  // Field by field: objects that are spread have no shape that the next one shares.
  const { candidates, degraded, hits, query: matched, total } = result;
  return { hits, candidates, total, query: matched, degraded, pinned, equalities };
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
  if (hybrid === null) return clock.step("search > keyword ranking", () => rankSearch(view, universe, request));
  const { embedder, semanticRatio } = hybrid;
  if (kind === "semantic") {
    return clock.step("search > semantic ranking", () => rankByMeaning(view, universe, request, embedder, vector!));
  }
  const both = { ...request, embedder, semanticRatio, target: vector };
  return clock.step("search > hybrid ranking", () => rankHybrid(view, universe, both));
}

/**
 * Null when no ids are to be replaced by documents. A foreign index that does not exist makes the search fail. `prefixes`: of the
 * fields, where it is not documents alone that are hydrated.
 */
export function hydrationOf(
  view: IndexView,
  { call, context }: Searching,
  prefixes: readonly string[] = [""],
): Hydration | null {
  const keys = view.settings.foreignKeys.filter(({ foreignIndexUid }) => call.hydrates?.includes(foreignIndexUid));
  if (keys.length === 0) return null;
  return new Hydration(
    keys.flatMap(({ fieldName, foreignIndexUid }) => {
      const documents = new ForeignDocuments(viewOf(foreignIndexUid, context));
      return prefixes.map((prefix) => ({ field: `${prefix}${fieldName}`, documents }));
    }),
  );
}

/** Where fields of a document stand in a hit that is written. */
export const FORMATTED = ["", "_formatted."];

/** What a client that asked for it is told about a query besides its answer. */
export function metadataOf(indexUid: string, primaryKey: string | null, query: Pick<SearchQuery, "q">): JsonObject {
  return {
    ...(query.q === null ? {} : { query: query.q }),
    queryUid: newUid(),
    indexUid,
    ...(primaryKey === null ? {} : { primaryKey }),
  };
}
