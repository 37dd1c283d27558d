/**
 * The shapes of answers, for the OpenAPI document. Descriptions only: answers are built where they are known, and
 * nothing validates them at run time.
 */

import { KEY_ACTIONS } from "./actions.ts";
import { FEATURE_NAMES } from "./features.ts";
import {
  anyObject,
  anything,
  choice,
  count,
  decimal,
  dictionary,
  either,
  flag,
  list,
  nothing,
  object,
  optional,
  type Schema,
  text,
  texts,
} from "./schema.ts";
import { TASK_STATUSES, TASK_TYPES, taskTypeName } from "./task.ts";

const orNothing = (schema: Schema) => either([schema, nothing()]);
const date = () => text({ description: "RFC 3339, UTC" });
const enabled = () => object({ enabled: flag() });
const hits = () => list(hit);
const facetStats = () => dictionary(object({ min: decimal(), max: decimal() }));
const facetCounts = () => dictionary(dictionary(count()));
const size = () => either([count(), text()]);

const pageOf = (item: Schema) => ({ results: list(item), offset: count(), limit: count(), total: count() });
export const page = (item: Schema) => object(pageOf(item));

export const error = object({
  message: text(),
  code: text(),
  type: choice(["invalid_request", "internal", "auth", "system"]),
  link: text(),
});

export const taskSummary = object({
  taskUid: count(),
  indexUid: orNothing(text()),
  status: choice(["enqueued"]),
  type: choice(TASK_TYPES.map(taskTypeName)),
  enqueuedAt: date(),
  customMetadata: optional(text()),
});

export const task = object({
  uid: count(),
  batchUid: orNothing(count()),
  indexUid: orNothing(text()),
  status: choice([...TASK_STATUSES]),
  type: choice(TASK_TYPES.map(taskTypeName)),
  canceledBy: orNothing(count()),
  details: orNothing(anyObject()),
  error: orNothing(error),
  duration: orNothing(text({ description: "ISO 8601" })),
  enqueuedAt: date(),
  startedAt: orNothing(date()),
  finishedAt: orNothing(date()),
  customMetadata: optional(text()),
});

export const batch = object({
  uid: count(),
  progress: orNothing(
    object({
      steps: list(object({ currentStep: text(), finished: count(), total: count() })),
      percentage: decimal(),
    }),
  ),
  details: anyObject(),
  stats: object({
    totalNbTasks: count(),
    status: dictionary(count()),
    types: dictionary(count()),
    indexUids: dictionary(count()),
    progressTrace: optional(dictionary(text())),
    writeChannelCongestion: optional(
      object({ attempts: count(), blocking_attempts: count(), blocking_ratio: decimal() }),
    ),
    internalDatabaseSizes: optional(dictionary(text())),
    embedderRequests: optional(object({ total: count(), failed: count(), lastError: optional(text()) })),
  }),
  duration: orNothing(text()),
  startedAt: date(),
  finishedAt: orNothing(date()),
  batchStrategy: text(),
});

export const taskPage = (item: Schema) =>
  object({
    results: list(item),
    total: count(),
    limit: count(),
    from: orNothing(count()),
    next: orNothing(count()),
  });

export const index = object({
  uid: text(),
  createdAt: date(),
  updatedAt: date(),
  primaryKey: orNothing(text()),
});

export const field = object({
  name: text(),
  displayed: enabled(),
  searchable: enabled(),
  sortable: enabled(),
  distinct: enabled(),
  rankingRule: object({ enabled: flag(), order: optional(choice(["asc", "desc"])) }),
  filterable: object({
    enabled: flag(),
    sortBy: choice(["alpha", "count"]),
    facetSearch: flag(),
    equality: flag(),
    comparison: flag(),
  }),
  localized: object({ locales: texts() }),
});

export const indexStats = object({
  numberOfDocuments: count(),
  rawDocumentDbSize: size(),
  avgDocumentSize: size(),
  isIndexing: flag(),
  internalDatabaseSizes: optional(dictionary(size())),
  numberOfEmbeddings: optional(count()),
  numberOfEmbeddedDocuments: optional(count()),
  fieldDistribution: dictionary(count()),
});

export const stats = object({
  databaseSize: size(),
  usedDatabaseSize: size(),
  lastUpdate: orNothing(date()),
  indexes: dictionary(indexStats),
});

export const key = object({
  name: orNothing(text()),
  description: orNothing(text()),
  key: text(),
  uid: text(),
  actions: list(choice(KEY_ACTIONS)),
  indexes: texts(),
  expiresAt: orNothing(date()),
  createdAt: date(),
  updatedAt: date(),
});

export const features = object(Object.fromEntries(FEATURE_NAMES.map((name) => [name, flag()])));
export const telemetry = object({
  isCollected: flag(),
  sentTo: orNothing(text()),
  batch: orNothing(anyObject()),
  lastBatch: orNothing(anyObject()),
});
const counted = { count: count(), countError: count() };
const average = () => orNothing(decimal());
const insightRows = (row: Schema) =>
  object({ indexUid: text(), from: text(), to: text(), limit: count(), results: list(row) });
export const insight = {
  queries: insightRows(
    object({ query: text(), ...counted, averageTimeMs: average(), clicks: count(), clickThroughRate: average() }),
  ),
  noHits: insightRows(object({ query: text(), ...counted })),
  slow: insightRows(object({ query: text(), slowestTimeMs: decimal(), averageTimeMs: average(), count: count() })),
  clicks: insightRows(object({ query: text(), documentId: text(), ...counted, averagePosition: average() })),
  days: insightRows(
    object({
      day: text(),
      searches: count(),
      searchesWithoutHits: count(),
      averageTimeMs: average(),
      slowestTimeMs: decimal(),
      clicks: count(),
      clickThroughRate: average(),
    }),
  ),
};
export const health = object({ status: choice(["available"]) });
export const version = object({ commitSha: text(), commitDate: text(), pkgVersion: text() });
export const document = anyObject({ description: "A document" });

const matches = list(object({ start: count(), length: count(), indices: optional(list(count())) }));

const hit: Schema = object(
  {
    _formatted: optional(anyObject()),
    _matchesPosition: optional(dictionary(matches)),
    _rankingScore: optional(decimal()),
    _rankingScoreDetails: optional(anyObject()),
    _geoDistance: optional(count()),
    _vectors: optional(anyObject()),
    _federation: optional(anyObject()),
  },
  { ignoreUnknown: true, description: "A document with what was asked about its match" },
);

/** Either an offset with an estimate, or a page with exact totals. */
const totals = {
  limit: optional(count()),
  offset: optional(count()),
  estimatedTotalHits: optional(count()),
  hitsPerPage: optional(count()),
  page: optional(count()),
  totalPages: optional(count()),
  totalHits: optional(count()),
};

/** Of this server, or of several. */
export const documents = object({ ...pageOf(document), remoteErrors: optional(dictionary(error)) });

const searchAnswer = {
  hits: hits(),
  query: text(),
  queryVector: optional(list(decimal())),
  processingTimeMs: count(),
  ...totals,
  facetDistribution: optional(facetCounts()),
  facetStats: optional(facetStats()),
  requestUid: optional(text()),
  metadata: optional(anyObject()),
  performanceDetails: optional(anyObject()),
  remoteErrors: optional(dictionary(error)),
  semanticHitCount: optional(count()),
};

export const search = object(searchAnswer);

export const federatedSearch = object({
  hits: hits(),
  queryVectors: optional(dictionary(list(decimal()))),
  processingTimeMs: count(),
  ...totals,
  facetDistribution: optional(facetCounts()),
  facetStats: optional(facetStats()),
  facetsByIndex: optional(dictionary(object({ distribution: facetCounts(), stats: facetStats() }))),
  requestUid: optional(text()),
  metadata: optional(list(anyObject())),
  remoteErrors: optional(dictionary(error)),
  semanticHitCount: optional(count()),
  performanceDetails: optional(anyObject()),
});

export const multiSearch = either([
  object({ results: list(object({ indexUid: text(), ...searchAnswer })) }),
  federatedSearch,
]);

export const facetSearch = object({
  facetHits: list(object({ value: text(), count: count() })),
  facetQuery: orNothing(text()),
  processingTimeMs: count(),
  remoteErrors: optional(dictionary(error)),
});

export const similar = object({
  hits: hits(),
  id: text(),
  processingTimeMs: count(),
  limit: count(),
  offset: count(),
  estimatedTotalHits: count(),
  performanceDetails: optional(anyObject()),
});

export const webhook = object({ uuid: text(), isEditable: flag(), url: text(), headers: dictionary(text()) });
export const webhooks = object({ results: list(webhook) });

export const network = object({
  self: orNothing(text()),
  remotes: dictionary(
    object({ url: text(), searchApiKey: orNothing(text()), writeApiKey: orNothing(text()), status: text() }),
  ),
  shards: dictionary(object({ remotes: texts() })),
  leader: orNothing(text()),
  version: text(),
});

export const chatWorkspace = object({ uid: text() });
export const rendered = object({ template: anything(), rendered: anything() });

export const compaction = object({
  status: choice(["succeeded", "failed"]),
  preSize: optional(text()),
  postSize: optional(text()),
  actionRequired: optional(text()),
  errorMessage: optional(text()),
});
