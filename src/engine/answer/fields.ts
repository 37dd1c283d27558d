/** The fields of an index and what each may be used for, as `POST /indexes/{uid}/fields` shows them. Pure. */

import type { FieldsFilter } from "../../base/contract/indexes.ts";
import type { IndexView } from "../../storage/index/view.ts";
import { isReserved } from "../../storage/segment/rules.ts";
import {
  customRankingRule,
  filterRuleFor,
  isDisplayed,
  isSortable,
  localesFor,
  matchesPattern,
  searchableWeight,
} from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import type { KnownFields } from "./known-fields.ts";

interface FieldView {
  name: string;
  displayed: { enabled: boolean };
  searchable: { enabled: boolean };
  sortable: { enabled: boolean };
  distinct: { enabled: boolean };
  rankingRule: { enabled: boolean; order?: "asc" | "desc" };
  filterable: {
    enabled: boolean;
    sortBy: "alpha" | "count";
    facetSearch: boolean;
    equality: boolean;
    comparison: boolean;
  };
  localized: { locales: string[] };
}

/** What is needed of an index; `IndexView` has it. */
export interface FieldsIndex extends Pick<IndexView, "fieldDistribution" | "fieldOrder" | "settings"> {
  readonly segments: readonly { readonly reader: KnownFields }[];
}

/** By name; several conditions of the filter must all hold. */
export function listFields(index: FieldsIndex, filter: FieldsFilter): FieldView[] {
  return [...fieldNames(index)]
    .sort()
    .map((name) => fieldView(name, index.settings))
    .filter((field) => isWanted(field, filter));
}

/** Top-level fields, and the nested ones that have words or values in columns, with all that lie on the way to them. */
function fieldNames({ fieldDistribution, fieldOrder, segments }: FieldsIndex): Set<string> {
  const top = new Set([...Object.keys(fieldDistribution), ...fieldOrder]);
  const names = new Set(top);
  for (const { reader } of segments) {
    for (const field of [...reader.fields, ...reader.columns.fields()]) {
      // A rule for all fields keeps a column of whole documents as well, under no name.
      if (names.has(field) || field === "") continue;
      names.add(field);
      // The name of a top-level field may hold dots itself: nothing lies on the way to it.
      let end = field.indexOf(".");
      if (!top.has(field.slice(0, end))) continue;
      for (; end !== -1; end = field.indexOf(".", end + 1)) names.add(field.slice(0, end));
    }
  }
  return names;
}

function fieldView(name: string, settings: Settings): FieldView {
  const features = filterRuleFor(settings, name)?.features ?? null;
  const order = settings.rankingRules.map(customRankingRule).find((custom) => custom?.field === name)?.direction;
  const sortFacetValuesBy = settings.faceting.sortFacetValuesBy;
  return {
    name,
    displayed: { enabled: isDisplayed(settings, name) },
    searchable: { enabled: !isReserved(name) && searchableWeight(settings, name) >= 0 },
    sortable: { enabled: isSortable(settings, name) },
    distinct: { enabled: settings.distinctAttribute === name },
    rankingRule: order === undefined ? { enabled: false } : { enabled: true, order },
    filterable: {
      enabled: features !== null,
      sortBy: sortFacetValuesBy[name] ?? sortFacetValuesBy["*"] ?? "alpha",
      facetSearch: features?.facetSearch ?? false,
      equality: features?.filter.equality ?? false,
      comparison: features?.filter.comparison ?? false,
    },
    localized: { locales: localesFor(settings, name) ?? [] },
  };
}

function isWanted(field: FieldView, filter: FieldsFilter): boolean {
  const patterns = filter.attributePatterns ?? null;
  if (patterns !== null && !patterns.some((pattern) => matchesPattern(pattern, field.name))) return false;
  for (const aspect of ["displayed", "searchable", "sortable", "distinct", "rankingRule", "filterable"] as const) {
    const wanted = filter[aspect] ?? null;
    if (wanted !== null && field[aspect].enabled !== wanted) return false;
  }
  return true;
}
