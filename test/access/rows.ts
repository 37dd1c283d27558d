/**
 * Who may use which route, written down by hand and apart from the server's own table: a route that nobody has thought about
 * has no row here, and the harness fails.
 *
 *   open      everybody
 *   master    the master key, and keys with every action on all indexes and without an end
 *   index     keys with the action, on the index in the path
 *   every     keys with the action, on all indexes
 *   narrowed  keys with the action, on any index; what is answered or done is limited to theirs
 */
type Reach = "open" | "master" | "index" | "every" | "narrowed";

export interface Row {
  reach: Reach;
  /** All of them are needed. */
  actions: readonly string[];
}

const row = (reach: Reach, ...actions: string[]): Row => ({ reach, actions });

const INDEX = "/indexes/{index_uid}";
const DOCUMENTS = `${INDEX}/documents`;
const WORKSPACE = "/chats/{workspace_uid}";
const RULES = "/dynamic-search-rules";

const ROWS: Record<string, Row> = {
  "GET /": row("open"),
  "GET /page/{file}": row("open"),
  "GET /docs": row("open"),
  "GET /docs/{file}": row("open"),
  "GET /docs/{folder}/{file}": row("open"),
  "GET /health": row("open"),
  "GET /openapi.json": row("every", "version"),
  "GET /version": row("every", "version"),
  "GET /stats": row("narrowed", "stats.get"),
  "GET /metrics": row("every", "metrics.get"),
  "GET /telemetry": row("every", "*"),

  "GET /analytics/{index_uid}/queries": row("index", "analytics.get"),
  "GET /analytics/{index_uid}/no-hits": row("index", "analytics.get"),
  "GET /analytics/{index_uid}/slow": row("index", "analytics.get"),
  "GET /analytics/{index_uid}/clicks": row("index", "analytics.get"),
  "GET /analytics/{index_uid}/days": row("index", "analytics.get"),
  "POST /events": row("narrowed", "analytics.add"),

  "GET /indexes": row("narrowed", "indexes.get"),
  "POST /indexes": row("narrowed", "indexes.create"),
  "POST /swap-indexes": row("narrowed", "indexes.swap"),
  [`GET ${INDEX}`]: row("index", "indexes.get"),
  [`PATCH ${INDEX}`]: row("index", "indexes.update"),
  [`DELETE ${INDEX}`]: row("index", "indexes.delete"),
  [`GET ${INDEX}/stats`]: row("index", "stats.get"),
  [`POST ${INDEX}/fields`]: row("index", "fields.post"),
  [`POST ${INDEX}/compact`]: row("index", "indexes.compact"),

  [`GET ${DOCUMENTS}`]: row("index", "documents.get"),
  [`POST ${DOCUMENTS}/fetch`]: row("index", "documents.get"),
  [`GET ${DOCUMENTS}/{document_id}`]: row("index", "documents.get"),
  [`POST ${DOCUMENTS}`]: row("index", "documents.add"),
  [`PUT ${DOCUMENTS}`]: row("index", "documents.add"),
  [`DELETE ${DOCUMENTS}`]: row("index", "documents.delete"),
  [`DELETE ${DOCUMENTS}/{document_id}`]: row("index", "documents.delete"),
  [`POST ${DOCUMENTS}/delete`]: row("index", "documents.delete"),
  [`POST ${DOCUMENTS}/delete-batch`]: row("index", "documents.delete"),
  [`POST ${DOCUMENTS}/edit`]: row("index", "documents.*"),

  [`GET ${INDEX}/search`]: row("index", "search"),
  [`POST ${INDEX}/search`]: row("index", "search"),
  [`POST ${INDEX}/facet-search`]: row("index", "search"),
  [`GET ${INDEX}/similar`]: row("index", "search"),
  [`POST ${INDEX}/similar`]: row("index", "search"),
  "POST /multi-search": row("narrowed", "search"),
  "POST /render-template": row("narrowed", "settings.get", "documents.get"),

  "GET /tasks": row("narrowed", "tasks.get"),
  "GET /tasks/stream": row("narrowed", "tasks.get"),
  "GET /batches/stream": row("narrowed", "tasks.get"),
  "GET /tasks/{task_id}": row("narrowed", "tasks.get"),
  "GET /tasks/{task_id}/documents": row("narrowed", "tasks.get"),
  "GET /batches": row("narrowed", "tasks.get"),
  "GET /batches/{batch_id}": row("narrowed", "tasks.get"),
  "DELETE /tasks": row("narrowed", "tasks.delete"),
  "POST /tasks/cancel": row("narrowed", "tasks.cancel"),
  "POST /tasks/compact": row("every", "tasks.compact"),

  "GET /keys": row("master"),
  "POST /keys": row("master"),
  "GET /keys/{key}": row("master"),
  "PATCH /keys/{key}": row("master"),
  "DELETE /keys/{key}": row("master"),

  "POST /dumps": row("every", "dumps.create"),
  "POST /snapshots": row("every", "snapshots.create"),
  "POST /export": row("every", "export"),
  "POST /logs/stream": row("every", "metrics.get"),
  "DELETE /logs/stream": row("every", "metrics.get"),
  "POST /logs/stderr": row("every", "metrics.get"),
  "GET /experimental-features": row("every", "experimental.get"),
  "PATCH /experimental-features": row("every", "experimental.update"),
  "GET /network": row("every", "network.get"),
  "PATCH /network": row("every", "network.update"),
  "POST /network/control": row("every", "network.update"),
  "GET /webhooks": row("every", "webhooks.get"),
  "POST /webhooks": row("every", "webhooks.create"),
  "GET /webhooks/{uuid}": row("every", "webhooks.get"),
  "PATCH /webhooks/{uuid}": row("every", "webhooks.update"),
  "DELETE /webhooks/{uuid}": row("every", "webhooks.delete"),

  "GET /chats": row("every", "chats.get"),
  [`GET ${WORKSPACE}`]: row("every", "chats.get"),
  [`DELETE ${WORKSPACE}`]: row("every", "chats.delete"),
  [`GET ${WORKSPACE}/settings`]: row("every", "chatsSettings.get"),
  [`PATCH ${WORKSPACE}/settings`]: row("every", "chatsSettings.update"),
  [`DELETE ${WORKSPACE}/settings`]: row("every", "chatsSettings.update"),
  [`POST ${WORKSPACE}/chat/completions`]: row("narrowed", "chatCompletions"),

  [`POST ${RULES}`]: row("every", "dynamicSearchRules.get"),
  [`DELETE ${RULES}`]: row("every", "dynamicSearchRules.delete"),
  [`GET ${RULES}/{uid}`]: row("every", "dynamicSearchRules.get"),
  [`PATCH ${RULES}/{uid}`]: row("every", "dynamicSearchRules.update"),
  [`DELETE ${RULES}/{uid}`]: row("every", "dynamicSearchRules.delete"),
};

/** The settings are one family: each of them is read and written alike. */
const SETTINGS = /^(GET|PUT|PATCH|DELETE) \/indexes\/\{index_uid\}\/settings(?:\/[a-z-]+)?$/;

/** Null for a route that nobody has thought about. */
export function rowOf(method: string, path: string): Row | null {
  const name = `${method} ${path}`;
  if (SETTINGS.test(name)) return row("index", method === "GET" ? "settings.get" : "settings.update");
  return Object.hasOwn(ROWS, name) ? ROWS[name]! : null;
}

export const ROW_NAMES: readonly string[] = Object.keys(ROWS);
