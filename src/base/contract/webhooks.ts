/** What clients may ask of webhooks: create and change. Parsing only; merging and delivering happen elsewhere. */

import { apiError } from "../errors/errors.ts";
import type { JsonObject } from "../json/value.ts";
import { limits } from "../limits.ts";
import { checkUrl } from "./address.ts";
import { readUuid } from "./names.ts";
import { dictionary, either, nothing, object, optional, resettable, text } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, blanks and tabs; other bytes as HTTP allows them, but never a line break. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const url = text({ code: "invalid_webhook_url", missing: "invalid_webhook_url", check: checkUrl });
const headers = dictionary(either([text(), nothing()]), { code: "invalid_webhook_headers", check: checkHeaders });
const immutable = {
  uuid: "immutable_webhook_uuid",
  isEditable: "immutable_webhook_is_editable",
} as const;

export const createWebhookSchema = object({ url, headers: resettable(headers) }, { immutable });
export const patchWebhookSchema = object({ url: optional(url), headers: resettable(headers) }, { immutable });

export interface WebhookChange {
  url?: string;
  /** Null clears all; a null value removes that header. */
  headers?: Record<string, string | null> | null;
}

export function parseCreateWebhook(body: unknown): WebhookChange & { url: string } {
  return validate(createWebhookSchema, body);
}

export function parsePatchWebhook(body: unknown): WebhookChange {
  return validate(patchWebhookSchema, body);
}

/** The uuid of a path. */
export function parseWebhookUuid(path: string): string {
  const uuid = readUuid(path);
  if (uuid === null) throw apiError("invalid_webhook_uuid", `\`${path}\` is not a valid UUID.`);
  return uuid;
}

function checkHeaders(value: JsonObject, at: Place): void {
  const entries = Object.entries(value);
  if (entries.length > limits.webhookHeaders)
    at.refuse(`too many headers, at most ${limits.webhookHeaders} are accepted.`);
  for (const [name, content] of entries) {
    if (!HEADER_NAME.test(name)) at.refuse(`\`${name}\` is not a valid header name.`);
    if (typeof content === "string" && !HEADER_VALUE.test(content))
      at.refuse(`the value of the header \`${name}\` is not valid.`);
  }
}
