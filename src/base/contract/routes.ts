/**
 * Every route of the interface as data: what it takes and what it gives back. Feeds the OpenAPI document; the server's
 * own table of handlers lives with the front.
 */
import * as answers from "./answers.ts";
import * as chats from "./chats.ts";
import * as documents from "./documents.ts";
import type { FeatureName } from "./features.ts";
import * as indexes from "./indexes.ts";
import { eventSchema, insightParams } from "./insight.ts";
import * as instance from "./instance.ts";
import * as keys from "./keys.ts";
import { multiSearchSchema } from "./multi-search.ts";
import { networkSchema } from "./network.ts";
import type { Param } from "./query.ts";
import { renderSchema } from "./render.ts";
import { anyObject, anything, list, object, orNull, type Schema } from "./schema.ts";
import { facetSearchSchema, searchParams, searchSchema } from "./search.ts";
import { searchRuleListSchema, searchRuleSchema } from "./search-rules.ts";
import { SETTING_ROUTES, settingSchemas, settingsSchema } from "./settings.ts";
import { similarParams, similarSchema } from "./similar.ts";
import { taskFilterParams, taskListParams } from "./tasks.ts";
import { createWebhookSchema, patchWebhookSchema } from "./webhooks.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  method: Method;
  path: string;
  summary: string;
  /** What a key must be allowed to do, all of several; null for the open routes. */
  action: string | readonly string[] | null;
  status: number;
  query?: Record<string, Param<unknown>>;
  body?: Schema;
  /** Media types of the body, when JSON is not the only one. */
  bodyTypes?: readonly string[];
  /** Absent for an answer without a body. */
  answer?: Schema;
  /** Media types of the answer, when JSON is not the only one. */
  answerTypes?: readonly string[];
  feature?: FeatureName;
  /** Whether it enqueues a task, for which the client may want to wait. */
  makesTask?: boolean;
}

type Extras = Omit<Route, "method" | "path" | "summary" | "action" | "status"> & { status?: number };

/** Answers at once. */
function now(method: Method, path: string, action: Route["action"], summary: string, extras: Extras = {}): Route {
  return { method, path, action, summary, status: extras.answer === undefined ? 204 : 200, ...extras };
}

/** Enqueues a task and answers with its summary. */
function later(method: Method, path: string, action: string, summary: string, extras: Extras = {}): Route {
  return { method, path, action, summary, status: 202, answer: answers.taskSummary, makesTask: true, ...extras };
}

/** What is known of the searches of an index. */
function counted(name: string, summary: string, answer: Schema): Route {
  return now("GET", `/analytics/{index_uid}/${name}`, "analytics.get", summary, { query: insightParams, answer });
}

const one = "/indexes/{index_uid}";
const docs = `${one}/documents`;
const documentTypes = ["application/json", "application/x-ndjson", "text/csv"];
const documentsBody = list(anyObject());
const noted = documents.metadataParams;
const followed: Extras = { query: taskFilterParams, answer: anything(), answerTypes: ["text/event-stream"] };
const rules = "/dynamic-search-rules";
const workspace = "/chats/{workspace_uid}";

const fixed: Route[] = [
  now("GET", "/", null, "Say that the server runs", {
    answer: anything(),
    answerTypes: ["text/html; charset=utf-8", "application/json"],
  }),
  now("GET", "/docs", null, "Show the documentation", {
    answer: anything(),
    answerTypes: ["text/html; charset=utf-8"],
  }),
  now("GET", "/health", null, "Tell whether the server is available", { answer: answers.health }),
  now("GET", "/version", "version", "Tell the version", { answer: answers.version }),
  now("GET", "/openapi.json", "version", "Describe the interface", { answer: anyObject() }),
  now("GET", "/stats", "stats.get", "Measure all indexes", { query: indexes.statsParams, answer: answers.stats }),

  now("GET", "/indexes", "indexes.get", "List indexes", {
    query: indexes.indexListParams,
    answer: answers.page(answers.index),
  }),
  later("POST", "/indexes", "indexes.create", "Create an index", { body: indexes.createIndexSchema }),
  now("GET", one, "indexes.get", "Show an index", { answer: answers.index }),
  later("PATCH", one, "indexes.update", "Set the primary key or rename", { body: indexes.updateIndexSchema }),
  later("DELETE", one, "indexes.delete", "Delete an index"),
  later("POST", "/swap-indexes", "indexes.swap", "Exchange indexes", { body: indexes.swapIndexesSchema }),
  now("GET", `${one}/stats`, "stats.get", "Measure an index", {
    query: indexes.statsParams,
    answer: answers.indexStats,
  }),
  now("POST", `${one}/fields`, "fields.post", "List the fields of an index", {
    body: indexes.indexFieldsSchema,
    answer: answers.page(answers.field),
  }),
  later("POST", `${one}/compact`, "indexes.compact", "Give back unused space"),

  now("GET", docs, "documents.get", "List documents", {
    query: documents.documentsParams,
    answer: answers.documents,
  }),
  now("POST", `${docs}/fetch`, "documents.get", "List documents", {
    body: documents.fetchDocumentsSchema,
    answer: answers.documents,
  }),
  now("GET", `${docs}/{document_id}`, "documents.get", "Show a document", {
    query: documents.documentParams,
    answer: answers.document,
  }),
  later("POST", docs, "documents.add", "Add or replace documents", {
    query: documents.documentsWriteParams,
    body: documentsBody,
    bodyTypes: documentTypes,
  }),
  later("PUT", docs, "documents.add", "Add or update documents", {
    query: documents.documentsWriteParams,
    body: documentsBody,
    bodyTypes: documentTypes,
  }),
  later("DELETE", docs, "documents.delete", "Delete all documents", { query: noted }),
  later("DELETE", `${docs}/{document_id}`, "documents.delete", "Delete a document", { query: noted }),
  later("POST", `${docs}/delete`, "documents.delete", "Delete documents by filter", {
    query: noted,
    body: documents.deleteByFilterSchema,
  }),
  later("POST", `${docs}/delete-batch`, "documents.delete", "Delete documents by id", {
    query: noted,
    body: documents.deleteBatchSchema,
  }),
  later("POST", `${docs}/edit`, "documents.*", "Edit documents with a function", {
    query: noted,
    body: documents.editDocumentsSchema,
    feature: "editDocumentsByFunction",
  }),

  now("GET", `${one}/search`, "search", "Search", { query: searchParams, answer: answers.search }),
  now("POST", `${one}/search`, "search", "Search", { body: searchSchema, answer: answers.search }),
  now("POST", `${one}/facet-search`, "search", "Search the values of a facet", {
    body: facetSearchSchema,
    answer: answers.facetSearch,
  }),
  now("GET", `${one}/similar`, "search", "Find similar documents", { query: similarParams, answer: answers.similar }),
  now("POST", `${one}/similar`, "search", "Find similar documents", { body: similarSchema, answer: answers.similar }),
  now("POST", "/multi-search", "search", "Search several times at once", {
    body: multiSearchSchema,
    answer: answers.multiSearch,
  }),

  now("GET", "/tasks", "tasks.get", "List tasks", { query: taskListParams, answer: answers.taskPage(answers.task) }),
  later("DELETE", "/tasks", "tasks.delete", "Delete finished tasks", { query: taskFilterParams, status: 200 }),
  later("POST", "/tasks/cancel", "tasks.cancel", "Cancel tasks", { query: taskFilterParams, status: 200 }),
  now("POST", "/tasks/compact", "tasks.compact", "Give back unused space of the task queue", {
    answer: answers.compaction,
    feature: "taskQueueCompactionRoute",
  }),
  now("GET", "/tasks/stream", "tasks.get", "Follow tasks", followed),
  now("GET", "/tasks/{task_id}", "tasks.get", "Show a task", { answer: answers.task }),
  now("GET", "/tasks/{task_id}/documents", "tasks.get", "Show the documents of a task that is not finished", {
    answer: anything(),
    answerTypes: ["application/x-ndjson"],
    feature: "getTaskDocumentsRoute",
  }),
  now("GET", "/batches", "tasks.get", "List batches", {
    query: taskListParams,
    answer: answers.taskPage(answers.batch),
  }),
  now("GET", "/batches/stream", "tasks.get", "Follow batches", followed),
  now("GET", "/batches/{batch_id}", "tasks.get", "Show a batch", { answer: answers.batch }),

  now("GET", "/keys", "keys.get", "List keys", { query: keys.keyListParams, answer: answers.page(answers.key) }),
  now("POST", "/keys", "keys.create", "Create a key", { body: keys.createKeySchema, answer: answers.key, status: 201 }),
  now("GET", "/keys/{key}", "keys.get", "Show a key", { answer: answers.key }),
  now("PATCH", "/keys/{key}", "keys.update", "Describe a key anew", { body: keys.patchKeySchema, answer: answers.key }),
  now("DELETE", "/keys/{key}", "keys.delete", "Delete a key"),

  later("POST", "/dumps", "dumps.create", "Write a dump"),
  later("POST", "/snapshots", "snapshots.create", "Write a snapshot"),
  now("GET", "/metrics", "metrics.get", "Show metrics", {
    answer: anything(),
    answerTypes: ["text/plain; version=0.0.4"],
    feature: "metrics",
  }),
  now("GET", "/telemetry", "*", "Show the usage data that is collected", { answer: answers.telemetry }),
  counted("queries", "Show the most frequent queries", answers.insight.queries),
  counted("no-hits", "Show queries that found nothing", answers.insight.noHits),
  counted("slow", "Show the slowest queries", answers.insight.slow),
  counted("clicks", "Show the documents that were clicked", answers.insight.clicks),
  counted("days", "Count searches and clicks day by day", answers.insight.days),
  now("POST", "/events", "analytics.add", "Count a click on a hit", { body: eventSchema, status: 204 }),
  now("POST", "/logs/stream", "metrics.get", "Follow the log", {
    body: instance.logStreamSchema,
    answer: anything(),
    answerTypes: ["application/octet-stream"],
    feature: "logsRoute",
  }),
  now("DELETE", "/logs/stream", "metrics.get", "End the stream of the log", { feature: "logsRoute" }),
  now("POST", "/logs/stderr", "metrics.get", "Set what the console logs", {
    body: instance.logLevelSchema,
    feature: "logsRoute",
  }),
  now("GET", "/experimental-features", "experimental.get", "List experimental features", { answer: answers.features }),
  now("PATCH", "/experimental-features", "experimental.update", "Switch experimental features", {
    body: instance.featuresSchema,
    answer: answers.features,
  }),
  later("POST", "/export", "export", "Send indexes to another server", { body: instance.exportSchema, status: 200 }),

  now("GET", "/network", "network.get", "Show the network", { answer: answers.network, feature: "network" }),
  now("PATCH", "/network", "network.update", "Change the network", {
    body: networkSchema,
    answer: answers.network,
    feature: "network",
  }),
  now("POST", "/network/control", "network.update", "Steer a change of topology (not in this edition)", {
    body: anyObject(),
    answer: anyObject(),
    feature: "network",
  }),
  now("GET", "/webhooks", "webhooks.get", "List webhooks", { answer: answers.webhooks }),
  now("POST", "/webhooks", "webhooks.create", "Create a webhook", {
    body: createWebhookSchema,
    answer: answers.webhook,
    status: 201,
  }),
  now("GET", "/webhooks/{uuid}", "webhooks.get", "Show a webhook", { answer: answers.webhook }),
  now("PATCH", "/webhooks/{uuid}", "webhooks.update", "Change a webhook", {
    body: patchWebhookSchema,
    answer: answers.webhook,
  }),
  now("DELETE", "/webhooks/{uuid}", "webhooks.delete", "Delete a webhook"),
];

const chat: Route[] = [
  now("GET", "/chats", "chats.get", "List chat workspaces", {
    query: chats.chatListParams,
    answer: answers.page(answers.chatWorkspace),
  }),
  now("GET", workspace, "chats.get", "Show a chat workspace", { answer: answers.chatWorkspace }),
  now("DELETE", workspace, "chats.delete", "Delete a chat workspace"),
  now("GET", `${workspace}/settings`, "chatsSettings.get", "Show the settings of a workspace", {
    answer: chats.chatWorkspaceSchema,
  }),
  now("PATCH", `${workspace}/settings`, "chatsSettings.update", "Change the settings of a workspace", {
    body: chats.chatWorkspaceSchema,
    answer: chats.chatWorkspaceSchema,
  }),
  now("DELETE", `${workspace}/settings`, "chatsSettings.update", "Reset the settings of a workspace", {
    answer: chats.chatWorkspaceSchema,
  }),
  now("POST", `${workspace}/chat/completions`, "chatCompletions", "Chat over the indexes", {
    body: object({ model: anything(), messages: list(anyObject()) }, { ignoreUnknown: true }),
    answer: anything(),
    answerTypes: ["text/event-stream"],
  }),
].map((route) => ({ ...route, feature: "chatCompletions" as const }));

const searchRules: Route[] = [
  now("POST", rules, "dynamicSearchRules.get", "List search rules", {
    body: searchRuleListSchema,
    answer: answers.page(searchRuleSchema),
  }),
  later("DELETE", rules, "dynamicSearchRules.delete", "Delete all search rules", { query: noted }),
  now("GET", `${rules}/{uid}`, "dynamicSearchRules.get", "Show a search rule", { answer: searchRuleSchema }),
  later("PATCH", `${rules}/{uid}`, "dynamicSearchRules.update", "Create or change a search rule", {
    query: noted,
    body: searchRuleSchema,
  }),
  later("DELETE", `${rules}/{uid}`, "dynamicSearchRules.delete", "Delete a search rule", { query: noted }),
].map((route) => ({ ...route, feature: "dynamicSearchRules" as const }));

const rendering = now("POST", "/render-template", ["settings.get", "documents.get"], "Render a template", {
  body: renderSchema,
  answer: answers.rendered,
  feature: "renderRoute",
});

function settingsRoutes(): Route[] {
  const whole = `${one}/settings`;
  const routes = [
    now("GET", whole, "settings.get", "Show all settings", { answer: settingsSchema }),
    later("PATCH", whole, "settings.update", "Change settings", { body: settingsSchema }),
    later("DELETE", whole, "settings.update", "Reset all settings"),
  ];
  for (const { name, segment, verbs } of SETTING_ROUTES) {
    const path = `${whole}/${segment}`;
    const schema = settingSchemas[name];
    routes.push(
      now("GET", path, "settings.get", `Show ${name}`, { answer: UNSET.has(name) ? orNull(schema) : schema }),
      ...verbs.map((verb) => later(verb, path, "settings.update", `Change ${name}`, { body: schema })),
      later("DELETE", path, "settings.update", `Reset ${name}`),
    );
  }
  return routes;
}

/** Settings that have no value until one is given. */
const UNSET: ReadonlySet<string> = new Set(["distinctAttribute", "searchCutoffMs"]);

export const ROUTES: readonly Route[] = [...fixed, ...settingsRoutes(), ...chat, ...searchRules, rendering];
