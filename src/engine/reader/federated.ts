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
import type { Json, JsonObject } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { HitWriter } from "../answer/hits.ts";
import { SeenValues } from "../federation/distinct.ts";
import { type FederatedHit, mergeLists, mergeQueries, only } from "../federation/merge.ts";
import { CommonRules, rankedBy } from "../federation/rules.ts";
import { sentElements } from "../federation/sent-elements.ts";
import type { Hydration } from "../joins/hydration.ts";
import { withPins } from "../pins/merge.ts";
import type { WithPins } from "../pins/pin.ts";
import { compareText } from "../query/order.ts";
import { elementsOf } from "../rank/elements.ts";
import type { RankedHit } from "../rank/result.ts";
import { globalScore } from "../rank/score.ts";

import { semanticHits } from "../semantic/search.ts";
import { AsFarAsAnswered } from "./asking.ts";
import { type Candidates, CandidatesHere } from "./candidates.ts";
import { columnValues } from "./column-values.ts";
import { type WantedHit, writtenInParts } from "./divided/hits.ts";
import { type DividedHit, IndexInParts } from "./divided/index-in-parts.ts";
import { searchInParts } from "./divided/search.ts";
import { valuesInParts } from "./divided/values.ts";
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
  FORMATTED,
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
  /** Null for an index that lies here. */
  index: IndexInParts | null;
  result: FederatedResult;
  hydration: Hydration | null;
}

type FederatedResult = Omit<Found, "candidates" | "equalities"> & { candidates: Candidates };

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
    const extra = new ExtraDocuments(page, found);
    const told = isShare ? tellRank(federation, counted, extra) : origin === null ? tellNothing : tellOrigin(origin);
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
  const errors = Object.assign({}, ...found.map(({ index }) => index?.errors ?? {}));
  if (origin !== null || Object.keys(errors).length > 0) out.utf8(`,"remoteErrors":${JSON.stringify(errors)}`);
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
  const finding = new AsFarAsAnswered();
  const found: Answered[] = [];
  const whole = { ...window, offset: 0, limit: window.offset + window.limit };
  for (const [position, sent] of queries.entries()) {
    await turns.pause();
    refuseAbandoned(searching);
    const query = federation.distinct === null ? sent : { ...sent, distinct: federation.distinct };
    const place = placeOf(query, position);
    const answered = finding.run(() => {
      const answer = inside(place, (): Answered => {
        const { indexUid } = query;
        const view = viewOf(indexUid, searching.context);
        const kind = searchKind(query, view.settings);
        const own = { ...searching, clock: searching.clock.again() };
        const index = IndexInParts.of(view, searching.context);
        const result = insideIndex(indexUid, () =>
          searching.clock.step(`queries[${place}]`, () => find(view, index, query, kind, whole, own)),
        );
        const hydration = insideIndex(indexUid, () => hydrationOf(view, own, index === null ? undefined : FORMATTED));
        return { position, place, query, kind, view, index, result, hydration };
      });
      rules.add(rankedBy(place, query.indexUid, query, answer.view.settings, answer.kind !== "keyword"));
      return answer;
    });
    if (answered !== null) found.push(answered);
  }
  searching.context.parts?.mustBeAnswered();
  return found;
}

function find(
  view: IndexView,
  index: IndexInParts | null,
  query: IndexQuery & WithPins,
  kind: SearchKind,
  window: Window,
  searching: Searching,
): FederatedResult {
  if (index !== null) return searchInParts(index, query, kind, window, ALL, null, searching.clock);
  const found = search(view, query, kind, window, ALL, searching);
  return { ...found, candidates: new CandidatesHere(view, found.candidates) };
}

/** Ascending by uid. */
function byIndex(found: readonly Answered[]): FederatedIndex[] {
  const indexes = new Map<string, FederatedIndex>();
  for (const each of found) {
    const known = indexes.get(each.view.uid);
    const candidates = each.result.candidates.with(each.result.pinned.map(({ hit }) => hit));
    if (known === undefined) {
      indexes.set(each.view.uid, { view: each.view, queries: [each], candidates, rejected: [] });
    } else {
      known.queries.push(each);
      known.candidates = known.candidates.or(candidates);
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
    if (seen === null || isNew(seen, answered, ranked)) return true;
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
  // Of all queries of an index together no more can be reached than of one alone.
  const reachable = new Map(indexes.map(({ view }) => [view, view.settings.pagination.maxTotalHits]));
  const acceptReachable = (hit: FederatedHit): boolean => {
    const { view } = found[hit.query]!;
    const left = reachable.get(view)!;
    if (left === 0 || !accept(hit)) return false;
    reachable.set(view, left - 1);
    return true;
  };
  const merged = mergeLists(indexes.map(({ queries }) => mergeQueries(queries.map(hitsOf))));
  const organic = only(merged, (hit) => !(pins.size > 0 && pins.has(nameOf(hit))) && acceptReachable(hit));
  let skipped = 0;
  for (const hit of withPins(organic, shownPins)) {
    if (skipped < offset) skipped++;
    else if (page.push(hit) === limit) break;
  }
  return page;
}

function isNew(seen: SeenValues, { index, view }: Answered, ranked: RankedHit): boolean {
  if (index === null) return seen.accept(view.segments[ranked.segment]!.reader.columns, ranked.row);
  const { values } = ranked as DividedHit;
  const numbers = values.filter((value) => typeof value === "number");
  return seen.acceptValues(
    numbers,
    values.filter((value) => typeof value === "string"),
  );
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
function tellRank({ distinct }: Federation, counted: readonly CountedIndex[], extra: ExtraDocuments): Telling {
  return ({ elements }, answered, ranked) => {
    const { details } = ranked;
    const score = `,"weightedScoreValues":${sentElements(elements)}`;
    const pin = details[0]?.kind === "pin" ? `,"pinnedPosition":${details[0].position}` : "";
    if (distinct === null) return score + pin;
    const faceted = counted.find(({ uid }) => uid === answered.view.uid)?.facets ?? [];
    const fields = [...new Set([distinct, ...faceted.map(({ field }) => field)])];
    return `${score}${pin},"extra_document":${JSON.stringify(extra.of(answered, ranked, fields))}`;
  };
}

/** What hits have of some fields. */
class ExtraDocuments {
  readonly #page: readonly RankedHit[];

  /** `page`: all that will be asked for. */
  constructor(page: readonly FederatedHit[], found: readonly Answered[]) {
    this.#page = page.map((hit) => rankedHit(found[hit.query]!, hit));
  }

  of({ index, view }: Answered, ranked: RankedHit, fields: readonly string[]): Json {
    if (index !== null) return valuesInParts(index, this.#page, ranked, fields);
    const { columns } = view.segments[ranked.segment]!.reader;
    return columnValues(columns, ranked.row, fields);
  }
}

function writeHits(page: readonly FederatedHit[], found: readonly Answered[], told: Telling, out: ByteSink): void {
  const wanted = page.map((hit) => {
    const answered = found[hit.query]!;
    const ranked = rankedHit(answered, hit);
    const origin =
      `"indexUid":${JSON.stringify(answered.view.uid)},"queriesPosition":${answered.place},` +
      `"weightedRankingScore":${doubleText(hit.weightedScore)}${told(hit, answered, ranked)}`;
    return { query: hit.query, hit: ranked, members: `,"_federation":{${origin}}` };
  });
  const writing = new AsFarAsAnswered();
  const writers = found.map((answered) =>
    answered.index === null ? null : writing.run(() => hitsWriter(answered, wanted)),
  );
  for (const { index } of found) index?.mustBeAnswered();
  let isFirst = true;
  for (const { hit, members, query } of wanted) {
    if (!isFirst) out.byte(0x2c);
    isFirst = false;
    writers[query] ??= hitsWriter(found[query]!, wanted);
    writers[query](hit, members, out);
  }
}

type WriteHit = (hit: RankedHit, members: string, out: ByteSink) => void;

/** For the hits of one query. What is written elsewhere is asked for at once. */
function hitsWriter(
  { hydration, index, position, query, result, view }: Answered,
  wanted: readonly { query: number; hit: RankedHit; members: string }[],
): WriteHit {
  if (index === null) {
    const writer = new HitWriter(view, query, result.query, hydration);
    return (hit, members, out) => writer.write(hit, out, members);
  }
  const own = wanted.filter((each) => each.query === position) as (WantedHit & { query: number })[];
  const written = writtenInParts(index, own, query, result.query, hydration)[Symbol.iterator]();
  return (_hit, _members, out) => {
    const { value } = written.next();
    out.bytes(value ?? NO_DOCUMENT);
  };
}

/** Of one that has been deleted since it was found. */
const NO_DOCUMENT = Buffer.from("{}");

/** No index counts for more than can be reached in it. */
function totalOf(indexes: readonly FederatedIndex[]): number {
  let total = 0;
  for (const { view, candidates, rejected } of indexes) {
    total += Math.min(candidates.count - rejected.length, view.settings.pagination.maxTotalHits);
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
