/** Facets of all parts as those of one index: counts add up, and each value is spelled as its first document spells it. */
import type { Settings } from "../../../storage/settings/settings.ts";
import type { NumberCounts } from "../../answer/facet-counts.ts";
import { checkFacets, type FieldFacets, facetOf } from "../../answer/facets.ts";
import { topCounts } from "../../answer/top-counts.ts";
import type { CountedText, PartFacet, PartFacets } from "../../parts/questions.ts";
import { compareText } from "../../query/order.ts";

/** Those that have values, by name. Throws `invalid_search_facets`. `count`: of all documents. */
export function mergedFacets(
  settings: Settings,
  names: readonly string[],
  parts: readonly PartFacets[],
  count: number,
): FieldFacets[] {
  checkFacets(settings, names, [...new Set(parts.flatMap(({ fields }) => fields))]);
  const byField = new Map<string, PartFacet[]>();
  for (const facet of parts.flatMap(({ counted }) => counted)) {
    const known = byField.get(facet.field);
    if (known === undefined) byField.set(facet.field, [facet]);
    else known.push(facet);
  }
  const fields = [...byField.keys()].sort();
  const merged = fields.map((field) => {
    const own = byField.get(field)!;
    const texts = mergedTexts(own.map((facet) => facet.texts));
    return facetOf(settings, field, mergedNumbers(own), count, (add, order, most) => {
      const counts = texts.map((text) => text.count);
      const first = order === "count" ? topCounts(counts, most).map((i) => texts[i]!) : texts;
      first.every(({ count: documents, spelling }) => add(spelling, documents));
    });
  });
  return merged.filter(({ values }) => values.size > 0);
}

/** In the order of their texts. */
export function mergedTexts<Text extends CountedText>(lists: readonly (readonly Text[])[]): Text[] {
  const byText = new Map<string, Text>();
  for (const text of lists.flat()) {
    const known = byText.get(text.text);
    if (known === undefined) byText.set(text.text, text);
    else byText.set(text.text, { ...(text.docid < known.docid ? text : known), count: known.count + text.count });
  }
  return [...byText.values()].sort((a, b) => compareText(a.text, b.text));
}

function mergedNumbers(facets: readonly PartFacet[]): NumberCounts {
  const counts = new Map<number, number>();
  for (const { numberCounts, numbers } of facets) {
    numbers.forEach((number, i) => {
      counts.set(number, (counts.get(number) ?? 0) + numberCounts[i]!);
    });
  }
  const values = Float64Array.from(counts.keys()).sort();
  return { values, counts: Uint32Array.from(values, (value) => counts.get(value)!) };
}
