/** Facets of a part, as whoever puts parts together wants them: every value as what it counts as, and how it is spelled. */
import type { IndexView } from "../../../storage/index/view.ts";
import type { Bitmap } from "../../../storage/segment/bitmap.ts";
import { FacetCounts } from "../../answer/facet-counts.ts";
import { forEachMatch } from "../../answer/facet-search.ts";
import { countedSegments, facetFields, facetOrder, wantedFacets, withCandidates } from "../../answer/facets.ts";
import type { CountedText, PartFacet, PartFacets, PartQuestions } from "../../parts/questions.ts";

export function partFacets(view: IndexView, candidates: readonly Bitmap[], facets: readonly string[]): PartFacets {
  const fields = facetFields(view);
  const counted = withCandidates(view, candidates, (placed) =>
    wantedFacets(fields, facets).map((field) =>
      partFacet(view, field, new FacetCounts(countedSegments(view, placed, field))),
    ),
  );
  return { fields, counted };
}

function partFacet({ settings }: IndexView, field: string, counts: FacetCounts): PartFacet {
  const numbers = counts.numbers();
  const texts: CountedText[] = [];
  // What comes first in all parts together comes first in each of them.
  const most = facetOrder(settings, field) === "count" ? Number.POSITIVE_INFINITY : settings.faceting.maxValuesPerFacet;
  if (most > 0) {
    counts.forEachString(({ code, column, count, docid, ordinal }) => {
      texts.push({ text: column.stringAt(ordinal), spelling: column.spellingOfCode(code), docid, count });
      return texts.length < most;
    });
  }
  return { field, numbers: [...numbers.values], numberCounts: [...numbers.counts], texts };
}

export function partFacetSearch(
  view: IndexView,
  candidates: readonly Bitmap[],
  query: PartQuestions["facetSearch"]["asked"]["query"],
): PartQuestions["facetSearch"]["answer"] {
  const found: PartQuestions["facetSearch"]["answer"] = [];
  forEachMatch(view, candidates, query, ({ code, column, count, docid, key, ordinal }) => {
    found.push({ text: column.stringAt(ordinal), spelling: column.spellingOfCode(code), docid, count, key });
  });
  return found;
}
