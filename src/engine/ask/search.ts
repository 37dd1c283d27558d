/**
 * What may be searched for by whom: adds what a tenant token demands, and refuses what flags, scopes and this server do not
 * allow. Parsed queries come in, and go on to a reader.
 */

import { requireFeature } from "../../base/contract/features.ts";
import { type IndexQuery, insideQuery, type MultiSearch, placeOf } from "../../base/contract/multi-search.ts";
import { checkSearchKind, type FacetSearchQuery, type SearchQuery } from "../../base/contract/search.ts";
import type { SimilarQuery } from "../../base/contract/similar.ts";
import { apiError, type ErrorCode, invalidApiKey } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";
import type { Scope, ScopeBounds } from "../auth/scope.ts";
import { mayWantFeature } from "../filter/check.ts";
import { readFilter } from "../filter/read.ts";

import type { Asker } from "./asker.ts";
import { checkForeign } from "./foreign.ts";
import { type PlacedQueries, placeQueries } from "./remotes.ts";

/** Gives the query the filter of the tenant and refuses what this server does not do. */
export function checkSearch(asker: Asker, indexUid: string, query: SearchQuery): void {
  const asked = query.filter;
  query.filter = bothFilters(asked, asker.scope.searchRule(indexUid));
  checkPersonalized(asker, query);
  asker.withIndex(indexUid, (index) => {
    checkQuery(asker, query);
    checkForeign(asker.scope, index, asked);
  });
}

export function checkFacetSearch(asker: Asker, indexUid: string, query: FacetSearchQuery): void {
  const asked = query.filter;
  query.filter = bothFilters(asked, asker.scope.searchRule(indexUid));
  asker.withIndex(indexUid, (index) => {
    checkQuery(asker, query);
    checkForeign(asker.scope, index, asked);
  });
}

/** Tells what hides the document itself from whoever asks. */
export function checkSimilar(asker: Asker, indexUid: string, query: SimilarQuery): Json {
  const asked = query.filter;
  const tenantFilter = asker.scope.searchRule(indexUid);
  query.filter = bothFilters(asked, tenantFilter);
  asker.withIndex(indexUid, (index) => {
    checkFilter(asker, query.filter, "invalid_similar_filter");
    checkForeign(asker.scope, index, asked);
  });
  return tenantFilter;
}

/** Who asks for several must be allowed to ask for each before anything else about them is said. */
export function checkMultiSearch(asker: Asker, { queries, federation }: MultiSearch): PlacedQueries {
  requireIndexes(asker, queries);
  for (const uid of Object.keys(federation?.facetsByIndex ?? {})) asker.scope.requireIndex(uid);
  if (federation !== null) checkPersonalized(asker, federation);
  for (const [position, query] of queries.entries()) insideQuery(position, () => checkNetwork(asker, query));
  const placed = placeQueries(queries, asker.network);
  for (const [position, query] of placed.local.entries()) {
    insideQuery(placeOf(query, position), () => checkSearch(asker, query.indexUid, query));
  }
  for (const query of [...placed.remote.values()].flat()) {
    insideQuery(placeOf(query, 0), () => checkRemote(asker, query.indexUid, query));
  }
  return placed;
}

export function requireIndexes({ scope }: Asker, queries: readonly IndexQuery[]): void {
  for (const [position, { indexUid }] of queries.entries()) {
    insideQuery(position, () => scope.requireIndex(indexUid));
  }
}

/** What another server is asked must hold what a tenant token demands too. What it allows else is up to the key it is asked with. */
export function checkRemote({ scope }: Asker, indexUid: string, query: SearchQuery): void {
  const asked = query.filter;
  query.filter = bothFilters(asked, scope.searchRule(indexUid));
  checkSearchKind(query);
  refuseForeignElsewhere(scope, asked);
}

/** What a filter would look into on another server is not known here. */
export function refuseForeignElsewhere({ bounds }: Scope, asked: Json): void {
  if (bounds !== null && !opensAll(bounds) && JSON.stringify(asked).includes("_foreign")) {
    throw invalidApiKey("`_foreign` cannot be asked of a remote with a key or token that does not open all indexes.");
  }
}

function opensAll({ indexes, rules }: ScopeBounds): boolean {
  return rules === null && indexes.includes("*");
}

/** Foreign documents are shown only to those who might as well search for them. */
export function hydrated(asker: Asker, searched: readonly string[]): string[] {
  const keys = searched.flatMap((uid) => asker.withIndex(uid, ({ settings }) => settings.foreignKeys));
  const uids = new Set(keys.map(({ foreignIndexUid }) => foreignIndexUid));
  const { scope } = asker;
  return [...uids].filter((uid) => scope.allowsIndex(uid) && scope.searchRule(uid) === null);
}

/** Both must hold. An array is a list of conditions that all must hold, so two of them are one longer list. */
function bothFilters(asked: Json, demanded: Json): Json {
  if (demanded === null) return asked;
  if (asked === null) return demanded;
  return [...(Array.isArray(asked) ? asked : [asked]), ...(Array.isArray(demanded) ? demanded : [demanded])];
}

export function checkPersonalized({ personalizes }: Asker, { personalize }: Pick<SearchQuery, "personalize">): void {
  if (personalize === null || personalizes) return;
  throw apiError(
    "feature_not_enabled",
    "Personalizing a search requires a server that was started with the key of a personalization service.",
  );
}

export function checkNetwork({ features }: Asker, { useNetwork }: Pick<SearchQuery, "useNetwork">): void {
  if (useNetwork !== null) requireFeature(features, "network", "Using `useNetwork` in a search");
}

function checkQuery(
  asker: Asker,
  query: Pick<SearchQuery, "vector" | "media" | "hybrid" | "useNetwork" | "filter">,
): void {
  checkSearchKind(query);
  if (query.media !== null) requireFeature(asker.features, "multimodal", "Using `media` in a search");
  checkNetwork(asker, query);
  checkFilter(asker, query.filter, "invalid_search_filter");
}

/** Readers know no flags, but most filters have nothing to do with any. */
function checkFilter({ features }: Asker, filter: Json, code: ErrorCode): void {
  if (filter !== null && mayWantFeature(filter)) readFilter(filter, features, code);
}
