/** Which documents a filter leaves, across indexes where it asks for that. Parses and evaluates; ranks nothing. */

import { apiError, type ErrorCode } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";
import { limits } from "../../base/limits.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import type { IndexView } from "../../storage/index/view.ts";
import type { Bitmap } from "../../storage/segment/bitmap.ts";
import { equalitiesOf } from "../filter/equalities.ts";
import { filterApiError } from "../filter/errors.ts";
import { evaluateFilter } from "../filter/evaluate.ts";
import { type Filter, FilterEvaluationError, type Token } from "../filter/filter.ts";
import { FilterCache, type Selection } from "../filter/filter-cache.ts";
import { parseFilter } from "../filter/parse.ts";
import { filterContext } from "../filter/select.ts";

/**
 * Rows by segment: live ones that pass the filter of a search. Not to be changed: without filter they are the index's
 * own. Errors show the filter in its canonical form, because it may be put together from several texts.
 */
export function selectedRows(view: IndexView, filter: Json, snapshot: Snapshot, code: ErrorCode): Bitmap[] {
  return selection(view, filter, snapshot, code).rows;
}

/** The same with what is true of all these rows. */
export function selection(view: IndexView, filter: Json, snapshot: Snapshot, code: ErrorCode): Selection {
  return (
    filtered(view, filter, snapshot, code, true) ?? { rows: view.segments.map(({ live }) => live), equalities: [] }
  );
}

/** The same, not to be changed either, but null when the filter is blank. `canonical`: whether errors show the filter in its canonical form. */
export function filteredRows(
  view: IndexView,
  filter: Json,
  snapshot: Snapshot,
  code: ErrorCode,
  canonical: boolean,
): Bitmap[] | null {
  return filtered(view, filter, snapshot, code, canonical)?.rows ?? null;
}

function filtered(
  view: IndexView,
  filter: Json,
  snapshot: Snapshot,
  code: ErrorCode,
  canonical: boolean,
): Selection | null {
  if (filter === null) return null;
  const kept = FilterCache.of(view);
  const text = typeof filter === "string" ? `text ${filter}` : `json ${JSON.stringify(filter)}`;
  const known = kept.find(text);
  if (known !== null) return known;
  let parsed: Filter | null = null;
  let isForeign = false;
  try {
    parsed = parseFilter(filter);
    if (parsed === null) return null;
    const context = filterContext(view.settings, view.segments, (field, inner) => {
      isForeign = true;
      return foreignIds(view, field, inner, snapshot);
    });
    const found = { rows: evaluateFilter(parsed, context), equalities: equalitiesOf(parsed) };
    // What other indexes hold may change while this one does not.
    if (!isForeign) kept.keep(text, found);
    return found;
  } catch (problem) {
    throw filterApiError(problem, code, canonical ? parsed : null);
  }
}

/** External ids of the documents of the foreign index that pass `filter`. */
function foreignIds(view: IndexView, field: Token, filter: Filter, snapshot: Snapshot): string[] {
  const uid = view.settings.foreignKeys.find((key) => key.fieldName === field.text)?.foreignIndexUid ?? "";
  const foreign = snapshot.index(uid);
  if (foreign === null) {
    throw new FilterEvaluationError(
      "foreign",
      `The foreign index \`${uid}\` of \`${field.text}\` does not exist.`,
      field,
    );
  }
  if (foreign.problem !== null) throw apiError("internal", `index \`${uid}\` cannot be read: ${foreign.problem}`);
  const rows = foreignRows(foreign, filter);
  const ids: string[] = [];
  // One too many is refused, so no more are looked for.
  const most = limits.foreignIds + 1;
  for (let i = 0; i < rows.length; i++) {
    const { reader } = foreign.segments[i]!;
    for (let row = rows[i]!.next(0); row !== -1 && ids.length < most; row = rows[i]!.next(row + 1)) {
      ids.push(reader.externalId(row));
    }
  }
  return ids;
}

/** The interface gives what is wrong with the inner filter the code of a read of the foreign documents. */
function foreignRows(foreign: IndexView, filter: Filter): Bitmap[] {
  try {
    return evaluateFilter(filter, filterContext(foreign.settings, foreign.segments));
  } catch (problem) {
    throw filterApiError(problem, "invalid_document_filter", filter).within(`Index \`${foreign.uid}\`: `);
  }
}
