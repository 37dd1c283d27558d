/** The options by name: what `--help` lists and what the environment and the configuration file may hold. Data only. */

interface Spec {
  /** By which `server/options/options.ts` reads it: that file says which type it has, and what it is when nobody gives it. */
  key: string;
  /** As on the command line; the environment and the file derive theirs from it. */
  name: string;
  kind: "text" | "path" | "size" | "count" | "choice" | "flag" | "interval";
  help: string;
  /** Placeholder of the value in `--help`. */
  value?: string;
  /** Where the name of the environment variable does not follow the rule. */
  env?: string;
  /** Its value is never shown. */
  secret?: true;
  /** Why this server cannot honour the option; giving it refuses to start, since ignoring it would mislead. */
  unavailable?: string;
}

const TLS = "the TLS layer of this server does not offer it";

const TABLE = [
  { key: "dbPath", name: "db-path", kind: "path", help: "Directory of the data [default: ./data.ms]" },
  { key: "httpAddr", name: "http-addr", kind: "text", value: "host:port", help: "Address [default: localhost:7700]" },
  {
    key: "masterKey",
    name: "master-key",
    kind: "text",
    value: "key",
    secret: true,
    help: "Key that may do everything",
  },
  { key: "env", name: "env", kind: "choice", value: "env", help: "development or production [default: development]" },
  { key: "noDashboard", name: "no-dashboard", kind: "flag", help: "Do not serve the page for browsers at /" },
  {
    key: "noAnalytics",
    name: "no-analytics",
    kind: "flag",
    help: "Do not collect usage data (GET /telemetry shows it)",
  },
  {
    key: "telemetryUrl",
    name: "telemetry-url",
    kind: "text",
    value: "url",
    help: "Where usage data is sent every hour [default: nowhere]",
  },
  {
    key: "analyticsLocal",
    name: "analytics-local",
    kind: "flag",
    help: "Count what is searched and clicked, on this machine only (GET /analytics shows it)",
  },
  {
    key: "httpTransport",
    name: "http-transport",
    kind: "choice",
    value: "transport",
    help: "uws (uWebSockets.js), node (node:http) or auto: uws where it can be loaded [default: auto]",
  },
  {
    key: "httpPayloadSizeLimit",
    name: "http-payload-size-limit",
    kind: "size",
    help: "Largest request body, decoded [default: 100 MB]",
  },
  {
    key: "logLevel",
    name: "log-level",
    kind: "choice",
    value: "level",
    help: "OFF, ERROR, WARN, INFO, DEBUG or TRACE [default: INFO]",
  },
  {
    key: "logsMode",
    name: "experimental-logs-mode",
    kind: "choice",
    value: "form",
    help: "HUMAN or JSON [default: HUMAN]",
  },
  { key: "dumpDir", name: "dump-dir", kind: "path", help: "Where dumps are written [default: dumps/]" },
  { key: "importDump", name: "import-dump", kind: "path", help: "Start from a dump" },
  { key: "ignoreMissingDump", name: "ignore-missing-dump", kind: "flag", help: "Start even if the dump is missing" },
  {
    key: "ignoreDumpIfDbExists",
    name: "ignore-dump-if-db-exists",
    kind: "flag",
    help: "Do not import the dump into existing data",
  },
  { key: "snapshotDir", name: "snapshot-dir", kind: "path", help: "Where snapshots are written [default: snapshots/]" },
  {
    key: "scheduleSnapshot",
    name: "schedule-snapshot",
    kind: "interval",
    value: "seconds",
    help: "Take a snapshot regularly [default when given alone: 86400]",
  },
  { key: "importSnapshot", name: "import-snapshot", kind: "path", help: "Start from a snapshot" },
  {
    key: "ignoreMissingSnapshot",
    name: "ignore-missing-snapshot",
    kind: "flag",
    help: "Start even if the snapshot is missing",
  },
  {
    key: "ignoreSnapshotIfDbExists",
    name: "ignore-snapshot-if-db-exists",
    kind: "flag",
    help: "Do not import the snapshot into existing data",
  },
  {
    key: "modelsDir",
    name: "models-dir",
    kind: "path",
    help: "Where the models of huggingFace embedders lie [default: models/]",
  },
  {
    key: "modelsDownload",
    name: "models-download",
    kind: "flag",
    help: "Download models that are not there from the hub (HF_ENDPOINT names another one); =false does not [default: true]",
  },
  {
    key: "maxIndexingMemory",
    name: "max-indexing-memory",
    kind: "size",
    help: "Memory that indexing should stay below [default: two thirds of what there is]",
  },
  {
    key: "maxIndexingThreads",
    name: "max-indexing-threads",
    kind: "count",
    help: "Threads that build segments [default: the cores]",
  },
  { key: "readers", name: "readers", kind: "count", help: "Threads that answer searches [default: the cores]" },
  {
    key: "noRehearsal",
    name: "no-rehearsal",
    kind: "flag",
    help: "Do not use idle time after the start to make searches quicker",
  },
  {
    key: "memoryBudget",
    name: "memory-budget",
    kind: "size",
    help: "Memory for the indexes [default: two thirds of what there is]",
  },
  {
    key: "searchCacheSize",
    name: "search-cache-size",
    kind: "size",
    help: "Memory for answers to searches that are asked again; 0 keeps none [default: 64 MiB]",
  },
  {
    key: "vectorCellsFrom",
    name: "vector-cells-from",
    kind: "count",
    help: "Vectors in a segment from which on they are put into cells of near ones [default: where searches gain by it]",
  },
  {
    key: "vectorGraphsFrom",
    name: "vector-graphs-from",
    kind: "count",
    help: "Vectors in a segment from which on a graph of them is built [default: where searches gain by it]",
  },
  {
    key: "vectorGraphBuilder",
    name: "vector-graph-builder",
    kind: "choice",
    value: "builder",
    help: "own, or hnswlib (hnswlib-node, which `npm run hnswlib` compiles) [default: own]",
  },
  { key: "taskWebhookUrl", name: "task-webhook-url", kind: "text", value: "url", help: "Told of finished tasks" },
  {
    key: "taskWebhookAuthorizationHeader",
    name: "task-webhook-authorization-header",
    kind: "text",
    value: "header",
    secret: true,
    help: "Authorization sent to that address",
  },
  { key: "sslCertPath", name: "ssl-cert-path", kind: "path", help: "Certificate chain (PEM): serve TLS" },
  { key: "sslKeyPath", name: "ssl-key-path", kind: "path", help: "Private key (PEM)" },
  {
    key: "sslAuthPath",
    name: "ssl-auth-path",
    kind: "path",
    help: "Authorities (PEM) that client certificates are checked by",
  },
  { key: "sslResumption", name: "ssl-resumption", kind: "flag", help: "Accepted; TLS sessions always resume" },
  { key: "sslTickets", name: "ssl-tickets", kind: "flag", help: "Accepted; TLS tickets are always on" },
  { key: "recover", name: "recover", kind: "flag", help: "Keep what is whole of damaged data" },
  { key: "upgradeDb", name: "upgrade-db", kind: "flag", help: "Upgrade the data of an older version" },
  {
    key: "containsFilter",
    name: "experimental-contains-filter",
    kind: "flag",
    help: "Turn the containsFilter feature on",
  },
  { key: "enableMetrics", name: "experimental-enable-metrics", kind: "flag", help: "Turn the metrics feature on" },
  {
    key: "enableLogsRoute",
    name: "experimental-enable-logs-route",
    kind: "flag",
    help: "Turn the logsRoute feature on",
  },
  {
    key: "legacySearch",
    name: "experimental-legacy-search-default",
    env: "MEILI_EXPERIMENTAL_LEGACY_SEARCH",
    kind: "flag",
    help: "Default of the legacySearch feature",
  },
  {
    key: "searchQueueSize",
    name: "experimental-search-queue-size",
    kind: "count",
    help: "Searches that may wait [default: 1000]",
  },
  {
    key: "dropSearchAfter",
    name: "experimental-drop-search-after",
    kind: "count",
    value: "seconds",
    help: "A search that waits longer is dropped [default: 60]",
  },
  {
    key: "searchesPerCore",
    name: "experimental-nb-searches-per-core",
    kind: "count",
    help: "Accepted without effect: each reader answers one search at a time",
  },
  {
    key: "reduceIndexingMemory",
    name: "experimental-reduce-indexing-memory-usage",
    kind: "flag",
    help: "Accepted; indexing is bounded by --max-indexing-memory",
  },
  {
    key: "maxBatchedTasks",
    name: "experimental-max-number-of-batched-tasks",
    kind: "count",
    help: "Tasks in one batch [default: no limit]",
  },
  {
    key: "batchedTasksTotalSize",
    name: "experimental-limit-batched-tasks-total-size",
    kind: "size",
    help: "Payloads in one batch [default: half of the indexing memory, at most 10 GiB]",
  },
  {
    key: "embeddingCacheEntries",
    name: "experimental-embedding-cache-entries",
    kind: "count",
    help: "Query embeddings kept in memory [default: 0]",
  },
  {
    key: "personalizationApiKey",
    name: "experimental-personalization-api-key",
    kind: "text",
    value: "key",
    secret: true,
    help: "Key of the service that personalizes answers",
  },
  {
    key: "personalizationUrl",
    name: "experimental-personalization-url",
    kind: "text",
    value: "url",
    help: "Its address, any that reranks as Cohere does [default: Cohere's]",
  },
  {
    key: "personalizationModel",
    name: "experimental-personalization-model",
    kind: "text",
    value: "name",
    help: "Its model [default: rerank-v3.5]",
  },
  {
    key: "allowedIpNetworks",
    name: "experimental-allowed-ip-networks",
    kind: "text",
    value: "list",
    help: "Private networks that outgoing calls may reach: CIDRs, or any [default: none]",
  },
  {
    key: "noEdition2024",
    name: "experimental-no-edition-2024-for-settings",
    kind: "flag",
    help: "Accepted without effect",
  },
  {
    key: "s3BucketUrl",
    name: "s3-bucket-url",
    kind: "text",
    value: "url",
    help: "S3-compatible store for snapshots, without the bucket [default: none, the directory]",
  },
  { key: "s3BucketRegion", name: "s3-bucket-region", kind: "text", value: "region", help: "Its region" },
  { key: "s3BucketName", name: "s3-bucket-name", kind: "text", value: "name", help: "The bucket" },
  {
    key: "s3SnapshotPrefix",
    name: "s3-snapshot-prefix",
    kind: "text",
    value: "path",
    help: "What comes before the name of a snapshot there",
  },
  { key: "s3AccessKey", name: "s3-access-key", kind: "text", value: "key", secret: true, help: "Who asks the store" },
  { key: "s3SecretKey", name: "s3-secret-key", kind: "text", value: "key", secret: true, help: "The proof of it" },
  {
    key: "s3RoleArn",
    name: "experimental-s3-role-arn",
    kind: "text",
    value: "arn",
    help: "Role to ask the store in, instead of a key",
  },
  {
    key: "s3WebIdentityTokenFile",
    name: "experimental-s3-web-identity-token-file",
    kind: "path",
    help: "The token that the role is given for",
  },
  {
    key: "s3MaxInFlightParts",
    name: "experimental-s3-max-in-flight-parts",
    kind: "count",
    help: "Parts of a snapshot that are sent at once [default: 10]",
  },
  {
    key: "s3CompressionLevel",
    name: "experimental-s3-compression-level",
    kind: "count",
    help: "From 0 (none) to 9 [default: 0]",
  },
  {
    key: "s3SignatureDuration",
    name: "experimental-s3-signature-duration-seconds",
    kind: "count",
    value: "seconds",
    help: "How long a request to the store may take until it is accepted [default: 28800]",
  },
  {
    key: "s3PartSize",
    name: "experimental-s3-multipart-part-size",
    kind: "size",
    help: "Size of the parts, 10 MiB to 8 GiB [default: 375 MiB]",
  },
] as const satisfies readonly Spec[];

/** Reading an option that is not in the table does not compile. */
export type OptionKey = (typeof TABLE)[number]["key"];

export interface OptionSpec extends Omit<Spec, "key"> {
  /** Null for one that is always refused. */
  key: OptionKey | null;
}

export const OPTION_TABLE: readonly OptionSpec[] = [
  ...TABLE,
  ...refused(TLS, { "ssl-ocsp-path": "path", "ssl-require-auth": "flag" }),
];

/** Options that are known and cannot be had, by name. */
function refused(unavailable: string, kinds: Record<string, OptionSpec["kind"]>): OptionSpec[] {
  return Object.entries(kinds).map(([name, kind]) => ({ key: null, name, kind, help: "", unavailable }));
}
