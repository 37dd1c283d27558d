/**
 * What a multi-search may ask: several searches, each on its own or merged into one list. Parsing, and the rules about
 * what may stand together; errors of one query say which.
 */
import { ApiError, apiError, type ErrorCode } from "../errors/errors.ts";
import { limits } from "../limits.ts";
import { type Features, requireFeature } from "./features.ts";
import { checkUid } from "./indexes.ts";
import { indexUidReason, isIndexUid } from "./names.ts";
import { count, decimal, dictionary, either, flag, list, nothing, object, orNull, text, texts } from "./schema.ts";
import { personalizeSchema, type SearchQuery, searchFields, withTexts } from "./search.ts";
import { type Place, validate } from "./validate.ts";

interface FederationOptions {
  weight: number;
  remote: string | null;
  queryPosition: number | null;
}

export interface IndexQuery extends SearchQuery {
  indexUid: string;
  federationOptions: FederationOptions | null;
}

export interface Federation {
  limit: number;
  offset: number;
  page: number | null;
  hitsPerPage: number | null;
  facetsByIndex: Record<string, string[] | null>;
  mergeFacets: { maxValuesPerFacet: number | null } | null;
  distinct: string | null;
  showPerformanceDetails: boolean;
  personalize: { userContext: string } | null;
}

/** What the answer to a federated search that names remotes tells of where its hits come from. */
export interface Origin {
  /** This server's own name. */
  self: string | null;
}

export interface MultiSearch {
  queries: IndexQuery[];
  federation: Federation | null;
}

const federationOptionsSchema = object({
  weight: decimal({ code: "invalid_multi_search_weight", default: 1, minimum: 0 }),
  remote: orNull(text({ code: "invalid_multi_search_remote" })),
  queryPosition: orNull(count({ code: "invalid_multi_search_query_position" })),
});

const indexQuerySchema = object({
  indexUid: text({ code: "invalid_index_uid", missing: "missing_index_uid", check: checkUid }),
  ...searchFields,
  offset: orNull(count({ code: "invalid_search_offset" })),
  limit: orNull(count({ code: "invalid_search_limit" })),
  showPerformanceDetails: orNull(flag({ code: "invalid_search_show_performance_details" })),
  federationOptions: orNull(federationOptionsSchema),
});

const federationSchema = object({
  limit: count({ code: "invalid_search_limit", default: limits.pageItems }),
  offset: count({ code: "invalid_search_offset", default: 0 }),
  page: orNull(count({ code: "invalid_search_page" })),
  hitsPerPage: orNull(count({ code: "invalid_search_hits_per_page" })),
  facetsByIndex: dictionary(either([texts(), nothing()]), {
    code: "invalid_multi_search_facets_by_index",
    default: {},
    check: (facets, at) => checkUids(Object.keys(facets), at),
  }),
  mergeFacets: orNull(
    object(
      { maxValuesPerFacet: orNull(count({ code: "invalid_multi_search_max_values_per_facet" })) },
      { code: "invalid_multi_search_merge_facets" },
    ),
  ),
  distinct: orNull(text({ code: "invalid_search_distinct" })),
  showPerformanceDetails: flag({ code: "invalid_search_show_performance_details", default: false }),
  personalize: orNull(personalizeSchema),
});

export const multiSearchSchema = object({
  queries: list(indexQuerySchema, { maxItems: limits.queriesPerSearch }),
  federation: orNull(federationSchema),
});

/** A query as it came: the page may be absent. */
type SentQuery = Omit<IndexQuery, "offset" | "limit" | "showPerformanceDetails"> & {
  offset: number | null;
  limit: number | null;
  showPerformanceDetails: boolean | null;
};

export function parseMultiSearch(body: unknown, features: Features): MultiSearch {
  const { queries, federation } = validate(multiSearchSchema, body) as unknown as {
    queries: SentQuery[];
    federation: Federation | null;
  };
  for (const [position, query] of queries.entries()) {
    insideQuery(position, () => {
      if (federation === null) checkAlone(query);
      else checkFederated(query, federation, features);
    });
  }
  return { queries: queries.map(complete), federation };
}

/** Where a query stands in the request; queries that others answer are not among those at hand. */
export function placeOf({ federationOptions }: Pick<IndexQuery, "federationOptions">, position: number): number {
  return federationOptions?.queryPosition ?? position;
}

/** Runs what concerns one query; a refusal then says which query it was. */
export function insideQuery<Result>(position: number, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A missing index is no missing resource here: the route exists, its body is wrong.
    throw error.within(`Inside \`.queries[${position}]\`: `, error.status === 404 ? 400 : error.status);
  }
}

function checkAlone(query: SentQuery): void {
  if (query.federationOptions !== null) {
    throw apiError(
      "invalid_multi_search_federation_options",
      "Using `federationOptions` is not allowed in a non-federated search: add `federation: {}` to the request or remove it.",
    );
  }
}

function checkFederated(query: SentQuery, federation: Federation, features: Features): void {
  const options = query.federationOptions;
  if (options !== null && (options.remote !== null || options.queryPosition !== null)) {
    requireFeature(features, "network", "Using `federationOptions.remote` or `federationOptions.queryPosition`");
  }
  const paging = (["limit", "offset", "page", "hitsPerPage"] as const).find((name) => query[name] !== null);
  if (paging !== undefined) throw misplaced("invalid_multi_search_query_pagination", paging, `federation.${paging}`);
  if (query.facets !== null && query.facets.length > 0) {
    throw misplaced("invalid_multi_search_query_facets", "facets", `federation.facetsByIndex.${query.indexUid}`);
  }
  if (query.personalize !== null) {
    throw misplaced("invalid_multi_search_query_personalization", "personalize", "federation.personalize");
  }
  if (query.showPerformanceDetails !== null) {
    throw misplaced(
      "invalid_multi_search_query_show_performance_details",
      "showPerformanceDetails",
      "federation.showPerformanceDetails",
    );
  }
  if (query.distinct !== null && federation.distinct !== null) {
    throw apiError("invalid_multi_search_distinct", "`distinct` cannot stand both in a query and in `federation`.");
  }
  if (query.useNetwork === true && options !== null && options.remote !== null) {
    throw apiError(
      "invalid_multi_search_federation_options",
      "`useNetwork: true` and `federationOptions.remote` exclude each other.",
    );
  }
}

/** In place: to copy a query, with its thirty members, took the front longer than to check it. */
function complete(query: SentQuery): IndexQuery {
  query.offset ??= 0;
  query.limit ??= limits.pageItems;
  query.showPerformanceDetails ??= false;
  return withTexts(query as IndexQuery);
}

function checkUids(uids: string[], at: Place): void {
  const wrong = uids.find((uid) => !isIndexUid(uid));
  if (wrong !== undefined) at.key(wrong).refuse(indexUidReason(wrong));
}

function misplaced(code: ErrorCode, name: string, instead: string): ApiError {
  return apiError(
    code,
    `Using \`${name}\` is not allowed in a query of a federated search: use \`${instead}\` instead.`,
  );
}
