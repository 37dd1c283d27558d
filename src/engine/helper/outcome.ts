/** How a job's result or failure crosses threads: errors lose their class on the way, so they travel as plain values. */
import { ApiError, isErrorCode } from "../../base/errors/errors.ts";

interface PlainError {
  name: string;
  message: string;
  /** Of an ApiError, or of a failed system call. */
  code: string | null;
}

export type Outcome<T> = { ok: true; output: T } | { ok: false; error: PlainError };

export function failure(error: unknown): { ok: false; error: PlainError } {
  if (!(error instanceof Error)) return { ok: false, error: { name: "Error", message: String(error), code: null } };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { ok: false, error: { name: error.name, message: error.message, code } };
}

/** The output, or the error thrown again: an ApiError as such, so that it can become an answer or fail a task. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.output;
  const { name, message, code } = outcome.error;
  if (name === "ApiError" && code !== null && isErrorCode(code)) throw new ApiError(code, message);
  const error = new Error(message);
  error.name = name;
  throw code === null ? error : Object.assign(error, { code });
}
