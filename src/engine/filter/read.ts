/** From the text of a filter to one that may be used: read, and found to need no feature that is off. */

import type { Features } from "../../base/contract/features.ts";
import type { ErrorCode } from "../../base/errors/errors.ts";
import type { Json } from "../../base/json/value.ts";

import { checkFilterFeatures } from "./check.ts";
import { filterApiError } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { parseFilter } from "./parse.ts";

/** Null for a filter that says nothing. Refuses others with the code of whoever asks. */
export function readFilter(filter: Json, features: Features, code: ErrorCode): Filter | null {
  try {
    const parsed = parseFilter(filter);
    if (parsed !== null) checkFilterFeatures(parsed, features);
    return parsed;
  } catch (error) {
    throw filterApiError(error, code);
  }
}
