/** What clients may ask about indexes themselves: create, rename, list, swap, fields, statistics. Parsing only. */
import { apiError } from "../errors/errors.ts";
import { limits } from "../limits.ts";
import { indexUidReason, isIndexUid } from "./names.ts";
import { choiceParam, countParam, flagParam, readQuery } from "./query.ts";
import { askedPatterns, count, flag, list, object, orNull, resettable, text } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

export const checkUid = (uid: string, at: Place): void => {
  if (!isIndexUid(uid)) at.refuse(indexUidReason(uid));
};

export const createIndexSchema = object({
  uid: text({ code: "invalid_index_uid", missing: "missing_index_uid", check: checkUid }),
  primaryKey: orNull(text({ code: "invalid_index_primary_key" })),
});

export function parseCreateIndex(body: unknown): { uid: string; primaryKey: string | null } {
  return validate(createIndexSchema, body);
}

export const updateIndexSchema = object(
  {
    primaryKey: orNull(text({ code: "invalid_index_primary_key" })),
    uid: orNull(text({ code: "invalid_index_uid", check: checkUid })),
  },
  { immutable: { createdAt: "immutable_index_created_at", updatedAt: "immutable_index_updated_at" } },
);

export function parseUpdateIndex(body: unknown): { primaryKey: string | null; newIndexUid: string | null } {
  const { primaryKey, uid } = validate(updateIndexSchema, body);
  return { primaryKey, newIndexUid: uid };
}

export const indexListParams = {
  offset: countParam("invalid_index_offset"),
  limit: countParam("invalid_index_limit", limits.pageItems),
};

export function parseIndexList(query: string): { offset: number; limit: number } {
  return readQuery(query, indexListParams);
}

export const swapIndexesSchema = list(
  object({
    indexes: list(text({ check: checkUid }), { code: "invalid_swap_indexes", missing: "missing_swap_indexes" }),
    rename: flag({ code: "invalid_swap_rename", default: false }),
  }),
);

interface IndexSwap {
  indexes: [string, string];
  rename: boolean;
}

export function parseSwapIndexes(body: unknown): IndexSwap[] {
  const swaps = validate(swapIndexesSchema, body);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { indexes } of swaps) {
    if (indexes.length !== 2) {
      throw apiError(
        "invalid_swap_indexes",
        `Two indexes must be given for each swap. The list \`${JSON.stringify(indexes)}\` contains ${indexes.length} indexes.`,
      );
    }
    for (const uid of indexes) (seen.has(uid) ? repeated : seen).add(uid);
  }
  if (repeated.size > 0) {
    const names = [...repeated].sort().map((uid) => `\`${uid}\``);
    throw apiError(
      "invalid_swap_duplicate_index_found",
      `Each index can take part in one swap only, but found more than once: ${names.join(", ")}.`,
    );
  }
  return swaps.map(({ indexes, rename }) => ({ indexes: [indexes[0]!, indexes[1]!], rename }));
}

const fieldsFilter = object(
  {
    attributePatterns: resettable(askedPatterns("invalid_index_fields_filter_attribute_patterns")),
    displayed: resettable(flag({ code: "invalid_index_fields_filter_displayed" })),
    searchable: resettable(flag({ code: "invalid_index_fields_filter_searchable" })),
    sortable: resettable(flag({ code: "invalid_index_fields_filter_sortable" })),
    distinct: resettable(flag({ code: "invalid_index_fields_filter_distinct" })),
    rankingRule: resettable(flag({ code: "invalid_index_fields_filter_ranking_rule" })),
    filterable: resettable(flag({ code: "invalid_index_fields_filter_filterable" })),
  },
  { code: "invalid_index_fields_filter" },
);

export const indexFieldsSchema = object({
  offset: count({ code: "invalid_index_offset", default: 0 }),
  limit: count({ code: "invalid_index_limit", default: limits.pageItems }),
  filter: orNull(fieldsFilter),
});

export interface FieldsFilter {
  attributePatterns?: string[] | null;
  displayed?: boolean | null;
  searchable?: boolean | null;
  sortable?: boolean | null;
  distinct?: boolean | null;
  rankingRule?: boolean | null;
  filterable?: boolean | null;
}

export function parseIndexFields(body: unknown): { offset: number; limit: number; filter: FieldsFilter | null } {
  return validate(indexFieldsSchema, body);
}

export const statsParams = {
  showInternalDatabaseSizes: flagParam("invalid_stats_show_internal_database_sizes"),
  sizeFormat: choiceParam("invalid_stats_size_format", ["raw", "human"]),
};

export interface StatsQuery {
  showInternalDatabaseSizes: boolean;
  sizeFormat: "raw" | "human";
}

export function parseStatsQuery(query: string): StatsQuery {
  return readQuery(query, statsParams);
}
