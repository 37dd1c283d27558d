/**
 * The one way to say no: typed errors with the interface's code, and the wording of those that several parts share.
 * Nothing here decides when an error is due, and nothing in the server throws a bare string.
 */
import { CATALOGUE, type ErrorKind, type ErrorType } from "./codes.ts";

export type ErrorCode = keyof typeof CATALOGUE;

export const ERRORS: Record<ErrorCode, ErrorKind> = CATALOGUE;

/** The four keys of every error answer and of a failed task, in the order in which they are written. */
export interface ErrorBody {
  message: string;
  code: ErrorCode;
  type: ErrorType;
  link: string;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string, status = ERRORS[code].status) {
    super(message);
    this.code = code;
    this.status = status;
  }

  body(): ErrorBody {
    return {
      message: this.message,
      code: this.code,
      type: ERRORS[this.code].type,
      link: `https://docs.meilisearch.com/errors#${this.code}`,
    };
  }

  toJSON(): ErrorBody {
    return this.body();
  }

  /** The same refusal seen from an enclosing request, e.g. one query of a multi-search. */
  within(prefix: string, status = this.status): ApiError {
    return new ApiError(this.code, `${prefix}${this.message}`, status);
  }
}

export function apiError(code: ErrorCode, message: string): ApiError {
  return new ApiError(code, message);
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

export function badRequest(message: string): ApiError {
  return apiError("bad_request", message);
}

/** Of what is written of an answer so far: refused where it gets too long. */
export function refuseTooLong(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw badRequest(`The answer would be longer than ${readableSize(bytesMax)}: ask for less at once.`);
}

/** Codes of the system for a disk, or a share of one, that is full. */
const FULL_DISK = new Set(["ENOSPC", "EDQUOT"]);
/** Of several servers that share their state: it cannot be written to now, or another one was quicker. */
const NOT_NOW = new Set(["EJOURNAL", "ECONFLICT", "EDEPOSED"]);

/** What was not foreseen. A full disk has a code of its own, whatever was being written to it. */
export function internalError(cause: unknown): ApiError {
  const code = (cause as { code?: string } | null)?.code ?? "";
  if (FULL_DISK.has(code)) return noSpaceLeft();
  const message = `An internal error occurred: ${cause instanceof Error ? cause.message : String(cause)}`;
  return NOT_NOW.has(code) ? new ApiError("internal", message, 503) : apiError("internal", message);
}

function noSpaceLeft(): ApiError {
  return apiError("no_space_left_on_device", "There is no more space left on the device.");
}

/** `bytes`: what they may take; null where the machine has no more. */
export function outOfMemory(bytes: number | null): ApiError {
  const most = bytes === null ? "there is" : `the ${readableSize(bytes)} of \`--memory-budget\``;
  const message = `The indexes need more memory than ${most}: delete what is not needed, or give them more and restart.`;
  return apiError("database_size_limit_reached", message);
}

export function indexNotFound(uid: string): ApiError {
  return apiError("index_not_found", `Index \`${uid}\` not found.`);
}

export function indexesNotFound(uids: readonly string[]): ApiError {
  if (uids.length === 1) return indexNotFound(uids[0]!);
  return apiError("index_not_found", `Indexes ${uids.map(quoted).join(", ")} not found.`);
}

export function indexAlreadyExists(uid: string): ApiError {
  return apiError("index_already_exists", `Index \`${uid}\` already exists.`);
}

export function primaryKeyAlreadyExists(uid: string, primaryKey: string): ApiError {
  return apiError(
    "index_primary_key_already_exists",
    `Index \`${uid}\`: already has the primary key \`${primaryKey}\`. Only an update of the index can change it, while it holds no documents.`,
  );
}

export function documentNotFound(id: string): ApiError {
  return apiError("document_not_found", `Document \`${id}\` not found.`);
}

export function taskNotFound(uid: number | string): ApiError {
  return apiError("task_not_found", `Task \`${uid}\` not found.`);
}

export function batchNotFound(uid: number | string): ApiError {
  return apiError("batch_not_found", `Batch \`${uid}\` not found.`);
}

export function apiKeyNotFound(keyOrUid: string): ApiError {
  return apiError("api_key_not_found", `API key \`${keyOrUid}\` not found.`);
}

export function webhookNotFound(uuid: string): ApiError {
  return apiError("webhook_not_found", `Webhook \`${uuid}\` not found.`);
}

export function searchRuleNotFound(uid: string): ApiError {
  return apiError("dynamic_search_rule_not_found", `Dynamic search rule \`${uid}\` not found.`);
}

export function chatNotFound(workspace: string): ApiError {
  return apiError("chat_not_found", `Chat \`${workspace}\` not found.`);
}

export function missingPayload(kind: string): ApiError {
  return apiError("missing_payload", `The request body is empty: ${kind} content is expected.`);
}

export function malformedPayload(kind: string, problem: string): ApiError {
  return apiError("malformed_payload", `The \`${kind}\` payload provided is malformed: ${problem}`);
}

export function missingContentType(accepted: readonly string[]): ApiError {
  return apiError(
    "missing_content_type",
    `The Content-Type header is missing. Accepted values for it are: ${accepted.map(quoted).join(", ")}`,
  );
}

export function invalidContentType(received: string, accepted: readonly string[]): ApiError {
  return apiError(
    "invalid_content_type",
    `The Content-Type \`${received}\` is invalid. Accepted values for it are: ${accepted.map(quoted).join(", ")}`,
  );
}

export function delimiterWithoutCsv(received: string): ApiError {
  return apiError(
    "invalid_content_type",
    `The Content-Type \`${received}\` does not support a csv delimiter. The csvDelimiter parameter goes only with \`text/csv\``,
  );
}

export function payloadTooLarge(limitBytes: number): ApiError {
  return apiError("payload_too_large", `The payload exceeds the limit of ${readableSize(limitBytes)}.`);
}

export function missingMasterKey(): ApiError {
  return apiError(
    "missing_master_key",
    "Key management is closed because the server runs without a master key. Set one with --master-key or MEILI_MASTER_KEY.",
  );
}

export function missingAuthorization(): ApiError {
  return apiError(
    "missing_authorization_header",
    "The Authorization header is missing. It must use the bearer authorization method.",
  );
}

export function invalidApiKey(reason = "The provided API key is invalid."): ApiError {
  return apiError("invalid_api_key", reason);
}

export function tooManySearches(queueSize: number): ApiError {
  return apiError(
    "too_many_search_requests",
    `Too many search requests wait already: the limit is ${queueSize}. Retry after 10s.`,
  );
}

export function missingTaskFilters(): ApiError {
  return apiError(
    "missing_task_filters",
    "At least one of the query parameters `uids`, `batchUids`, `indexUids`, `statuses`, `types`, `canceledBy`, `beforeEnqueuedAt`, " +
      "`afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, `beforeFinishedAt`, `afterFinishedAt` is required.",
  );
}

/** Binary units when the count is a whole number of KiB, decimal ones otherwise: 100_000_000 reads `100 MB`. */
export function readableSize(bytes: number): string {
  const binary = bytes >= 1024 && bytes % 1024 === 0;
  const base = binary ? 1024 : 1000;
  const units = binary ? ["B", "KiB", "MiB", "GiB", "TiB"] : ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let amount = bytes;
  while (amount >= base && unit < units.length - 1) {
    amount /= base;
    unit++;
  }
  return `${Number(amount.toFixed(2))} ${units[unit]}`;
}

function quoted(text: string): string {
  return `\`${text}\``;
}
