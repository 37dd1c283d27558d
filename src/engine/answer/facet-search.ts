/**
 * Facet search: the string values of one field that begin with what was typed, with the number of candidates that have
 * them. Typos are forgiven as the settings of the index allow; numbers are not searched.
 */

import type { FacetSearchQuery } from "../../base/contract/search.ts";
import { apiError } from "../../base/errors/errors.ts";
import { ByteSink } from "../../base/json/bytes.ts";
import { normalizeFacetSearch } from "../../base/text/normalize.ts";
import type { Locales } from "../../base/text/token.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import type { Column } from "../../storage/segment/columns/column.ts";
import { coversField, filterRuleFor, localesFor } from "../../storage/settings/patterns.ts";
import type { Settings } from "../../storage/settings/settings.ts";
import { typoLimit } from "../../storage/settings/typo-limit.ts";
import { compareText } from "../query/order.ts";
import { FacetCounts, type StringCount } from "./facet-counts.ts";
import { countedSegments, type FacetsView, facetOrder, usablePatterns, withCandidates } from "./facets.ts";
import { writeJsonString } from "./json-writer.ts";
import { TypoPrefix } from "./typo-prefix.ts";

export interface FacetHit {
  value: string;
  count: number;
}

/** So many times the values that are shown are kept before the last of them are let go. */
const KEPT_TIMES = 8;

type Wanted = Pick<FacetSearchQuery, "facetName" | "facetQuery" | "locales">;

export function checkFacetSearchEnabled({ facetSearch }: Settings): void {
  if (!facetSearch) throw apiError("facet_search_disabled", "Facet search is disabled for this index.");
}

export function checkFacetName(settings: Settings, facetName: string): void {
  if (isSearchable(settings, facetName)) return;
  const usable = usablePatterns(settings, isSearchable);
  const hint =
    usable === "" ? "No attribute of this index has it enabled." : `Attributes that have it enabled: ${usable}.`;
  throw apiError("invalid_facet_search_facet_name", `Attribute \`${facetName}\` is not facet-searchable. ${hint}`);
}

/** `{"facetHits":[…],"facetQuery":…,"processingTimeMs":…}`; `startedMs` is of this thread's `performance.now()`. */
export function facetSearchAnswer(
  view: FacetsView,
  candidates: readonly Bitmap[],
  query: Wanted,
  startedMs: number,
): Uint8Array {
  return writtenHits(facetSearch(view, candidates, query), query, performance.now() - startedMs, "");
}

/** `members`: further members of the answer, as JSON text that begins with a comma. */
export function writtenHits(
  hits: readonly FacetHit[],
  query: Pick<Wanted, "facetQuery">,
  elapsedMs: number,
  members: string,
): Uint8Array {
  const out = new ByteSink(64 + hits.length * 48);
  out.ascii('{"facetHits":[');
  hits.forEach(({ value, count }, i) => {
    out.ascii(i > 0 ? ',{"value":' : '{"value":');
    writeJsonString(out, value);
    out.ascii(`,"count":${count}}`);
  });
  out.ascii('],"facetQuery":');
  if (query.facetQuery === null) out.ascii("null");
  else writeJsonString(out, query.facetQuery);
  out.ascii(`,"processingTimeMs":${Math.floor(elapsedMs)}`);
  out.utf8(members);
  out.byte(0x7d);
  return out.view();
}

export function facetSearch(view: FacetsView, candidates: readonly Bitmap[], query: Wanted): FacetHit[] {
  const { settings } = view;
  checkFacetSearchEnabled(settings);
  checkFacetName(settings, query.facetName);
  const found: Spelled[] = [];
  const limit = settings.faceting.maxValuesPerFacet;
  const isByForm = query.facetQuery !== null && facetOrder(settings, query.facetName) !== "count";
  forEachMatch(view, candidates, query, ({ key, column, code, count }) => {
    found.push({ key, column, code, count });
    if (!isByForm || found.length < KEPT_TIMES * limit) return;
    found.sort(byForm);
    found.length = limit;
  });
  const hits = found.map(({ key, column, code, count }) => ({ key, value: column.spellingOfCode(code), count }));
  return hitsInOrder(settings, query, hits);
}

interface Spelled {
  key: string;
  column: Column;
  code: number;
  count: number;
}

type Match = Spelled & Pick<StringCount, "docid" | "ordinal">;

/** Visits values that match, in the order of their texts; of those that are shown in this order only the first. */
export function forEachMatch(
  view: FacetsView,
  candidates: readonly Bitmap[],
  query: Wanted,
  visit: (match: Match) => void,
): void {
  const { settings } = view;
  const limit = settings.faceting.maxValuesPerFacet;
  if (limit === 0) return;
  const byCount = facetOrder(settings, query.facetName) === "count";
  const counts = withCandidates(
    view,
    candidates,
    (placed) => new FacetCounts(countedSegments(view, placed, query.facetName)),
  );
  const matches = valueMatcher(settings, query);
  let visited = 0;
  counts.forEachString(({ column, ordinal, code, count, docid }) => {
    const key = matches === null ? "" : matches(column.stringAt(ordinal));
    if (key !== null) {
      visited++;
      visit({ key, column, ordinal, code, count, docid });
    }
    return byCount || matches !== null || visited < limit;
  });
}

/** As they are shown: in the order of the index, and no more than it shows. `hits`: in the order of their texts. */
export function hitsInOrder(
  settings: Settings,
  { facetName, facetQuery }: Wanted,
  hits: (FacetHit & { key: string })[],
): FacetHit[] {
  if (facetOrder(settings, facetName) === "count") {
    hits.sort((a, b) => b.count - a.count || compareText(b.value, a.value));
  } else if (facetQuery !== null) hits.sort(byForm);
  return hits.slice(0, settings.faceting.maxValuesPerFacet).map(({ value, count }) => ({ value, count }));
}

function isSearchable(settings: Settings, field: string): boolean {
  return filterRuleFor(settings, field)?.features.facetSearch ?? false;
}

/**
 * From a value to the form by which hits are ordered, null when it does not match. No matcher where there is no query; an empty one has
 * all values, in another order: that of forms, not of texts.
 */
function valueMatcher(settings: Settings, query: Wanted): ((value: string) => string | null) | null {
  if (query.facetQuery === null) return null;
  const { typoTolerance } = settings;
  const fieldLocales = localesFor(settings, query.facetName);
  const queryLocales = query.locales !== null && query.locales.length > 0 ? query.locales : fieldLocales;
  // Not trimmed: who types a blank has typed a whole word.
  const wanted = normalizeFacetSearch(query.facetQuery, queryLocales);
  if (typoTolerance.disableOnWords.some((word) => normalizeFacetSearch(word) === wanted)) {
    return (value) => (searchForm(value, fieldLocales) === wanted ? wanted : null);
  }
  const prefix = new TypoPrefix(wanted, allowedTypos(settings, query.facetName, wanted));
  return (value) => {
    const form = searchForm(value, fieldLocales);
    return prefix.matches(form) ? form : null;
  };
}

/** By the length in bytes; a mistyped first letter costs no more than any other. */
function allowedTypos({ typoTolerance }: Settings, field: string, wanted: string): number {
  if (typoTolerance.disableOnAttributes.some((name) => coversField(name, field))) return 0;
  return typoLimit(typoTolerance, Buffer.byteLength(wanted));
}

/** What a value is compared by. Most values are printable ASCII in lower case already, which stays as it is. */
function searchForm(value: string, locales: Locales): string {
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return normalizeFacetSearch(value, locales);
  }
  return value;
}

function byForm(a: { key: string }, b: { key: string }): number {
  return compareText(a.key, b.key);
}
