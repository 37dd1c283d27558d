/**
 * Searches: one, several at once, values of a facet, documents like another. Reads what is asked, adds what a tenant token
 * demands, checks what only the front knows (flags, scopes), and leaves the rest to a reader.
 */
import { apiError, type ErrorCode } from "../../contract/errors.ts";
import { insideQuery, type MultiSearch, parseMultiSearch } from "../../contract/multi-search.ts";
import {
  checkSearchKind,
  type FacetSearchQuery,
  parseFacetSearch,
  parseSearch,
  parseSearchQuery,
  type SearchQuery,
} from "../../contract/search.ts";
import { parseSimilar, parseSimilarQuery, type SimilarQuery } from "../../contract/similar.ts";
import { checkFilterFeatures } from "../../filter/check.ts";
import { filterApiError } from "../../filter/errors.ts";
import { parseFilter } from "../../filter/parse.ts";
import { clockMs } from "../../link/clock.ts";
import type { SearchCall } from "../../link/requests.ts";
import { newUid } from "../../link/uids.ts";
import type { Json } from "../../tasks/task.ts";
import type { Answer } from "../answer.ts";
import { chooseCoding } from "../compress.ts";
import type { ApiRoute, Request, Services } from "../services.ts";
import { askReader, demandFeature, indexUidOf, withIndex } from "./common.ts";

const ONE = "/indexes/{index_uid}";

export function searchRoutes(services: Services): ApiRoute[] {
  return [
    {
      method: "POST",
      path: `${ONE}/search`,
      action: "search",
      body: "wanted",
      handle: (request) => search(services, request, indexUidOf(request), parseSearch(request.json())),
    },
    {
      method: "GET",
      path: `${ONE}/search`,
      action: "search",
      body: "ignored",
      handle: (request) => search(services, request, indexUidOf(request), parseSearchQuery(request.query)),
    },
    {
      method: "POST",
      path: `${ONE}/facet-search`,
      action: "search",
      body: "wanted",
      handle: (request) => facetSearch(services, request, indexUidOf(request), parseFacetSearch(request.json())),
    },
    {
      method: "POST",
      path: `${ONE}/similar`,
      action: "search",
      body: "wanted",
      handle: (request) => similar(services, request, indexUidOf(request), parseSimilar(request.json())),
    },
    {
      method: "GET",
      path: `${ONE}/similar`,
      action: "search",
      body: "ignored",
      handle: (request) => similar(services, request, indexUidOf(request), parseSimilarQuery(request.query)),
    },
    {
      method: "POST",
      path: "/multi-search",
      action: "search",
      body: "wanted",
      handle: (request) => multiSearch(services, request, parseMultiSearch(request.json(), services.features.current)),
    },
  ];
}

function search(services: Services, request: Request, indexUid: string, query: SearchQuery): Promise<Answer> {
  checkSearch(services, request, indexUid, query);
  return askReader(services, request, "search", { indexUid, query, call: callOf(services, request) });
}

function facetSearch(services: Services, request: Request, indexUid: string, query: FacetSearchQuery): Promise<Answer> {
  query.filter = bothFilters(query.filter, request.grant.searchRule(indexUid));
  withIndex(services, indexUid, () => checkQuery(services, query));
  return askReader(services, request, "facetSearch", { indexUid, query, call: callOf(services, request) });
}

function similar(services: Services, request: Request, indexUid: string, query: SimilarQuery): Promise<Answer> {
  const tenantFilter = request.grant.searchRule(indexUid);
  query.filter = bothFilters(query.filter, tenantFilter);
  withIndex(services, indexUid, () => checkFilter(services, query.filter, "invalid_similar_filter"));
  return askReader(services, request, "similar", { indexUid, query, tenantFilter, call: callOf(services, request) });
}

/** Who asks for several must be allowed to ask for each before anything else about them is said. */
function multiSearch(services: Services, request: Request, { queries, federation }: MultiSearch): Promise<Answer> {
  for (const [position, { indexUid }] of queries.entries()) {
    insideQuery(position, () => request.grant.requireIndex(indexUid));
  }
  for (const uid of Object.keys(federation?.facetsByIndex ?? {})) request.grant.requireIndex(uid);
  if (federation !== null) refusePersonalized(federation);
  for (const [position, query] of queries.entries()) {
    insideQuery(position, () => checkSearch(services, request, query.indexUid, query));
  }
  return askReader(services, request, "multiSearch", { queries, federation, call: callOf(services, request) });
}

/** Gives the query the filter of the tenant and refuses what this server does not do. */
function checkSearch(services: Services, request: Request, indexUid: string, query: SearchQuery): void {
  query.filter = bothFilters(query.filter, request.grant.searchRule(indexUid));
  refusePersonalized(query);
  withIndex(services, indexUid, () => checkQuery(services, query));
}

function callOf({ info }: Services, request: Request): SearchCall {
  return {
    arrivedAt: clockMs() - (performance.now() - request.startedAt),
    dropAfterMs: info.dropSearchAfterMs,
    requestUid: newUid(),
    coding: chooseCoding(request.head.acceptEncoding),
    includeMetadata: /^(?:true|1)$/i.test(request.head.includeMetadata),
  };
}

/** Both must hold. An array is a list of conditions that all must hold, so two of them are one longer list. */
function bothFilters(asked: Json, demanded: Json): Json {
  if (demanded === null) return asked;
  if (asked === null) return demanded;
  return [...(Array.isArray(asked) ? asked : [asked]), ...(Array.isArray(demanded) ? demanded : [demanded])];
}

function refusePersonalized({ personalize }: Pick<SearchQuery, "personalize">): void {
  if (personalize === null) return;
  throw apiError(
    "feature_not_enabled",
    "Personalizing a search requires a server that was started with the key of a personalization service.",
  );
}

function checkQuery(
  services: Services,
  query: Pick<SearchQuery, "vector" | "media" | "hybrid" | "useNetwork" | "filter">,
): void {
  checkSearchKind(query);
  if (query.media !== null) demandFeature(services, "multimodal", "Using `media` in a search");
  if (query.useNetwork === true) demandFeature(services, "network", "Using `useNetwork` in a search");
  checkFilter(services, query.filter, "invalid_search_filter");
}

/** What a filter can need a flag for. Readers know no flags, but most filters have nothing to do with any. */
const FLAGGED = /CONTAINS|_vectors|_foreign|_shard/;

function checkFilter(services: Services, filter: Json, code: ErrorCode): void {
  if (filter === null || !FLAGGED.test(JSON.stringify(filter))) return;
  try {
    const parsed = parseFilter(filter);
    if (parsed !== null) checkFilterFeatures(parsed, services.features.current);
  } catch (error) {
    throw filterApiError(error, code);
  }
}
