/**
 * The texts that name things: index uids, the patterns of keys, uuids. What is allowed in them, and the refusal.
 */

import { type ApiError, apiError, type ErrorCode } from "../errors/errors.ts";
import { limits } from "../limits.ts";

const UID = /^[A-Za-z0-9_-]+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UUID_COMPACT = /^[0-9a-f]{32}$/i;
const DOCUMENT_ID = /^[A-Za-z0-9_-]+$/;

export function isIndexUid(text: string): boolean {
  return UID.test(text) && text.length <= limits.indexUidBytes;
}

/** An index uid that may end in one `*`, or `*` alone. */
export function isIndexPattern(text: string): boolean {
  return text === "*" || isIndexUid(text.endsWith("*") ? text.slice(0, -1) : text);
}

/** Names documents by text; the server's own check of documents is beside their bytes. */
export function isDocumentIdText(text: string): boolean {
  return DOCUMENT_ID.test(text) && text.length <= limits.documentIdBytes;
}

/** The uuid in lower case with hyphens, or null. */
export function readUuid(text: string): string | null {
  if (UUID.test(text)) return text.toLowerCase();
  if (!UUID_COMPACT.test(text)) return null;
  const hex = text.toLowerCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export function indexUidReason(uid: string): string {
  return `\`${uid}\` is not a valid index uid. Index uid can be an integer or a string containing only alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 512 bytes.`;
}

function invalidIndexUid(uid: string, code: ErrorCode = "invalid_index_uid"): ApiError {
  return apiError(code, indexUidReason(uid));
}

/** The uid of a path, or a refusal. */
export function parseIndexUid(uid: string): string {
  if (!isIndexUid(uid)) throw invalidIndexUid(uid);
  return uid;
}
