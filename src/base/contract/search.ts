/**
 * What a search may ask, in a body or in a query string: both give the same `SearchQuery`, complete with defaults.
 * Parsing only: whether attributes are filterable or an embedder exists is known by who searches.
 */
import { apiError, type ErrorCode } from "../errors/errors.ts";
import type { Json, JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";
import { filterSchema, sortParam } from "./documents.ts";
import { LOCALES } from "./locales.ts";
import {
  choiceParam,
  countParam,
  decimalParam,
  filterParam,
  flagParam,
  listParam,
  optionalParam,
  type Param,
  readChoiceIn,
  readDecimal,
  readQuery,
  readText,
  refused,
  textParam,
} from "./query.ts";
import {
  anything,
  askedNames,
  askedPatterns,
  choice,
  count,
  decimal,
  flag,
  list,
  object,
  orNull,
  text,
} from "./schema.ts";
import { validate } from "./validate.ts";

const MATCHING_STRATEGIES = ["last", "all", "frequency"] as const;
export type MatchingStrategy = (typeof MATCHING_STRATEGIES)[number];

interface Hybrid {
  embedder: string;
  semanticRatio: number;
}

export interface SearchQuery {
  q: string | null;
  vector: number[] | null;
  media: Json;
  hybrid: Hybrid | null;
  offset: number;
  limit: number;
  /** Either of these two present asks for pages instead of an offset and a limit. */
  page: number | null;
  hitsPerPage: number | null;
  /** Null, here and below, for the default: everything, or nothing, as the name has it. */
  attributesToRetrieve: string[] | null;
  retrieveVectors: boolean;
  attributesToCrop: string[] | null;
  cropLength: number;
  cropMarker: string;
  attributesToHighlight: string[] | null;
  highlightPreTag: string;
  highlightPostTag: string;
  showMatchesPosition: boolean;
  filter: Json;
  sort: string[] | null;
  distinct: string | null;
  facets: string[] | null;
  matchingStrategy: MatchingStrategy;
  attributesToSearchOn: string[] | null;
  rankingScoreThreshold: number | null;
  locales: string[] | null;
  personalize: { userContext: string } | null;
  useNetwork: boolean | null;
  showRankingScore: boolean;
  showRankingScoreDetails: boolean;
  showPerformanceDetails: boolean;
}

/** The part of a search that decides how its hits look. */
export type HitsQuery = Pick<
  SearchQuery,
  | "attributesToRetrieve"
  | "retrieveVectors"
  | "attributesToCrop"
  | "cropLength"
  | "cropMarker"
  | "attributesToHighlight"
  | "highlightPreTag"
  | "highlightPostTag"
  | "showMatchesPosition"
  | "sort"
  | "locales"
  | "showRankingScore"
  | "showRankingScoreDetails"
>;

const HYBRID_RATIO = 0.5;

const hybridSchema = object(
  {
    embedder: text({ code: "invalid_search_embedder", missing: "invalid_search_hybrid_query" }),
    semanticRatio: decimal({
      code: "invalid_search_semantic_ratio",
      default: HYBRID_RATIO,
      minimum: 0,
      maximum: 1,
    }),
  },
  { code: "invalid_search_hybrid_query" },
);

export const personalizeSchema = object(
  { userContext: text({ code: "invalid_search_personalize_user_context" }) },
  { code: "invalid_search_personalize" },
);

export const threshold = (code: ErrorCode) => orNull(decimal({ code, minimum: 0, maximum: 1 }));

const tag = (code: ErrorCode) => text({ code, maxLength: limits.tagUnits });

/** What all searches share but the place of their page. */
export const searchFields = {
  q: orNull(text({ code: "invalid_search_q" })),
  vector: orNull(list(decimal(), { code: "invalid_search_vector", maxItems: limits.vectorDimensions })),
  media: orNull(anything({ code: "invalid_search_media" })),
  hybrid: orNull(hybridSchema),
  page: orNull(count({ code: "invalid_search_page" })),
  hitsPerPage: orNull(count({ code: "invalid_search_hits_per_page" })),
  attributesToRetrieve: orNull(askedNames("invalid_search_attributes_to_retrieve")),
  retrieveVectors: flag({ code: "invalid_search_retrieve_vectors", default: false }),
  attributesToCrop: orNull(askedNames("invalid_search_attributes_to_crop")),
  cropLength: count({ code: "invalid_search_crop_length", default: 10 }),
  cropMarker: orNull(tag("invalid_search_crop_marker"), "…"),
  attributesToHighlight: orNull(askedNames("invalid_search_attributes_to_highlight")),
  highlightPreTag: orNull(tag("invalid_search_highlight_pre_tag"), "<em>"),
  highlightPostTag: orNull(tag("invalid_search_highlight_post_tag"), "</em>"),
  showMatchesPosition: flag({ code: "invalid_search_show_matches_position", default: false }),
  filter: orNull(filterSchema("invalid_search_filter")),
  sort: orNull(askedNames("invalid_search_sort")),
  distinct: orNull(text({ code: "invalid_search_distinct" })),
  facets: orNull(askedPatterns("invalid_search_facets")),
  matchingStrategy: choice([...MATCHING_STRATEGIES], { code: "invalid_search_matching_strategy", default: "last" }),
  attributesToSearchOn: orNull(askedPatterns("invalid_search_attributes_to_search_on")),
  rankingScoreThreshold: threshold("invalid_search_ranking_score_threshold"),
  locales: orNull(list(choice([...LOCALES]), { code: "invalid_search_locales", maxItems: limits.namesPerSearch })),
  personalize: orNull(personalizeSchema),
  useNetwork: orNull(flag({ code: "invalid_search_use_network" })),
  showRankingScore: flag({ code: "invalid_search_show_ranking_score", default: false }),
  showRankingScoreDetails: flag({ code: "invalid_search_show_ranking_score_details", default: false }),
};

export const searchSchema = object({
  ...searchFields,
  offset: count({ code: "invalid_search_offset", default: 0 }),
  limit: count({ code: "invalid_search_limit", default: limits.pageItems }),
  showPerformanceDetails: flag({ code: "invalid_search_show_performance_details", default: false }),
});

export function parseSearch(body: unknown): SearchQuery {
  return withTexts(validate(searchSchema, body) as unknown as SearchQuery);
}

/** A marker or tag set to null is one that inserts nothing. */
export function withTexts<Query extends SearchQuery>(query: Query): Query {
  query.cropMarker ??= "";
  query.highlightPreTag ??= "";
  query.highlightPostTag ??= "";
  return query;
}

const DEFAULT_QUERY: SearchQuery = parseSearch({});
export const SEARCH_PARAMETERS = Object.keys(DEFAULT_QUERY) as (keyof SearchQuery)[];
/** In the same order: looking a default up by a variable name costs more than comparing it. */
export const SEARCH_DEFAULTS = Object.values(DEFAULT_QUERY);

/**
 * Only what a query, with its pins, says beyond the defaults, which is little, as JSON: for the way from one thread to
 * another, and as what the query is known by.
 */
export function saidText(query: SearchQuery & { pins?: unknown }): string {
  const said: Record<string, unknown> = {};
  for (let i = 0; i < SEARCH_PARAMETERS.length; i++) {
    const value = query[SEARCH_PARAMETERS[i]!];
    if (value !== SEARCH_DEFAULTS[i]) said[SEARCH_PARAMETERS[i]!] = value;
  }
  if (query.pins !== undefined) said["pins"] = query.pins;
  return JSON.stringify(said);
}

/** The query again. */
export function withDefaults<Said extends Partial<SearchQuery>>(said: Said): SearchQuery & Said {
  return { ...DEFAULT_QUERY, ...said };
}

const namesParam = (code: ErrorCode) => optionalParam(listParam(code, readText));

export const searchParams = {
  q: optionalParam(textParam("invalid_search_q")),
  vector: optionalParam(listParam("invalid_search_vector", readDecimal)),
  hybridEmbedder: optionalParam(textParam("invalid_search_embedder")),
  hybridSemanticRatio: optionalParam(unitParam("invalid_search_semantic_ratio")),
  offset: countParam("invalid_search_offset"),
  limit: countParam("invalid_search_limit", limits.pageItems),
  page: optionalParam(countParam("invalid_search_page")),
  hitsPerPage: optionalParam(countParam("invalid_search_hits_per_page")),
  attributesToRetrieve: namesParam("invalid_search_attributes_to_retrieve"),
  retrieveVectors: flagParam("invalid_search_retrieve_vectors"),
  attributesToCrop: namesParam("invalid_search_attributes_to_crop"),
  cropLength: countParam("invalid_search_crop_length", 10),
  cropMarker: defaultText("invalid_search_crop_marker", "…"),
  attributesToHighlight: namesParam("invalid_search_attributes_to_highlight"),
  highlightPreTag: defaultText("invalid_search_highlight_pre_tag", "<em>"),
  highlightPostTag: defaultText("invalid_search_highlight_post_tag", "</em>"),
  showMatchesPosition: flagParam("invalid_search_show_matches_position"),
  filter: optionalParam(filterParam("invalid_search_filter")),
  sort: optionalParam(sortParam("invalid_search_sort")),
  distinct: optionalParam(textParam("invalid_search_distinct")),
  facets: namesParam("invalid_search_facets"),
  matchingStrategy: choiceParam("invalid_search_matching_strategy", MATCHING_STRATEGIES),
  attributesToSearchOn: namesParam("invalid_search_attributes_to_search_on"),
  rankingScoreThreshold: optionalParam(unitParam("invalid_search_ranking_score_threshold")),
  locales: optionalParam(listParam("invalid_search_locales", readChoiceIn(LOCALES))),
  personalizeUserContext: optionalParam(textParam("invalid_search_personalize_user_context")),
  useNetwork: optionalParam(flagParam("invalid_search_use_network")),
  showRankingScore: flagParam("invalid_search_show_ranking_score"),
  showRankingScoreDetails: flagParam("invalid_search_show_ranking_score_details"),
  showPerformanceDetails: flagParam("invalid_search_show_performance_details"),
};

/** The parameters that are fields of a query under their own name. */
const PLAIN_PARAMS = (Object.keys(searchParams) as (keyof typeof searchParams)[]).filter(
  (name) => name !== "hybridEmbedder" && name !== "hybridSemanticRatio" && name !== "personalizeUserContext",
);

export function parseSearchQuery(query: string): SearchQuery {
  const values = readQuery(query, searchParams);
  const { hybridEmbedder: embedder, hybridSemanticRatio: ratio, personalizeUserContext: userContext } = values;
  if (embedder === null && ratio !== null) {
    throw apiError("invalid_search_hybrid_query", "`hybridEmbedder` is mandatory with `hybridSemanticRatio`.");
  }
  // Key by key: spreading an object of this size and adding to it costs ten times the rest of the parsing.
  const parsed: Record<string, unknown> = {
    media: null,
    hybrid: embedder === null ? null : { embedder, semanticRatio: ratio ?? HYBRID_RATIO },
    personalize: userContext === null ? null : { userContext },
  };
  for (const name of PLAIN_PARAMS) parsed[name] = values[name];
  return parsed as unknown as SearchQuery;
}

/** Refuses a query whose vector or media cannot be used as given; needs no index. */
export function checkSearchKind(query: Pick<SearchQuery, "vector" | "media" | "hybrid">): void {
  if (query.media !== null && query.vector !== null) {
    throw apiError("invalid_search_media_and_vector", "`media` and `vector` cannot be used together.");
  }
  const given = query.vector !== null ? "vector" : query.media !== null ? "media" : null;
  if (given !== null && query.hybrid === null) {
    throw apiError("missing_search_hybrid", `\`hybrid\` is mandatory when \`${given}\` is present.`);
  }
}

export function unitParam(code: ErrorCode): Param<number> {
  const { schema } = decimalParam(code);
  return {
    code,
    schema,
    read: (raw, name) => {
      const value = readDecimal(raw, name, code);
      if (value < 0 || value > 1) throw refused(name, code, "the value must lie between `0.0` and `1.0`.");
      return value;
    },
  };
}

function defaultText(code: ErrorCode, value: string): Param<string> {
  return { ...textParam(code), schema: text({ default: value }), absent: { value } };
}

export const facetSearchSchema = object(
  {
    facetName: text({ code: "invalid_facet_search_facet_name", missing: "missing_facet_search_facet_name" }),
    facetQuery: orNull(text({ code: "invalid_facet_search_query" })),
    q: searchFields.q,
    vector: searchFields.vector,
    media: searchFields.media,
    hybrid: searchFields.hybrid,
    filter: searchFields.filter,
    matchingStrategy: searchFields.matchingStrategy,
    attributesToSearchOn: searchFields.attributesToSearchOn,
    rankingScoreThreshold: searchFields.rankingScoreThreshold,
    locales: searchFields.locales,
    exhaustiveFacetCount: orNull(flag({ code: "invalid_facet_search_exhaustive_facet_count" })),
    useNetwork: searchFields.useNetwork,
  },
  { ignoreUnknown: true },
);

export interface FacetSearchQuery
  extends Pick<
    SearchQuery,
    | "q"
    | "vector"
    | "media"
    | "hybrid"
    | "filter"
    | "matchingStrategy"
    | "attributesToSearchOn"
    | "rankingScoreThreshold"
    | "locales"
    | "useNetwork"
  > {
  facetName: string;
  facetQuery: string | null;
  exhaustiveFacetCount: boolean | null;
}

export function parseFacetSearch(body: unknown): FacetSearchQuery {
  return validate(facetSearchSchema, body) as unknown as FacetSearchQuery & JsonObject;
}
