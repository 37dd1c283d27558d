/** How a refused filter becomes an answer: which code, which form of the message. */
import { ApiError, type ErrorCode } from "../../base/errors/errors.ts";
import { type Filter, FilterEvaluationError, FilterSyntaxError } from "./filter.ts";
import { serializedMessage } from "./serialize.ts";

/**
 * The answer for whatever reading, checking or evaluating a filter threw; anything foreign to filters is thrown again.
 * `code` is the route's own; `shown` asks for the canonical form of that filter in evaluation messages.
 */
export function filterApiError(error: unknown, code: ErrorCode, shown: Filter | null = null): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof FilterSyntaxError) return new ApiError(code, error.message);
  if (error instanceof FilterEvaluationError) {
    const message = shown === null ? error.message : serializedMessage(error, shown);
    // The interface has one code for operators a rule leaves out, whatever the route.
    return new ApiError(error.reason === "operatorNotAllowed" ? "invalid_search_filter" : code, message);
  }
  throw error;
}
