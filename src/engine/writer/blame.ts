/**
 * Whose fault it is that a batch failed: perhaps that of one task, without which the others would succeed, or of something
 * that they have in common, such as a full disk or an embedder that does not answer.
 */
import { ApiError, ERRORS } from "../../base/errors/errors.ts";
import { EmbedError } from "../vector/embed/embedder.ts";
import { asApiError } from "./work.ts";

/** The error of a batch that may be one task's own: tried in smaller batches, only that task fails with it. */
export class OneToBlame extends ApiError {}

/** The error of a batch on an index, as it is to be thrown. */
export function batchError(problem: unknown, indexUid: string): unknown {
  const error = asApiError(problem);
  if (error.code === "internal") return problem;
  const named = error.within(`Index \`${indexUid}\`: `);
  return mayBeOneTask(problem, error) ? new OneToBlame(named.code, named.message) : named;
}

function mayBeOneTask(problem: unknown, { code }: ApiError): boolean {
  if (problem instanceof EmbedError) return problem.isOfInput;
  return ERRORS[code].type === "invalid_request";
}
