/**
 * Several searches merged into one list: run each, merge the queries of each index, then the indexes, cut the page, and
 * write it. How hits compare is known by `federation/`, how they look by `answer/`.
 */
import { HitWriter } from "../answer/hits.ts";
import { type Federation, type IndexQuery, insideQuery } from "../contract/multi-search.ts";
import { ByteSink } from "../document/bytes.ts";
import { SeenValues } from "../federation/distinct.ts";
import { elementsOf } from "../federation/elements.ts";
import { type FederatedHit, mergeLists, mergeQueries } from "../federation/merge.ts";
import { CommonRules, rankedBy } from "../federation/rules.ts";
import type { IndexView } from "../index/view.ts";
import { doubleText } from "../json/number.ts";
import { compareText } from "../query/order.ts";
import type { RankedHit, RankResult } from "../rank/result.ts";
import { globalScore } from "../rank/score.ts";
import { checkFacetIndexes, type FacetedIndex, writeFederatedFacets } from "./federated-facets.ts";
import {
  insideIndex,
  metadataOf,
  refuseAbandoned,
  type Searching,
  search,
  viewOf,
  type Window,
  windowOf,
} from "./search.ts";
import { searchKind } from "./search-kind.ts";
import { Turns } from "./turns.ts";

/** One query with what it found. */
interface Found {
  position: number;
  query: IndexQuery;
  view: IndexView;
  result: RankResult;
}

/** An index with all its queries. */
interface FederatedIndex extends FacetedIndex {
  queries: Found[];
  /** Hits that `distinct` kept out. */
  rejected: RankedHit[];
}

export async function federatedBody(
  queries: IndexQuery[],
  federation: Federation,
  searching: Searching,
): Promise<Uint8Array> {
  const { clock, call } = searching;
  const window = windowOf(federation);
  checkFacetIndexes(federation, searching);
  const found = await findAll(queries, federation, window, searching);
  const indexes = byIndex(found);
  const page = clock.step("federating results > merge", () => cutPage(found, indexes, federation, window));

  const out = new ByteSink(16 * 1024);
  out.ascii('{"hits":[');
  clock.step("federating results > answer", () => writeHits(page, found, out));
  out.ascii(`],"processingTimeMs":${Math.floor(clock.elapsedMs)},`);
  out.ascii(paging(federation, totalOf(indexes)));
  writeFederatedFacets(indexes, federation, searching, out);
  out.ascii(`,"requestUid":"${call.requestUid}"`);
  if (call.includeMetadata) {
    out.utf8(`,"metadata":${JSON.stringify(found.map(({ view, query }) => metadataOf(view, query)))}`);
  }
  if (found.some(({ query, view }) => searchKind(query, view.settings) !== "keyword"))
    out.ascii(',"semanticHitCount":0');
  if (federation.showPerformanceDetails) out.utf8(`,"performanceDetails":${JSON.stringify(clock.details())}`);
  out.byte(0x7d);
  return out.view();
}

async function findAll(
  queries: readonly IndexQuery[],
  federation: Federation,
  window: Window,
  searching: Searching,
): Promise<Found[]> {
  const turns = new Turns();
  const rules = new CommonRules();
  const found: Found[] = [];
  const whole = { ...window, offset: 0, limit: window.offset + window.limit };
  for (const [position, sent] of queries.entries()) {
    await turns.pause();
    refuseAbandoned(searching);
    const query = federation.distinct === null ? sent : { ...sent, distinct: federation.distinct };
    insideQuery(position, () => {
      const { indexUid } = query;
      const view = viewOf(indexUid, searching.context);
      const kind = searchKind(query, view.settings);
      const own = { ...searching, clock: searching.clock.again() };
      const result = insideIndex(indexUid, () =>
        searching.clock.step(`queries[${position}]`, () => search(view, query, kind, whole, true, own)),
      );
      found.push({ position, query, view, result });
    });
    rules.add(rankedBy(position, query.indexUid, query, found[position]!.view.settings));
  }
  return found;
}

/** Ascending by uid. */
function byIndex(found: readonly Found[]): FederatedIndex[] {
  const indexes = new Map<string, FederatedIndex>();
  for (const each of found) {
    const known = indexes.get(each.view.uid);
    if (known === undefined) {
      const candidates = each.result.candidates.map((rows) => rows.copy());
      indexes.set(each.view.uid, { view: each.view, queries: [each], candidates, rejected: [] });
    } else {
      known.queries.push(each);
      for (const [segment, rows] of each.result.candidates.entries()) known.candidates[segment]!.orWith(rows);
    }
  }
  return [...indexes.values()].sort((a, b) => compareText(a.view.uid, b.view.uid));
}

function cutPage(
  found: readonly Found[],
  indexes: readonly FederatedIndex[],
  { distinct }: Federation,
  { offset, limit }: Window,
): FederatedHit[] {
  const seen = distinct === null ? null : new SeenValues(distinct);
  const page: FederatedHit[] = [];
  let skipped = 0;
  if (limit === 0) return page;
  for (const hit of mergeLists(indexes.map(({ queries }) => mergeQueries(queries.map(hitsOf))))) {
    const { view, result } = found[hit.query]!;
    const { segment, row } = result.hits[hit.at]!;
    if (seen !== null && !seen.accept(view.segments[segment]!.reader.columns, row)) {
      indexes.find((index) => index.view === view)!.rejected.push(result.hits[hit.at]!);
      continue;
    }
    if (skipped < offset) skipped++;
    else if (page.push(hit) === limit) break;
  }
  return page;
}

function* hitsOf({ position, query, result }: Found): Generator<FederatedHit> {
  const weight = query.federationOptions?.weight ?? 1;
  for (const [at, { docid, details }] of result.hits.entries()) {
    const weightedScore = globalScore(details) * weight;
    yield { query: position, at, docid, elements: elementsOf(details, weight), weightedScore };
  }
}

function writeHits(page: readonly FederatedHit[], found: readonly Found[], out: ByteSink): void {
  const writers: HitWriter[] = [];
  for (const [i, { query: position, at, weightedScore }] of page.entries()) {
    const { query, view, result } = found[position]!;
    writers[position] ??= new HitWriter(view, query, result.query);
    const origin =
      `"indexUid":${JSON.stringify(view.uid)},"queriesPosition":${query.federationOptions?.queryPosition ?? position},` +
      `"weightedRankingScore":${doubleText(weightedScore)}`;
    if (i > 0) out.byte(0x2c);
    writers[position].write(result.hits[at]!, out, `,"_federation":{${origin}}`);
  }
}

/** No index counts for more than can be reached in it. */
function totalOf(indexes: readonly FederatedIndex[]): number {
  let total = 0;
  for (const { view, candidates, rejected } of indexes) {
    const count = candidates.reduce((sum, rows) => sum + rows.count(), 0) - rejected.length;
    total += Math.min(count, view.settings.pagination.maxTotalHits);
  }
  return total;
}

function paging(federation: Federation, total: number): string {
  const { page, hitsPerPage, limit, offset } = federation;
  if (page === null && hitsPerPage === null) return `"limit":${limit},"offset":${offset},"estimatedTotalHits":${total}`;
  const size = hitsPerPage ?? 20;
  const totalPages = size === 0 ? 0 : Math.ceil(total / size);
  return `"hitsPerPage":${size},"page":${page ?? 1},"totalPages":${totalPages},"totalHits":${total}`;
}
