/**
 * The whole answer of a search: its hits, its place among all that was found, its facets. Puts together what others
 * write; the order of the keys is the interface's.
 */

import type { SearchQuery } from "../../base/contract/search.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { floatText } from "../../base/json/number.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import type { Equality } from "../filter/equalities.ts";
import type { Hydration } from "../joins/hydration.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";

import { type FacetsView, type ShownFacets, shownFacets, writeFacetDistribution, writeFacetStats } from "./facets.ts";
import { formatHits, type HitsView } from "./hits.ts";
import { writeJsonString } from "./json-writer.ts";

/** What is needed of an index to answer; `IndexView` has it. */
type SearchView = HitsView & FacetsView;

/** The time of a request. */
interface AnswerClock {
  readonly elapsedMs: number;
  /** Runs a step and notes how long it took. */
  step<Result>(name: string, run: () => Result): Result;
  /** Steps noted so far and their durations. */
  details(): JsonObject;
}

/** What the answer tells beside the result itself; null for what is left out. */
export interface SearchExtras {
  clock: AnswerClock;
  requestUid: string;
  metadata: JsonObject | null;
  /** Of a semantic or hybrid search. */
  semanticHitCount: number | null;
  queryVector: readonly number[] | null;
  /** By remote, when some did not answer. */
  remoteErrors: JsonObject | null;
  /** Absent, or null, when no foreign keys are followed. */
  hydration?: Hydration | null;
}

/** An answer, and where in it the two things stand that are never the same twice. */
export interface SearchAnswer {
  body: Uint8Array;
  /** The digits of `processingTimeMs`. */
  timeAt: number;
  timeEnd: number;
  /** Of `requestUid`, inside the quotes. */
  uidAt: number;
  /** How many documents were found, as the answer says it. */
  found: number;
}

/** Most answers are no longer. */
const ANSWER_BYTES = 16 * 1024;

/** Who counts facets and writes hits. */
interface Showing<Hit> {
  /** Throws `invalid_search_facets`. */
  facets(names: readonly string[]): ShownFacets[];
  /** Appends `[{…},…]`. */
  write(page: readonly Hit[], out: ByteSink): void;
}

/** Written to `out`, which must be empty. `equalities`: of everything that was found. Throws `invalid_search_facets`. */
export function searchAnswer(
  view: SearchView,
  query: SearchQuery,
  result: RankResult,
  equalities: readonly Equality[],
  extras: SearchExtras,
  out?: ByteSink,
): SearchAnswer {
  const showing: Showing<RankedHit> = {
    facets: (names) => shownFacets(view, result.candidates, names, equalities),
    write: (page, into) => formatHits(view, page, query, result.query, into, extras.hydration),
  };
  return answerWith(showing, view.settings.pagination.maxTotalHits, query, result, extras, out);
}

/** The same, wherever the documents are. */
export function answerWith<Hit extends RankedHit>(
  showing: Showing<Hit>,
  maxTotalHits: number,
  query: SearchQuery,
  result: { hits: readonly Hit[]; total: number },
  extras: SearchExtras,
  out = new ByteSink(ANSWER_BYTES),
): SearchAnswer {
  const { clock } = extras;
  const facets =
    query.facets === null || query.facets.length === 0
      ? null
      : clock.step("search > facets", () => showing.facets(query.facets!));
  out.ascii('{"hits":');
  clock.step("search > formatting", () => showing.write(pageOf(result.hits, query, maxTotalHits), out));
  out.ascii(',"query":');
  writeJsonString(out, query.q ?? "");
  if (extras.queryVector !== null) out.ascii(`,"queryVector":[${extras.queryVector.map(floatText).join(",")}]`);
  out.ascii(',"processingTimeMs":');
  const timeAt = out.length;
  out.ascii(String(Math.floor(clock.elapsedMs)));
  const timeEnd = out.length;
  const found = Math.min(result.total, maxTotalHits);
  writePlace(query, found, maxTotalHits, out);
  if (facets !== null) writeFacets(facets, out);
  out.ascii(',"requestUid":"');
  const uidAt = out.length;
  out.ascii(`${extras.requestUid}"`);
  if (extras.metadata !== null) writeMember("metadata", extras.metadata, out);
  if (query.showPerformanceDetails) writeMember("performanceDetails", clock.details(), out);
  if (extras.remoteErrors !== null) writeMember("remoteErrors", extras.remoteErrors, out);
  if (extras.semanticHitCount !== null) out.ascii(`,"semanticHitCount":${extras.semanticHitCount}`);
  out.byte(0x7d);
  return { body: out.view(), timeAt, timeEnd, uidAt, found };
}

function asksForPages({ page, hitsPerPage }: Pick<SearchQuery, "page" | "hitsPerPage">): boolean {
  return page !== null || hitsPerPage !== null;
}

/** The hits a query wants to see, of those that can be reached. */
function pageOf<Hit>(
  hits: readonly Hit[],
  query: Pick<SearchQuery, "page" | "hitsPerPage" | "offset" | "limit">,
  maxTotalHits: number,
): readonly Hit[] {
  let { offset, limit } = query;
  if (asksForPages(query)) {
    const page = query.page ?? 1;
    limit = page === 0 ? 0 : (query.hitsPerPage ?? limits.pageItems);
    offset = limit * Math.max(0, page - 1);
  }
  return hits.slice(offset, Math.min(offset + limit, maxTotalHits));
}

/** Neither totals nor the offset go beyond what can be reached. */
function writePlace(query: SearchQuery, total: number, maxTotalHits: number, out: ByteSink): void {
  if (!asksForPages(query)) {
    const offset = Math.min(query.offset, maxTotalHits);
    out.ascii(`,"limit":${query.limit},"offset":${offset},"estimatedTotalHits":${total}`);
    return;
  }
  const size = query.hitsPerPage ?? limits.pageItems;
  const pages = size === 0 ? 0 : Math.ceil(total / size);
  out.ascii(`,"hitsPerPage":${size},"page":${query.page ?? 1},"totalPages":${pages},"totalHits":${total}`);
}

function writeFacets(facets: readonly ShownFacets[], out: ByteSink): void {
  out.ascii(',"facetDistribution":');
  writeFacetDistribution(facets, out);
  out.ascii(',"facetStats":');
  writeFacetStats(facets, out);
}

function writeMember(name: string, value: JsonObject, out: ByteSink): void {
  out.ascii(`,"${name}":`);
  out.utf8(JSON.stringify(value));
}
