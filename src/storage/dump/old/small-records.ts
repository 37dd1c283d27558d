/** The few records that an old dump can have: there were no features, webhooks, rules or chats then. */
import type { JsonObject } from "../../../base/json/value.ts";

import type { SmallRecords } from "../source.ts";

export function oldRecords(instanceUid: string | null, keys: JsonObject[]): SmallRecords {
  return { instanceUid, keys, features: {}, network: {}, webhooks: {}, rules: [], chats: new Map() };
}
