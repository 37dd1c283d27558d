/** What a request for similar documents may ask, in a body or in a query string. Parsing only. */
import type { Json } from "../json/value.ts";
import { limits } from "../limits.ts";

import { documentIdReason, documentIdSchema, filterSchema } from "./documents.ts";
import { isDocumentIdText } from "./names.ts";
import {
  countParam,
  filterParam,
  flagParam,
  listParam,
  optionalParam,
  type Param,
  readQuery,
  readText,
  refused,
  textParam,
} from "./query.ts";
import { askedNames, count, flag, object, orNull, text } from "./schema.ts";
import { threshold, unitParam } from "./search.ts";
import { validate } from "./validate.ts";

export interface SimilarQuery {
  id: string;
  embedder: string;
  offset: number;
  limit: number;
  filter: Json;
  attributesToRetrieve: string[] | null;
  retrieveVectors: boolean;
  showRankingScore: boolean;
  showRankingScoreDetails: boolean;
  showPerformanceDetails: boolean;
  rankingScoreThreshold: number | null;
}

export const similarSchema = object({
  id: documentIdSchema("invalid_similar_id"),
  embedder: text({ code: "invalid_similar_embedder" }),
  offset: count({ code: "invalid_similar_offset", default: 0 }),
  limit: count({ code: "invalid_similar_limit", default: limits.pageItems }),
  filter: orNull(filterSchema("invalid_similar_filter")),
  attributesToRetrieve: orNull(askedNames("invalid_similar_attributes_to_retrieve")),
  retrieveVectors: flag({ code: "invalid_similar_retrieve_vectors", default: false }),
  showRankingScore: flag({ code: "invalid_similar_show_ranking_score", default: false }),
  showRankingScoreDetails: flag({ code: "invalid_similar_show_ranking_score_details", default: false }),
  showPerformanceDetails: flag({ code: "invalid_similar_show_performance_details", default: false }),
  rankingScoreThreshold: threshold("invalid_similar_ranking_score_threshold"),
});

export function parseSimilar(body: unknown): SimilarQuery {
  const query = validate(similarSchema, body);
  return { ...query, id: String(query.id), filter: query.filter as Json };
}

const idParam: Param<string> = {
  ...textParam("invalid_similar_id", "bad_request"),
  read: (raw, name, code) => {
    if (!isDocumentIdText(raw)) throw refused(name, code, documentIdReason(raw));
    return raw;
  },
};

export const similarParams = {
  id: idParam,
  embedder: textParam("invalid_similar_embedder", "bad_request"),
  offset: countParam("invalid_similar_offset"),
  limit: countParam("invalid_similar_limit", limits.pageItems),
  filter: optionalParam(filterParam("invalid_similar_filter")),
  attributesToRetrieve: optionalParam(listParam("invalid_similar_attributes_to_retrieve", readText)),
  retrieveVectors: flagParam("invalid_similar_retrieve_vectors"),
  showRankingScore: flagParam("invalid_similar_show_ranking_score"),
  showRankingScoreDetails: flagParam("invalid_similar_show_ranking_score_details"),
  showPerformanceDetails: flagParam("invalid_similar_show_performance_details"),
  rankingScoreThreshold: optionalParam(unitParam("invalid_similar_ranking_score_threshold")),
};

export function parseSimilarQuery(query: string): SimilarQuery {
  return readQuery(query, similarParams);
}
