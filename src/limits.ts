/** Every bound of the server, named, in one place. Units stand last in the name. */

export const KIB = 1024;
export const MIB = 1024 * KIB;

export const limits = {
  /** Decoded request body; the default of `--http-payload-size-limit`. */
  payloadBytes: 100_000_000,
  indexUidBytes: 400,
  documentIdBytes: 511,
  /** JSON nesting accepted in documents and bodies. */
  jsonDepth: 128,
  fieldsPerIndex: 65_535,
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
  tasksStored: 1_000_000,
  tasksDeletedAtOnce: 100_000,
  taskStoreBytes: 20 * 1024 * MIB,
  /** Prepared payloads up to this size live in the store, larger ones in files. */
  inlinePayloadBytes: 128 * KIB,
  /** A batch of documents below this size is built on the writer thread itself. */
  inlineBuildBytes: 256 * KIB,
  /** Raw JSON that one helper turns into one segment. */
  shardBytes: 16 * MIB,
  /** Vectors that are made for one segment, at most (those of a single document are never split). */
  embeddedBytes: 64 * MIB,
  /** Memory that building one segment takes at its peak. */
  buildBytes: 320 * MIB,
  requestRingBytes: MIB,
  responseRingBytes: MIB,
  queuedRequests: 1000,
  readersMax: 64,
  /** Held with models at the same time. */
  conversations: 256,
  /** Answers kept for searches that are asked again; the default of `--search-cache-size`. */
  searchCacheBytes: 64 * MIB,
  arenaBytes: 4 * 1024 * MIB - 64 * KIB,
} as const;
