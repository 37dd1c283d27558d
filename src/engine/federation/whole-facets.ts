/** Facets of the same index on several servers as those of one, without the hits that the whole answer has rejected. */

import { normalizeFacet } from "../../base/text/normalize.ts";
import { decimalText, type FieldFacets } from "../answer/facets.ts";
import { compareText } from "../query/order.ts";
import { ordered, union } from "./facets.ts";
import type { ShareFacets } from "./share.ts";
import { inColumns, type WholeHit } from "./whole.ts";

export interface WholeFacets extends ShareFacets {
  /** Of all that was found: extremes are not narrowed by what was rejected. */
  all: FieldFacets[];
}

/** Ascending by uid. */
export function wholeFacets(
  shares: readonly { facets: readonly ShareFacets[] }[],
  rejected: readonly WholeHit[],
): WholeFacets[] {
  const merged = new Map<string, ShareFacets>();
  for (const facets of shares.flatMap((share) => share.facets)) {
    const known = merged.get(facets.uid);
    merged.set(facets.uid, known === undefined ? facets : bothOf(known, facets));
  }
  const indexes = [...merged.values()].sort((a, b) => compareText(a.uid, b.uid));
  return indexes.map((index) => {
    const ofIndex = rejected.filter(({ indexUid }) => indexUid === index.uid);
    const facets = ofIndex.length === 0 ? index.facets : index.facets.map((each) => without(each, ofIndex));
    return { ...index, facets: facets.filter(({ values }) => values.size > 0), all: index.facets };
  });
}

function bothOf(a: ShareFacets, b: ShareFacets): ShareFacets {
  const fields = new Map(a.facets.map((each) => [each.field, each]));
  for (const each of b.facets) fields.set(each.field, union(fields.get(each.field), each));
  const valuesMax = Math.min(a.valuesMax, b.valuesMax);
  const facets = [...fields.values()]
    .sort((left, right) => compareText(left.field, right.field))
    .map((each) => ({ ...each, values: ordered(each.values, a.orderOf(each.field), valuesMax) }));
  return { uid: a.uid, orderOf: a.orderOf, valuesMax, facets };
}

function without(facets: FieldFacets, rejected: readonly WholeHit[]): FieldFacets {
  const values = new Map(facets.values);
  const spellings = new Map([...values.keys()].map((shown) => [normalizeFacet(shown), shown]));
  for (const hit of rejected) {
    const { numbers, strings } = inColumns(hit.valuesOf(facets.field));
    for (const value of new Set([...numbers.map(decimalText), ...strings.map((each) => spellings.get(each) ?? each)])) {
      const count = values.get(value);
      if (count === undefined) continue;
      if (count > 1) values.set(value, count - 1);
      else values.delete(value);
    }
  }
  return { ...facets, values };
}
