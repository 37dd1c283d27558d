/** The facets of a federated search: index by index, or all merged. Counting them is left to `engine/answer/`. */

import type { Federation } from "../../base/contract/multi-search.ts";
import { ApiError } from "../../base/errors/errors.ts";
import type { ByteSink } from "../../base/json/bytes.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { Bitmap } from "../../storage/segment/bitmap.ts";
import {
  type FacetOrder,
  type FieldFacets,
  facetOrder,
  writeFacetDistribution,
  writeFacetStats,
} from "../answer/facets.ts";
import { mergeFacets } from "../federation/facets.ts";
import { compareText } from "../query/order.ts";
import type { RankedHit } from "../rank/result.ts";
import { type Candidates, CandidatesHere } from "./candidates.ts";
import { CandidatesInParts } from "./divided/candidates.ts";
import { IndexInParts } from "./divided/index-in-parts.ts";
import { insideIndex, type Searching, viewOf } from "./search.ts";

export interface FacetedIndex {
  view: IndexView;
  /** The documents that count. */
  candidates: Candidates;
  /** Those of them that do not, after all. */
  rejected: readonly RankedHit[];
}

/** What is shown of an index. */
export interface CountedIndex {
  uid: string;
  orderOf(field: string): FacetOrder;
  /** Most values of a facet. */
  valuesMax: number;
  /** Without what was rejected. */
  facets: readonly FieldFacets[];
  /** Of all that was found: extremes are not narrowed by what was rejected. */
  all: readonly FieldFacets[];
}

/** Whatever is asked for facets must exist, also when it is not searched. */
export function checkFacetIndexes({ facetsByIndex }: Federation, { context }: Searching): void {
  for (const uid of Object.keys(facetsByIndex)) insideFacets(uid, () => viewOf(uid, context));
}

/** Empty when no facets are asked for. */
export function countFederatedFacets(
  indexes: readonly FacetedIndex[],
  { facetsByIndex }: Federation,
  { context }: Searching,
): CountedIndex[] {
  const counted: CountedIndex[] = [];
  for (const uid of Object.keys(facetsByIndex).sort(compareText)) {
    const names = facetsByIndex[uid];
    if (!names) continue;
    const index = indexes.find(({ view }) => view.uid === uid);
    insideFacets(uid, () =>
      insideIndex(uid, () => {
        if (index !== undefined) counted.push(countFacets(index, names));
        else nothingOf(viewOf(uid, context), context).facets(names);
      }),
    );
  }
  return counted;
}

/** Appends `,"facetsByIndex":…` or `,"facetDistribution":…,"facetStats":…`; nothing when no facets are asked for. */
export function writeFederatedFacets(
  counted: readonly CountedIndex[],
  { mergeFacets: merging }: Pick<Federation, "mergeFacets">,
  out: ByteSink,
): void {
  if (counted.length === 0) return;
  if (merging === null) writeByIndex(counted, out);
  else writeMerged(counted, merging.maxValuesPerFacet, out);
}

/** Appends `,"facetRules":…`, by which whoever merges facets of several servers knows how. */
export function writeFacetRules(counted: readonly CountedIndex[], out: ByteSink): void {
  if (counted.length === 0) return;
  const rules = counted.map(({ uid, facets, orderOf, valuesMax }) => {
    const orders = facets.map(({ field }) => [field, orderOf(field)]).filter(([, order]) => order === "count");
    return [uid, { maxValues: valuesMax, orders: Object.fromEntries(orders) }];
  });
  out.utf8(`,"facetRules":${JSON.stringify(Object.fromEntries(rules))}`);
}

function nothingOf(view: IndexView, context: Searching["context"]): Candidates {
  const index = IndexInParts.of(view, context);
  if (index !== null) return CandidatesInParts.none(index);
  return new CandidatesHere(
    view,
    view.segments.map(({ rows }) => Bitmap.create(rows)),
  );
}

function countFacets({ view, candidates, rejected }: FacetedIndex, names: string[]): CountedIndex {
  const { uid, settings } = view;
  const orderOf = (field: string): FacetOrder => facetOrder(settings, field);
  const valuesMax = settings.faceting.maxValuesPerFacet;
  const all = candidates.facets(names);
  const facets = rejected.length === 0 ? all : candidates.without(rejected).facets(names);
  return { uid, orderOf, valuesMax, facets, all };
}

function writeByIndex(counted: readonly CountedIndex[], out: ByteSink): void {
  out.ascii(',"facetsByIndex":{');
  for (const [i, { uid, facets, all }] of counted.entries()) {
    out.ascii(`${i === 0 ? "" : ","}${JSON.stringify(uid)}:{"distribution":`);
    writeFacetDistribution(facets, out);
    out.ascii(',"stats":');
    writeFacetStats(all, out);
    out.byte(0x7d);
  }
  out.byte(0x7d);
}

function writeMerged(counted: readonly CountedIndex[], valuesMax: number | null, out: ByteSink): void {
  const merge = (facetsOf: (index: CountedIndex) => readonly FieldFacets[]): FieldFacets[] =>
    mergeFacets(
      counted.map((index) => ({ ...index, facets: facetsOf(index) })),
      valuesMax,
    );
  out.ascii(',"facetDistribution":');
  writeFacetDistribution(
    merge(({ facets }) => facets),
    out,
  );
  out.ascii(',"facetStats":');
  writeFacetStats(
    merge(({ all }) => all),
    out,
  );
}

/** Refusals about `federation.facetsByIndex` say so; a missing index there is no missing resource. */
function insideFacets<Result>(uid: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error.status === 404 ? 400 : error.status;
    throw error.within(`Inside \`.federation.facetsByIndex.${uid}\`: `, status);
  }
}
