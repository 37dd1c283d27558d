/**
 * Bounds of what may be asked for, kept or held, as far as several files, an option or the documentation speak of them; one that
 * a single file uses is a constant there. Units stand last in the name.
 */

export const KIB = 1024;
export const MIB = 1024 * KIB;

export const limits = {
  /** Decoded request body; the default of `--http-payload-size-limit`. */
  payloadBytes: 100_000_000,
  indexUidBytes: 400,
  documentIdBytes: 511,
  /** JSON nesting accepted in documents and bodies. */
  jsonDepth: 128,
  /** Work on one body that the front does itself, and bytes from which on it does not even look. */
  lightBodyMicros: 4000,
  lightBodyBytes: 64 * KIB,
  /** Bodies of the routes that take a few values only: the front reads and checks one within three milliseconds. */
  shortBodyBytes: 256 * KIB,
  shortBodyValues: 5000,
  /** Bodies of conversations, and of templates to be rendered with what they are given: a few values as well, but long ones. */
  talkBodyBytes: 2 * MIB,
  /** Bodies of searches, and of requests for documents. */
  searchBodyBytes: 20_000_000,
  searchBodyValues: 500_000,
  /** Bodies of settings, exports, and deletions and editions by filter: a task keeps and shows them whole. */
  shownBodyBytes: 8_000_000,
  /** Values in the body of a task: settings, ids of documents to delete. */
  taskBodyValues: 2_000_000,
  /** Bodies on their way in, of all connections together: so many of the longest, and at least these bytes. */
  bodiesAtOnce: 5,
  bodiesBytesMin: 64 * MIB,
  /** Text of a list of tasks or batches: a page ends before it, and says where the next one begins. */
  taskPageUnits: 32 * MIB,
  /** Items of a list, or hits, where a request does not say how many it wants. */
  pageItems: 20,
  queriesPerSearch: 5000,
  /** Of the text of a query, as strings count; its words lie at its beginning. */
  queryUnits: 20_000,
  /** Names in one list of a search, their length, and that of what is put around matches. */
  namesPerSearch: 2000,
  nameUnits: 1000,
  /** Of these, patterns: each is held against every field of the index. */
  patternsPerSearch: 100,
  tagUnits: 10_000,
  vectorDimensions: 65_536,
  /** Conditions and values in a filter. */
  filterValues: 200_000,
  filterUnits: 8_000_000,
  /** Documents of another index that one `_foreign` condition may name. */
  foreignIds: 100,
  templateUnits: 64 * KIB,
  scriptUnits: 256 * KIB,
  fieldsPerIndex: 65_535,
  /** Names of attributes in one setting, and patterns of names in all its rules: each field of a document is held against them. */
  attributeNames: 65_535,
  attributePatterns: 1000,
  rankingRules: 1000,
  foreignKeys: 1000,
  wordBytes: 250,
  facetValueBytes: 468,
  positionsPerField: 65_536,
  fieldWordCountMax: 30,
  filterDepth: 150,
  /** Time of a search in an index that does not say otherwise. */
  searchCutoffMs: 1500,
  vectorsPerDocument: 256,
  webhooks: 20,
  webhookHeaders: 200,
  /** Names and values of the headers of a webhook together, as strings count: others take no longer heads, and every call sends them. */
  webhookHeadersUnits: 64 * KIB,
  /** An address to call. */
  urlUnits: 8 * KIB,
  /** Modules in a log target: every line is held against each. */
  logTargetModules: 100,
  tasksStored: 1_000_000,
  tasksDeletedAtOnce: 100_000,
  /** Clients that wait for their tasks at the same time, and how long one may. */
  waitingClients: 10_000,
  waitSeconds: 600,
  /** Open streams of tasks and of batches together. */
  taskStreams: 10_000,
  /** Changes after which somebody who follows can still be told what he missed; powers of two. */
  taskChangesKept: 131_072,
  batchChangesKept: 4096,
  taskStoreBytes: 20 * 1024 * MIB,
  /** Prepared payloads up to this size live in the store, larger ones in files. */
  inlinePayloadBytes: 128 * KIB,
  /** A batch of documents below this size is built on the writer thread itself. */
  inlineBuildBytes: 256 * KIB,
  /** Raw JSON that one helper turns into one segment. */
  lotBytes: 64 * MIB,
  /** Vectors that are made for one segment, at most (those of a single document are never split). */
  embeddedBytes: 64 * MIB,
  /** Memory that building one segment takes at its peak. */
  buildBytes: 320 * MIB,
  /** Of one answer to searches: a few hundred bytes can ask for thousands of times as many. */
  answerBytes: 256 * MIB,
  /** Of answers that their clients have not read yet, of all connections together. */
  unreadAnswersBytes: 512 * MIB,
  /** Of one list of documents: some take all of an index in one request. */
  documentsBytes: 1024 * MIB,
  requestRingBytes: MIB,
  responseRingBytes: MIB,
  /** Of documents, kept by all readers together because they were read lately. */
  latelyReadBytes: 32 * MIB,
  queuedRequests: 1000,
  /** Of the requests among them that do not fit into the ring yet. */
  waitingBytes: 64 * MIB,
  readersMax: 64,
  /** Held with models at the same time. */
  conversations: 256,
  /** Answers kept for searches that are asked again; the default of `--search-cache-size`. */
  searchCacheBytes: 64 * MIB,
  /** Analytics that stay here: days kept, and places for each index and day. */
  insightDays: 30,
  insightQueries: 256,
  insightQueriesWithoutHits: 128,
  insightSlowQueries: 64,
  insightClicks: 256,
  /** A longer query is counted by its beginning. */
  insightQueryUnits: 128,
  /** Of all indexes and days together; the oldest days go first. */
  insightBytes: 16 * MIB,
  insightRows: 1000,
  arenaBytes: 4 * 1024 * MIB - 64 * KIB,
} as const;
