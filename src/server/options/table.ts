/**
 * The options: what each is called, how it is read, what it is by default and what `--help` says of it, in one entry. The
 * type of `Options`, the environment, the configuration file and the reference follow from the entries.
 */
import { limits, MIB } from "../../base/limits.ts";
import { CLUSTER_TABLE } from "./cluster.ts";
import {
  capped,
  checkUrl,
  choice,
  count,
  flag,
  interval,
  list,
  type Option,
  parseAddress,
  path,
  size,
  text,
} from "./kinds.ts";
import { S3_TABLE } from "./s3.ts";

const SNAPSHOT_INTERVAL_S = 86_400;
const BATCH_BYTES_MAX = 10 * 1024 * MIB;

export const TABLE = {
  dbPath: path("db-path", "Directory of the data", { otherwise: "./data.ms" }),
  httpAddr: text("http-addr", "Address", { value: "host:port", otherwise: "localhost:7700", check: parseAddress }),
  masterKey: text("master-key", "Key that may do everything", { value: "key", secret: true }),
  env: choice("env", "development or production", ["development", "production"], {
    value: "env",
    otherwise: "development",
  }),
  noDashboard: flag("no-dashboard", "Do not serve the page for browsers at /, nor /docs"),
  noAnalytics: flag("no-analytics", "Do not collect usage data (GET /telemetry shows it)"),
  telemetryUrl: text("telemetry-url", "Where usage data is sent every hour", {
    value: "url",
    shown: "nowhere",
    check: checkUrl,
  }),
  analyticsLocal: flag(
    "analytics-local",
    "Count what is searched and clicked, on this machine only (GET /analytics shows it)",
  ),
  httpTransport: choice(
    "http-transport",
    "uws (uWebSockets.js), node (node:http) or auto: uws where it can be loaded",
    ["auto", "uws", "node"],
    { value: "transport", otherwise: "auto" },
  ),
  httpPayloadSizeLimit: size("http-payload-size-limit", "Largest request body, decoded", {
    otherwise: limits.payloadBytes,
  }),
  logLevel: choice(
    "log-level",
    "OFF, ERROR, WARN, INFO, DEBUG or TRACE",
    ["off", "error", "warn", "info", "debug", "trace"],
    { value: "level", otherwise: "info", shown: "INFO" },
  ),
  logsMode: choice("experimental-logs-mode", "HUMAN or JSON", ["human", "json"], {
    value: "form",
    otherwise: "human",
    shown: "HUMAN",
  }),
  dumpDir: path("dump-dir", "Where dumps are written", { otherwise: "dumps/" }),
  importDump: path("import-dump", "Start from a dump"),
  ignoreMissingDump: flag("ignore-missing-dump", "Start even if the dump is missing", { needs: "import-dump" }),
  ignoreDumpIfDbExists: flag("ignore-dump-if-db-exists", "Do not import the dump into existing data", {
    needs: "import-dump",
  }),
  snapshotDir: path("snapshot-dir", "Where snapshots are written", { otherwise: "snapshots/" }),
  scheduleSnapshot: interval("schedule-snapshot", "Take a snapshot regularly", SNAPSHOT_INTERVAL_S),
  importSnapshot: path("import-snapshot", "Start from a snapshot"),
  ignoreMissingSnapshot: flag("ignore-missing-snapshot", "Start even if the snapshot is missing", {
    needs: "import-snapshot",
  }),
  ignoreSnapshotIfDbExists: flag("ignore-snapshot-if-db-exists", "Do not import the snapshot into existing data", {
    needs: "import-snapshot",
  }),
  modelsDir: path("models-dir", "Where the models of huggingFace embedders lie", { otherwise: "models/" }),
  modelsDownload: flag(
    "models-download",
    "Download models that are not there from the hub (HF_ENDPOINT names another one); =false does not",
    { otherwise: true },
  ),
  maxIndexingMemory: size("max-indexing-memory", "Memory that indexing should stay below", {
    otherwise: (basis) => basis.memoryBytes,
    shown: "two thirds of what there is",
  }),
  maxIndexingThreads: count("max-indexing-threads", "Threads that build segments", {
    least: 1,
    otherwise: (basis) => basis.cores,
    shown: "the cores",
  }),
  readers: capped(
    count("readers", "Threads that answer searches", {
      least: 1,
      otherwise: (basis) => basis.cores,
      shown: "the cores",
    }),
    limits.readersMax,
  ),
  noWarmup: flag("no-warmup", "Do not use idle time after the start to make searches quicker"),
  memoryBudget: size("memory-budget", "Memory for the indexes", {
    otherwise: (basis) => basis.memoryBytes,
    shown: "two thirds of what there is",
  }),
  searchCacheSize: size("search-cache-size", "Memory for answers to searches that are asked again; 0 keeps none", {
    otherwise: limits.searchCacheBytes,
  }),
  vectorCellsFrom: count(
    "vector-cells-from",
    "Vectors in a segment from which on they are put into cells of near ones",
    { least: 1, shown: "where searches gain by it" },
  ),
  vectorGraphsFrom: count("vector-graphs-from", "Vectors in a segment from which on a graph of them is built", {
    least: 1,
    shown: "where searches gain by it",
  }),
  vectorGraphBuilder: choice(
    "vector-graph-builder",
    "own, or hnswlib (hnswlib-node, which `npm run hnswlib` compiles)",
    ["own", "hnswlib"],
    { value: "builder", otherwise: "own" },
  ),
  taskWebhookUrl: text("task-webhook-url", "Told of finished tasks", { value: "url" }),
  taskWebhookAuthorizationHeader: text("task-webhook-authorization-header", "Authorization sent to that address", {
    value: "header",
    secret: true,
  }),
  sslCertPath: path("ssl-cert-path", "Certificate chain (PEM): serve TLS", { needs: "ssl-key-path" }),
  sslKeyPath: path("ssl-key-path", "Private key (PEM)", { needs: "ssl-cert-path" }),
  sslAuthPath: path("ssl-auth-path", "Authorities (PEM) that client certificates are checked by", {
    needs: "ssl-cert-path",
  }),
  recover: flag("recover", "Keep what is whole of damaged data"),
  upgradeDb: flag("upgrade-db", "Upgrade the data of an older version"),
  containsFilter: flag("experimental-contains-filter", "Turn the containsFilter feature on"),
  enableMetrics: flag("experimental-enable-metrics", "Turn the metrics feature on"),
  enableLogsRoute: flag("experimental-enable-logs-route", "Turn the logsRoute feature on"),
  legacySearch: flag("experimental-legacy-search-default", "Default of the legacySearch feature", {
    env: "MEILI_EXPERIMENTAL_LEGACY_SEARCH",
  }),
  searchQueueSize: count("experimental-search-queue-size", "Searches that may wait", { least: 1, otherwise: 1000 }),
  dropSearchAfter: count("experimental-drop-search-after", "A search that waits longer is dropped", {
    value: "seconds",
    least: 1,
    otherwise: 60,
  }),
  maxBatchedTasks: count("experimental-max-number-of-batched-tasks", "Tasks in one batch", {
    least: 1,
    otherwise: Number.MAX_SAFE_INTEGER,
    shown: "no limit",
  }),
  batchedTasksTotalSize: size("experimental-limit-batched-tasks-total-size", "Payloads in one batch", {
    otherwise: (basis) => Math.min(Math.floor(basis.indexingBytes() / 2), BATCH_BYTES_MAX),
    shown: "half of the indexing memory, at most 10 GiB",
  }),
  embeddingCacheEntries: count("experimental-embedding-cache-entries", "Query embeddings kept in memory", {
    otherwise: 0,
  }),
  personalizationApiKey: text("experimental-personalization-api-key", "Key of the service that personalizes answers", {
    value: "key",
    secret: true,
  }),
  personalizationUrl: text("experimental-personalization-url", "Its address, any that reranks as Cohere does", {
    value: "url",
    shown: "Cohere's",
  }),
  personalizationModel: text("experimental-personalization-model", "Its model", {
    value: "name",
    shown: "rerank-v3.5",
  }),
  allowedIpNetworks: list(
    "experimental-allowed-ip-networks",
    "Private networks that outgoing calls may reach: CIDRs, or any",
    { value: "list", shown: "none" },
  ),
};

/** Options of other servers that change nothing here: what they ask for is always so, or has no sense. */
const WITHOUT_EFFECT: readonly Option[] = [
  flag("ssl-resumption", "Accepted; TLS sessions always resume"),
  flag("ssl-tickets", "Accepted; TLS tickets are always on"),
  count("experimental-nb-searches-per-core", "Accepted without effect: each reader answers one search at a time"),
  flag("experimental-reduce-indexing-memory-usage", "Accepted; indexing is bounded by --max-indexing-memory"),
  flag("experimental-no-edition-2024-for-settings", "Accepted without effect"),
];

const TLS = "the TLS layer of this server does not offer it";

/** Options that are known and cannot be had. */
const REFUSED: readonly Option[] = [
  { ...path("ssl-ocsp-path", ""), unavailable: TLS },
  { ...flag("ssl-require-auth", ""), unavailable: TLS },
];

export const OPTION_TABLE: readonly Option[] = [
  ...Object.values(TABLE),
  ...Object.values(S3_TABLE),
  ...Object.values(CLUSTER_TABLE),
  ...WITHOUT_EFFECT,
  ...REFUSED,
];
