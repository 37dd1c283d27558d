/** Which documents may be listed by whom, and which may be deleted or edited by filter. */

import type { DocumentsQuery } from "../../base/contract/documents.ts";
import { type Features, requireFeature } from "../../base/contract/features.ts";
import type { Json } from "../../base/json/value.ts";
import { filterApiError } from "../filter/errors.ts";
import { type Filter, FilterEvaluationError } from "../filter/filter.ts";
import { readFilter } from "../filter/read.ts";

import type { Asker } from "./asker.ts";
import { checkForeign } from "./foreign.ts";

/** Readers know no flags. A missing index is the more helpful refusal, so it goes first. */
export function checkDocuments(asker: Asker, indexUid: string, { useNetwork, filter }: DocumentsQuery): void {
  if (useNetwork !== null) requireFeature(asker.features, "network", "Using `useNetwork` to read documents");
  if (filter === null) return;
  asker.withIndex(indexUid, (index) => {
    readFilter(filter, asker.features, "invalid_document_filter");
    checkForeign(asker.scope, index, filter);
  });
}

/** What a filter selects is found out later; that it can be read, and may be used at all, is known now. */
export function checkTaskFilter(filter: Json, features: Features): void {
  const parsed = readFilter(filter, features, "invalid_document_filter");
  try {
    if (parsed !== null) refuseForeign(parsed);
  } catch (error) {
    throw filterApiError(error, "invalid_document_filter");
  }
}

/** Tasks change one index and must not depend on what another one holds when they happen to run. */
function refuseForeign(filter: Filter): void {
  if (filter.kind === "and" || filter.kind === "or") for (const each of filter.filters) refuseForeign(each);
  else if (filter.kind === "not") refuseForeign(filter.filter);
  else if (filter.kind === "foreign") {
    throw new FilterEvaluationError("foreign", "`_foreign` cannot be used to delete or edit documents.", filter.call);
  }
}
