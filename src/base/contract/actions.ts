/** The actions a key may hold, in the order in which messages list them, and which of them are about no single index. */

export const ACTIONS = [
  "*",
  "search",
  "documents.*",
  "documents.add",
  "documents.get",
  "documents.delete",
  "indexes.*",
  "indexes.create",
  "indexes.get",
  "indexes.update",
  "indexes.delete",
  "indexes.swap",
  "tasks.*",
  "tasks.cancel",
  "tasks.delete",
  "tasks.get",
  "settings.*",
  "settings.get",
  "settings.update",
  "stats.*",
  "stats.get",
  "metrics.*",
  "metrics.get",
  "dumps.*",
  "dumps.create",
  "snapshots.*",
  "snapshots.create",
  "version",
  "keys.create",
  "keys.get",
  "keys.update",
  "keys.delete",
  "experimental.get",
  "experimental.update",
  "export",
  "network.get",
  "network.update",
  "chatCompletions",
  "chats.*",
  "chats.get",
  "chats.delete",
  "chatsSettings.*",
  "chatsSettings.get",
  "chatsSettings.update",
  "*.get",
  "webhooks.get",
  "webhooks.update",
  "webhooks.delete",
  "webhooks.create",
  "webhooks.*",
  "indexes.compact",
  "fields.post",
  "tasks.compact",
  "dynamicSearchRules.get",
  "dynamicSearchRules.create",
  "dynamicSearchRules.update",
  "dynamicSearchRules.delete",
  "dynamicSearchRules.*",
  "analytics.get",
  "analytics.add",
  "analytics.*",
] as const;

export type Action = (typeof ACTIONS)[number];

/** Two actions are written in two ways. */
const ACTION_SPELLINGS: Readonly<Record<string, Action>> = {
  "task.cancel": "tasks.cancel",
  "task.delete": "tasks.delete",
};

/** The action in the spelling that all servers of the interface know. */
export function commonAction(action: string): string {
  return Object.hasOwn(ACTION_SPELLINGS, action) ? ACTION_SPELLINGS[action]! : action;
}

/** What a key may be given. */
export const KEY_ACTIONS: readonly string[] = [...ACTIONS, ...Object.keys(ACTION_SPELLINGS)];

const GLOBAL_FAMILIES =
  /^(metrics|dumps|snapshots|keys|experimental|network|chats|chatsSettings|webhooks|dynamicSearchRules)\./;

/** True for an action that makes no sense for a key restricted to some indexes. */
export function isGlobalAction(action: string): boolean {
  return GLOBAL_FAMILIES.test(action) || action === "version" || action === "export" || action === "tasks.compact";
}
