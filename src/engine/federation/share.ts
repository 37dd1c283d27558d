/**
 * One server's part of a federated search, read from the bytes it answered: where each hit lies in them and how it ranks, what
 * was found in all, and facets. Documents stay bytes, so that they are shown as their server wrote them.
 */

import { jsonProblem, membersOf, objectsIn, type Range, textIn } from "../../base/json/ranges.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import type { FacetOrder, FieldFacets } from "../answer/facets.ts";

import type { MergeableHit } from "./merge.ts";
import { receivedElements } from "./sent-elements.ts";

export interface ShareHit extends MergeableHit {
  indexUid: string;
  /** Where it lies, and in it the value of `_federation`. */
  start: number;
  end: number;
  federationStart: number;
  federationEnd: number;
  /** Null unless a rule put it in its place. */
  pinnedAt: number | null;
  /** All values of an attribute by which hits are told apart. */
  valuesOf(attribute: string): Json[];
}

export interface ShareFacets {
  uid: string;
  facets: FieldFacets[];
  orderOf(field: string): FacetOrder;
  /** Most values of a facet. */
  valuesMax: number;
}

export interface Share {
  hits: ShareHit[];
  total: number;
  facets: ShareFacets[];
  /** Null for searches by words alone. */
  semanticHitCount: number | null;
  /** By position of the query, as JSON. */
  queryVectors: [position: string, vector: string][];
  /** Of the queries, where it was asked for. */
  metadata: JsonObject[];
}

/** Why an answer is no share of a search, in words for whoever searches. */
export class NoShare extends Error {
  override readonly name = "NoShare";
}

/** Order of the values of facets, where an index says otherwise than by the alphabet, and how many of them it shows. */
type FacetRules = Record<string, { maxValues: number; orders: Record<string, FacetOrder> }>;

/** Throws `NoShare`. */
export function readShare(bytes: Uint8Array): Share {
  const problem = jsonProblem(bytes);
  if (problem !== null) throw new NoShare(problem);
  const members = membersOf(bytes, { start: 0, end: bytes.length });
  const read = (name: string): unknown => {
    const found = members.get(name);
    return found === undefined ? null : JSON.parse(textIn(bytes, found));
  };
  const total = read("estimatedTotalHits") ?? read("totalHits");
  const list = members.get("hits");
  if (list === undefined || typeof total !== "number") throw new NoShare("it is no answer to a federated search");
  const hits = objectsIn(bytes, list);
  if (hits === null) throw new NoShare("a hit is no object");
  const facets = members.get("facetsByIndex");
  const semanticHitCount = read("semanticHitCount");
  const metadata = read("metadata");
  const vectors = members.get("queryVectors");
  return {
    hits: hits.map((range) => readHit(bytes, range)),
    total,
    facets: facets === undefined ? [] : readFacets(bytes, facets, (read("facetRules") ?? {}) as FacetRules),
    semanticHitCount: typeof semanticHitCount === "number" ? semanticHitCount : null,
    queryVectors: vectors === undefined ? [] : textsOf(bytes, vectors),
    metadata: Array.isArray(metadata) ? metadata : [],
  };
}

function textsOf(bytes: Uint8Array, range: Range): [string, string][] {
  return [...membersOf(bytes, range)].map(([name, value]) => [name, textIn(bytes, value)]);
}

function readHit(bytes: Uint8Array, range: Range): ShareHit {
  const federation = membersOf(bytes, range).get("_federation");
  if (federation === undefined) throw new NoShare("a hit has no `_federation`");
  const told = JSON.parse(textIn(bytes, federation)) as Partial<Record<string, unknown>> | null;
  const elements = receivedElements(told?.["weightedScoreValues"]);
  const { indexUid, queriesPosition: query, weightedRankingScore: weightedScore } = told ?? {};
  const isWhole = typeof indexUid === "string" && typeof query === "number" && typeof weightedScore === "number";
  if (elements === null || !isWhole) throw new NoShare("a hit does not tell how it ranks");
  const { pinnedPosition, extra_document: extra } = told ?? {};
  return {
    indexUid,
    query,
    weightedScore,
    elements,
    ...range,
    federationStart: federation.start,
    federationEnd: federation.end,
    pinnedAt: typeof pinnedPosition === "number" ? pinnedPosition : null,
    // Servers of other makers tell beside a hit only what is not in it.
    valuesOf: (attribute) =>
      valuesAt((extra ?? null) as Json, attribute) ??
      valuesAt(JSON.parse(textIn(bytes, range)) as Json, attribute) ??
      [],
  };
}

/** Dots of a path lead into objects, and through lists of them; null where they lead nowhere. */
function valuesAt(value: Json, path: string): Json[] | null {
  const inner = Array.isArray(value)
    ? value.map((each) => valuesAt(each, path))
    : Object.entries(isObject(value) ? value : {}).map(([name, below]) => {
        if (name === path) return [below].flat();
        return path.startsWith(`${name}.`) ? valuesAt(below, path.slice(name.length + 1)) : null;
      });
  const found = inner.filter((values) => values !== null);
  return found.length === 0 ? null : found.flat();
}

function readFacets(bytes: Uint8Array, range: Range, rules: FacetRules): ShareFacets[] {
  return [...membersOf(bytes, range)].map(([uid, facets]) => {
    const members = membersOf(bytes, facets);
    const rule = Object.hasOwn(rules, uid) ? rules[uid]! : null;
    return {
      uid,
      facets: fieldFacets(bytes, members.get("distribution"), members.get("stats")),
      orderOf: (field) => (rule !== null && rule.orders[field] === "count" ? "count" : "alpha"),
      valuesMax: rule?.maxValues ?? Number.POSITIVE_INFINITY,
    };
  });
}

/** Values in the order in which they came: an object would sort those that look like numbers. */
function fieldFacets(bytes: Uint8Array, distribution: Range | undefined, stats: Range | undefined): FieldFacets[] {
  const facets = new Map<string, FieldFacets>();
  for (const [field, range] of distribution === undefined ? [] : membersOf(bytes, distribution)) {
    const counts = [...membersOf(bytes, range)];
    const values = new Map(counts.map(([value, count]) => [value, Number(textIn(bytes, count))]));
    facets.set(field, { field, values, stats: null });
  }
  for (const [field, text] of stats === undefined ? [] : textsOf(bytes, stats)) {
    const known = facets.get(field) ?? { field, values: new Map(), stats: null };
    facets.set(field, { ...known, stats: JSON.parse(text) });
  }
  return [...facets.values()];
}
