/** What went wrong with a request, in the server's own words where it had any. */

export class RequestProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The server has no master key, and so no keys. */
export const NO_KEYS = "missing_master_key";

/** Refused for want of a key that may do this. */
export function wantsKey(problem: RequestProblem): boolean {
  return problem.status === 401 || problem.status === 403;
}

/** What anything that was thrown comes to. */
export function problemOf(error: unknown): RequestProblem {
  if (error instanceof RequestProblem) return error;
  return new RequestProblem(error instanceof Error ? error.message : String(error), 0, "unknown");
}

/** `text`: the body of an answer that is no success. */
export function problemIn(status: number, text: string): RequestProblem {
  try {
    const { message, code } = JSON.parse(text) as { message?: string; code?: string };
    if (typeof message === "string") return new RequestProblem(message, status, code ?? "unknown");
  } catch {
    // Something before the server has answered, a proxy perhaps.
  }
  return new RequestProblem(`The server answered with status ${status}.`, status, "unknown");
}

export const UNREACHABLE = new RequestProblem("The server cannot be reached. Is it running?", 0, "unreachable");
