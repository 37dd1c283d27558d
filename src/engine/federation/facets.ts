/** Facets of several indexes as those of one: counts add up by spelling, extremes widen. Merges; counts nothing itself. */

import { apiError } from "../../base/errors/errors.ts";
import type { FacetOrder, FieldFacets } from "../answer/facets.ts";
import { compareText } from "../query/order.ts";

export interface IndexFacets {
  uid: string;
  /** In which the index shows the values of a facet. */
  orderOf(field: string): FacetOrder;
  facets: readonly FieldFacets[];
}

/** Facets by name. `valuesMax`: most values of a facet, null for as many as there are. */
export function mergeFacets(indexes: readonly IndexFacets[], valuesMax: number | null): FieldFacets[] {
  const merged = new Map<string, FieldFacets>();
  const orders = new Map<string, { order: FacetOrder; uid: string }>();
  for (const { uid, orderOf, facets } of indexes) {
    for (const each of facets) {
      checkOrder(orders, each.field, { order: orderOf(each.field), uid });
      merged.set(each.field, union(merged.get(each.field), each));
    }
  }
  const fields = [...merged.values()].sort((a, b) => compareText(a.field, b.field));
  return fields.map(({ field, values, stats }) => {
    return { field, values: ordered(values, orders.get(field)!.order, valuesMax), stats };
  });
}

/** The first values in an order; `valuesMax` as above. */
export function ordered(
  values: ReadonlyMap<string, number>,
  order: FacetOrder,
  valuesMax: number | null,
): Map<string, number> {
  const byCount = order === "count";
  const sorted = [...values].sort((a, b) => (byCount ? b[1] - a[1] : 0) || compareText(a[0], b[0]));
  return new Map(valuesMax === null ? sorted : sorted.slice(0, valuesMax));
}

export function union(known: FieldFacets | undefined, other: FieldFacets): FieldFacets {
  if (known === undefined) return other;
  const values = new Map(known.values);
  for (const [spelling, count] of other.values) values.set(spelling, (values.get(spelling) ?? 0) + count);
  return { field: other.field, values, stats: widest(known.stats, other.stats) };
}

function widest(a: FieldFacets["stats"], b: FieldFacets["stats"]): FieldFacets["stats"] {
  if (a === null || b === null) return a ?? b;
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function checkOrder(
  orders: Map<string, { order: FacetOrder; uid: string }>,
  facet: string,
  own: { order: FacetOrder; uid: string },
): void {
  const known = orders.get(facet);
  if (known === undefined) orders.set(facet, own);
  else if (known.order !== own.order) {
    throw apiError(
      "invalid_multi_search_facet_order",
      `Facet \`${facet}\` cannot be merged: index \`${known.uid}\` orders its values by \`${known.order}\`, ` +
        `index \`${own.uid}\` by \`${own.order}\`. Give both the same \`faceting.sortFacetValuesBy\`, or leave out \`mergeFacets\`.`,
    );
  }
}
