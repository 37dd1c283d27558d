/** What clients may ask about API keys: create, change, list. Parsing only; who may ask is decided by authorization. */

import { apiError } from "../errors/errors.ts";
import { limits } from "../limits.ts";
import { readExpiration } from "../time/dates.ts";
import type { Micros } from "../time/time.ts";
import { isGlobalAction, KEY_ACTIONS } from "./actions.ts";
import { isIndexPattern, readUuid } from "./names.ts";
import { countParam, readQuery } from "./query.ts";
import { choice, either, list, nothing, object, orNull, resettable, text } from "./schema.ts";
import { type Place, validate } from "./validate.ts";

interface NewKey {
  name: string | null;
  description: string | null;
  /** Null asks for a random one. */
  uid: string | null;
  actions: string[];
  indexes: string[];
  expiresAt: Micros | null;
}

const name = text({ code: "invalid_api_key_name" });
const description = text({ code: "invalid_api_key_description" });

export const createKeySchema = object({
  name: orNull(name),
  description: orNull(description),
  uid: orNull(text({ code: "invalid_api_key_uid", check: checkUuid })),
  actions: list(choice(KEY_ACTIONS), { code: "invalid_api_key_actions", missing: "missing_api_key_actions" }),
  indexes: list(text({ check: checkPattern }), {
    code: "invalid_api_key_indexes",
    missing: "missing_api_key_indexes",
  }),
  expiresAt: either([text({ check: checkExpiration }), nothing()], {
    code: "invalid_api_key_expires_at",
    missing: "missing_api_key_expires_at",
  }),
});

export function parseCreateKey(body: unknown): NewKey {
  const key = validate(createKeySchema, body);
  const global = key.indexes.includes("*") ? undefined : key.actions.find(isGlobalAction);
  if (global !== undefined) {
    throw apiError(
      "index_scoped_api_key_with_global_action",
      `The action \`${global}\` concerns the whole server and cannot be given to a key restricted to some indexes.`,
    );
  }
  return {
    ...key,
    uid: key.uid === null ? null : readUuid(key.uid),
    expiresAt: key.expiresAt === null ? null : readExpiration(key.expiresAt),
  };
}

export const patchKeySchema = object(
  { description: resettable(description), name: resettable(name) },
  {
    immutable: {
      uid: "immutable_api_key_uid",
      actions: "immutable_api_key_actions",
      indexes: "immutable_api_key_indexes",
      expiresAt: "immutable_api_key_expires_at",
      createdAt: "immutable_api_key_created_at",
      updatedAt: "immutable_api_key_updated_at",
    },
  },
);

/** Absent keeps, null clears. */
export function parsePatchKey(body: unknown): { name?: string | null; description?: string | null } {
  return validate(patchKeySchema, body);
}

export const keyListParams = {
  offset: countParam("invalid_api_key_offset"),
  limit: countParam("invalid_api_key_limit", limits.pageItems),
};

export function parseKeyList(query: string): { offset: number; limit: number } {
  return readQuery(query, keyListParams);
}

function checkUuid(uid: string, at: Place): void {
  if (readUuid(uid) === null) at.refuse(`\`${uid}\` is not a valid UUID.`);
}

function checkPattern(pattern: string, at: Place): void {
  if (!isIndexPattern(pattern)) {
    at.refuse(
      `\`${pattern}\` is not a valid index uid pattern. It can hold only alphanumeric characters, hyphens (-) and underscores (_), and optionally end with a star (*).`,
    );
  }
}

function checkExpiration(date: string, at: Place): void {
  const expiration = readExpiration(date);
  if (expiration === null) {
    at.refuse(
      `\`${date}\` is not a valid date. It should follow the RFC 3339 format to represent a date or datetime in the future, or be null. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.`,
    );
  } else if (expiration <= Date.now() * 1000) {
    at.refuse(`\`${date}\` is not a valid date: it must be in the future.`);
  }
}
