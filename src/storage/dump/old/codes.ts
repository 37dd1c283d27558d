/** Errors of tasks under the codes they had in old dumps, and under those they have now. */
import { apiError, type ErrorBody, type ErrorCode, isErrorCode } from "../../../base/errors/errors.ts";

/** Codes that have another name now; those that are not here have kept theirs, or are gone. */
const RENAMED: Readonly<Record<string, ErrorCode>> = {
  create_index: "index_creation_failed",
  dump_already_in_progress: "dump_already_processing",
  filter: "invalid_settings_filterable_attributes",
  immutable_field: "bad_request",
  invalid_filter: "invalid_settings_filterable_attributes",
  invalid_geo_field: "invalid_document_geo_field",
  invalid_min_word_length_for_typo: "invalid_settings_typo_tolerance",
  invalid_ranking_rule: "invalid_settings_ranking_rules",
  invalid_sort: "invalid_settings_sortable_attributes",
  invalid_store: "invalid_store_file",
  invalid_token: "invalid_api_key",
  missing_parameter: "bad_request",
  missing_primary_key: "index_primary_key_no_candidate_found",
  primary_key_already_present: "index_primary_key_already_exists",
  primary_key_inference_failed: "index_primary_key_no_candidate_found",
  retrieve_document: "unretrievable_document",
  sort: "invalid_settings_sortable_attributes",
};

/** `MissingPrimaryKey`, `missing_primary_key` and `primary_key_inference_failed` are one code of three versions. */
function currentCode(old: string): ErrorCode {
  const name = old.replace(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
  if (Object.hasOwn(RENAMED, name)) return RENAMED[name]!;
  return isErrorCode(name) ? name : "unretrievable_error_code";
}

export function currentError(message: unknown, code: unknown): ErrorBody {
  return apiError(currentCode(typeof code === "string" ? code : ""), typeof message === "string" ? message : "").body();
}
