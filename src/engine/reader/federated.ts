/**
 * Several searches merged into one list: run each, merge the queries of each index, then the indexes, cut the page, and
 * write it. How hits compare is known by `engine/federation/`, how they look by `engine/answer/`.
 */

import {
  type Federation,
  type IndexQuery,
  insideQuery,
  type Origin,
  placeOf,
} from "../../base/contract/multi-search.ts";
import { type Window, windowOf } from "../../base/contract/window.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { doubleText, floatText } from "../../base/json/number.ts";
import type { JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { HitWriter } from "../answer/hits.ts";
import { SeenValues } from "../federation/distinct.ts";
import { type FederatedHit, mergeLists, mergeQueries, only } from "../federation/merge.ts";
import { CommonRules, rankedBy } from "../federation/rules.ts";
import { sentElements } from "../federation/sent-elements.ts";
import type { Hydration } from "../joins/hydration.ts";
import { withPins, withRows } from "../pins/merge.ts";
import type { WithPins } from "../pins/pin.ts";
import { compareText } from "../query/order.ts";
import { elementsOf } from "../rank/elements.ts";
import type { RankedHit } from "../rank/result.ts";
import { globalScore } from "../rank/score.ts";

import { semanticHits } from "../semantic/search.ts";
import {
  type CountedIndex,
  checkFacetIndexes,
  countFederatedFacets,
  type FacetedIndex,
  writeFacetRules,
  writeFederatedFacets,
} from "./federated-facets.ts";
import {
  ALL,
  type Found,
  hydrationOf,
  insideIndex,
  metadataOf,
  refuseAbandoned,
  type Searching,
  search,
  viewOf,
} from "./search.ts";
import { type SearchKind, searchKind } from "./search-kind.ts";
import { TimeSlice } from "./time-slice.ts";

/** One query with what it found. */
interface Answered {
  /** In the list of those that were run. */
  position: number;
  /** In the request. */
  place: number;
  query: IndexQuery;
  kind: SearchKind;
  view: IndexView;
  result: Found;
  hydration: Hydration | null;
}

/** An index with all its queries. */
interface FederatedIndex extends FacetedIndex {
  queries: Answered[];
  /** Hits that `distinct` kept out. */
  rejected: RankedHit[];
}

/** Who is to have the answer. */
interface Receiver {
  /** Null unless hits are to tell which server they come from. */
  origin: Origin | null;
  /** Whether it will be merged with those of other servers: hits then tell how they rank. */
  isShare: boolean;
  /** Whether errors tell which query is meant. */
  isOneOfMany: boolean;
}

export async function federatedBody(
  queries: (IndexQuery & WithPins)[],
  federation: Federation,
  receiver: Receiver,
  searching: Searching,
): Promise<{ body: Uint8Array; found: number }> {
  const { clock, call } = searching;
  const { origin, isShare } = receiver;
  const window = windowOf(federation);
  checkFacetIndexes(federation, searching);
  const found = await findAll(queries, federation, window, receiver, searching);
  const indexes = byIndex(found);
  const page = clock.step("federating results > merge", () => cutPage(found, indexes, federation, window));
  const counted = countFederatedFacets(indexes, federation, searching);

  const out = new ByteSink(16 * 1024);
  out.ascii('{"hits":[');
  clock.step("federating results > answer", () => {
    const told = isShare ? tellRank(federation, counted) : origin === null ? tellNothing : tellOrigin(origin);
    writeHits(page, found, told, out);
  });
  out.ascii("]");
  writeQueryVectors(found, out);
  out.ascii(`,"processingTimeMs":${Math.floor(clock.elapsedMs)},`);
  const total = totalOf(indexes);
  out.ascii(paging(federation, total));
  writeFederatedFacets(counted, federation, out);
  if (isShare) writeFacetRules(counted, out);
  out.ascii(`,"requestUid":"${call.requestUid}"`);
  if (call.includeMetadata) out.utf8(`,"metadata":${JSON.stringify(metadata(found, origin))}`);
  if (origin !== null) out.ascii(',"remoteErrors":{}');
  if (found.some(({ kind }) => kind !== "keyword")) {
    const hits = page.map((hit) => rankedHit(found[hit.query]!, hit));
    out.ascii(`,"semanticHitCount":${semanticHits(hits)}`);
  }
  if (federation.showPerformanceDetails) out.utf8(`,"performanceDetails":${JSON.stringify(clock.details())}`);
  out.byte(0x7d);
  return { body: out.view(), found: total };
}

function metadata(found: readonly Answered[], origin: Origin | null): JsonObject[] {
  const self: JsonObject = origin === null || origin.self === null ? {} : { remote: origin.self };
  return found.map(({ view, query }): JsonObject => ({ ...metadataOf(view.uid, view.primaryKey, query), ...self }));
}

/** By position of their query, for those who ask to see vectors. */
function writeQueryVectors(found: readonly Answered[], out: ByteSink): void {
  const shown = found.filter(({ kind, query }) => kind !== "keyword" && query.retrieveVectors && query.vector !== null);
  if (shown.length === 0) return;
  const members = shown.map(({ place, query }) => `"${place}":[${query.vector!.map(floatText).join(",")}]`);
  out.ascii(`,"queryVectors":{${members.join(",")}}`);
}

async function findAll(
  queries: readonly (IndexQuery & WithPins)[],
  federation: Federation,
  window: Window,
  { isOneOfMany }: Receiver,
  searching: Searching,
): Promise<Answered[]> {
  const inside = isOneOfMany ? insideQuery : <Result>(_place: number, run: () => Result): Result => run();
  const turns = new TimeSlice();
  const rules = new CommonRules();
  const found: Answered[] = [];
  const whole = { ...window, offset: 0, limit: window.offset + window.limit };
  for (const [position, sent] of queries.entries()) {
    await turns.pause();
    refuseAbandoned(searching);
    const query = federation.distinct === null ? sent : { ...sent, distinct: federation.distinct };
    const place = placeOf(query, position);
    inside(place, () => {
      const { indexUid } = query;
      const view = viewOf(indexUid, searching.context);
      const kind = searchKind(query, view.settings);
      const own = { ...searching, clock: searching.clock.again() };
      const result = insideIndex(indexUid, () =>
        searching.clock.step(`queries[${place}]`, () => search(view, query, kind, whole, ALL, own)),
      );
      const hydration = insideIndex(indexUid, () => hydrationOf(view, own));
      found.push({ position, place, query, kind, view, result, hydration });
    });
    rules.add(
      rankedBy(place, query.indexUid, query, found[position]!.view.settings, found[position]!.kind !== "keyword"),
    );
  }
  return found;
}

/** Ascending by uid. */
function byIndex(found: readonly Answered[]): FederatedIndex[] {
  const indexes = new Map<string, FederatedIndex>();
  for (const each of found) {
    const known = indexes.get(each.view.uid);
    if (known === undefined) {
      const candidates = withRows(each.result.candidates, each.result.pinned);
      indexes.set(each.view.uid, { view: each.view, queries: [each], candidates, rejected: [] });
    } else {
      known.queries.push(each);
      for (const [segment, rows] of withRows(each.result.candidates, each.result.pinned).entries()) {
        known.candidates[segment]!.orWith(rows);
      }
    }
  }
  return [...indexes.values()].sort((a, b) => compareText(a.view.uid, b.view.uid));
}

function cutPage(
  found: readonly Answered[],
  indexes: readonly FederatedIndex[],
  { distinct }: Federation,
  { offset, limit }: Window,
): FederatedHit[] {
  const page: FederatedHit[] = [];
  if (limit === 0) return page;
  const seen = distinct === null ? null : new SeenValues(distinct);
  const accept = (hit: FederatedHit): boolean => {
    const answered = found[hit.query]!;
    const ranked = rankedHit(answered, hit);
    const { columns } = answered.view.segments[ranked.segment]!.reader;
    if (seen === null || seen.accept(columns, ranked.row)) return true;
    indexes.find((index) => index.view === answered.view)!.rejected.push(ranked);
    return false;
  };
  const nameOf = ({ query, docid }: FederatedHit): string => `${found[query]!.view.uid}/${docid}`;
  const pins = new Map<string, FederatedPin>();
  for (const pin of found.flatMap(pinsOf).sort((a, b) => a.position - b.position)) {
    const name = nameOf(pin.hit);
    if (!pins.has(name)) pins.set(name, pin);
  }
  const shownPins = [...pins.values()].filter(({ hit }) => accept(hit));
  const merged = mergeLists(indexes.map(({ queries }) => mergeQueries(queries.map(hitsOf))));
  const organic = only(merged, (hit) => !(pins.size > 0 && pins.has(nameOf(hit))) && accept(hit));
  let skipped = 0;
  for (const hit of withPins(organic, shownPins)) {
    if (skipped < offset) skipped++;
    else if (page.push(hit) === limit) break;
  }
  return page;
}

function* hitsOf({ position, query, result }: Answered): Generator<FederatedHit> {
  const weight = query.federationOptions?.weight ?? 1;
  for (const [at, ranked] of result.hits.entries()) yield federatedHit(position, at, ranked, weight);
}

interface FederatedPin {
  position: number;
  hit: FederatedHit;
}

/** Pinned documents are counted behind those that were found. */
function pinsOf({ position: query, query: { federationOptions }, result }: Answered): FederatedPin[] {
  return result.pinned.map(({ position, hit }, i) => ({
    position,
    hit: federatedHit(query, result.hits.length + i, hit, federationOptions?.weight ?? 1),
  }));
}

function federatedHit(query: number, at: number, { docid, details }: RankedHit, weight: number): FederatedHit {
  return { query, at, docid, elements: elementsOf(details, weight), weightedScore: globalScore(details) * weight };
}

function rankedHit({ result: { hits, pinned } }: Answered, { at }: FederatedHit): RankedHit {
  return at < hits.length ? hits[at]! : pinned[at - hits.length]!.hit;
}

/** What a hit tells about itself besides its place, as members of an object that begin with a comma. */
type Telling = (hit: FederatedHit, answered: Answered, ranked: RankedHit) => string;

const tellNothing: Telling = () => "";

function tellOrigin({ self }: Origin): Telling {
  const remote = `,"remote":${JSON.stringify(self)}`;
  return () => remote;
}

/** All that is needed to merge it with hits of other servers. */
function tellRank({ distinct }: Federation, counted: readonly CountedIndex[]): Telling {
  return ({ elements }, { view }, { segment, row, details }) => {
    const score = `,"weightedScoreValues":${sentElements(elements)}`;
    const pin = details[0]?.kind === "pin" ? `,"pinnedPosition":${details[0].position}` : "";
    if (distinct === null) return score + pin;
    const faceted = counted.find(({ uid }) => uid === view.uid)?.facets ?? [];
    const { columns } = view.segments[segment]!.reader;
    const values = [...new Set([distinct, ...faceted.map(({ field }) => field)])].map((field) => {
      const column = columns.column(field);
      const texts = column?.stringsOf(row).map(({ original }) => original) ?? [];
      return [field, [...(column?.numbersOf(row) ?? []), ...texts]];
    });
    return `${score}${pin},"extra_document":${JSON.stringify(Object.fromEntries(values))}`;
  };
}

function writeHits(page: readonly FederatedHit[], found: readonly Answered[], told: Telling, out: ByteSink): void {
  const writers: HitWriter[] = [];
  for (const [i, hit] of page.entries()) {
    const { query: position, weightedScore } = hit;
    const answered = found[position]!;
    const { place, query, view, result, hydration } = answered;
    writers[position] ??= new HitWriter(view, query, result.query, hydration);
    const ranked = rankedHit(answered, hit);
    const origin =
      `"indexUid":${JSON.stringify(view.uid)},"queriesPosition":${place},` +
      `"weightedRankingScore":${doubleText(weightedScore)}${told(hit, answered, ranked)}`;
    if (i > 0) out.byte(0x2c);
    writers[position].write(ranked, out, `,"_federation":{${origin}}`);
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

export function paging(federation: Federation, total: number): string {
  const { page, hitsPerPage, limit, offset } = federation;
  if (page === null && hitsPerPage === null) return `"limit":${limit},"offset":${offset},"estimatedTotalHits":${total}`;
  const size = hitsPerPage ?? limits.pageItems;
  const totalPages = size === 0 ? 0 : Math.ceil(total / size);
  return `"hitsPerPage":${size},"page":${page ?? 1},"totalPages":${totalPages},"totalHits":${total}`;
}
