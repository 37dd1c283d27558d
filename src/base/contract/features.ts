/**
 * Experimental features: their names, their defaults, and the refusal when one is off.
 * Who keeps the flags and which route asks is decided elsewhere.
 */
import { type ApiError, apiError } from "../errors/errors.ts";

/** In the order in which the interface shows them. */
export const FEATURE_NAMES = [
  "metrics",
  "logsRoute",
  "editDocumentsByFunction",
  "containsFilter",
  "dynamicSearchRules",
  "network",
  "getTaskDocumentsRoute",
  "taskQueueCompactionRoute",
  "compositeEmbedders",
  "chatCompletions",
  "multimodal",
  "foreignKeys",
  "disableDocumentsFetchQueue",
  "legacySearch",
  "renderRoute",
] as const;

export type FeatureName = (typeof FEATURE_NAMES)[number];
export type Features = Record<FeatureName, boolean>;

/** How messages name a feature, where that differs from its flag. */
const SPOKEN: Partial<Record<FeatureName, string>> = {
  logsRoute: "logs route",
  editDocumentsByFunction: "edit documents by function",
  containsFilter: "contains filter",
  dynamicSearchRules: "dynamic search rules",
  getTaskDocumentsRoute: "get task documents route",
  taskQueueCompactionRoute: "task queue compaction route",
  compositeEmbedders: "composite embedders",
  chatCompletions: "chat completions",
  foreignKeys: "foreign keys",
  disableDocumentsFetchQueue: "disable documents fetch queue",
  legacySearch: "legacy search",
  renderRoute: "render route",
};

const DISCUSSIONS = "https://github.com/orgs/meilisearch/discussions";

export function defaultFeatures(): Features {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [name, false])) as Features;
}

/** For what has been allowed before, when the flags are no question any more. */
export function everyFeature(): Features {
  return Object.fromEntries(FEATURE_NAMES.map((name) => [name, true])) as Features;
}

export function featureNotEnabled(name: FeatureName, action: string): ApiError {
  return apiError(
    "feature_not_enabled",
    `${action} requires enabling the \`${SPOKEN[name] ?? name}\` experimental feature. See ${DISCUSSIONS}`,
  );
}

/** `action` opens the message, e.g. "Using `CONTAINS` in a filter". */
export function requireFeature(features: Features, name: FeatureName, action: string): void {
  if (!features[name]) throw featureNotEnabled(name, action);
}
