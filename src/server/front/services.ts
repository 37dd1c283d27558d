/**
 * What the routes may call: every part of the server they use, and nothing more. `server/start/assemble.ts` fills it
 * with the real parts, tests with small ones.
 */

import type { PayloadRef } from "../../base/contract/task.ts";
import type { Insight } from "../../base/insight/insight.ts";
import type { Log } from "../../base/log/log.ts";
import type { Outgoing } from "../../base/net/outgoing.ts";
import type { Remotes } from "../../base/net/remotes.ts";
import type { Reranker } from "../../base/net/reranker.ts";
import type { PayloadFormat } from "../../base/payload/prepare.ts";
import type { Gate } from "../../engine/auth/authorize.ts";
import type { KeyRing } from "../../engine/auth/keys.ts";
import type { Scope } from "../../engine/auth/scope.ts";
import type { AnswerCache } from "../../engine/cache/answer-cache.ts";
import type { RequestKeyCache } from "../../engine/cache/request-keys.ts";
import type { ReaderRequests, RequestKind } from "../../engine/link/requests.ts";
import type { ReaderAnswer } from "../../engine/reader/pool.ts";
import type { EmbedClient } from "../../engine/vector/embed/client.ts";
import type { Snapshot } from "../../storage/index/catalog.ts";
import type { Store } from "../../storage/store/store.ts";
import type { TaskLog } from "../../storage/tasks/log.ts";
import type { ClusterView } from "./cluster-view.ts";
import type { TaskStreams } from "./live/task-streams.ts";
import type { TaskWaits } from "./live/task-waits.ts";
import type { RequestMetrics } from "./metrics.ts";
import type { ClientRequest } from "./request.ts";
import type { RouteSpec } from "./router.ts";
import type { SiteFiles } from "./site-files.ts";
import type { Chats } from "./state/chats.ts";
import type { FeatureFlags } from "./state/features.ts";
import type { Network } from "./state/network.ts";
import type { SearchRules } from "./state/rules.ts";
import type { Webhooks } from "./state/webhooks.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import type { Usage } from "./telemetry/usage.ts";

export type Request = ClientRequest<Scope>;
export type ApiRoute = RouteSpec<Scope>;

interface ServerInfo {
  version: string;
  commitSha: string;
  commitDate: string;
  env: "development" | "production";
  databasePath: string;
  payloadBytesMax: number;
  searchQueueSize: number;
  /** A search that waited longer for a reader is not run. */
  dropSearchAfterMs: number;
}

/** Requests to the reader threads; the answer is a complete HTTP body, also when it is an error. */
export interface Readers {
  /** Throws the refusal when they have more to do than may wait: nothing else about the request needs to be known. */
  admit(): void;
  /** A question was answered without them. */
  noteGiven(): void;
  request<K extends RequestKind>(
    kind: K,
    header: ReaderRequests[K],
    payload: Uint8Array | null,
    /** Null for what is to be done even if whoever asked hangs up. */
    request: Request | null,
    /** Whether an answer that can be given again is only needed until the event loop goes on. */
    borrows?: boolean,
  ): Promise<ReaderAnswer>;
}

/** A large payload made ready in a file of its own by a helper thread; rejects with the error to answer. */
export interface LargePayloads {
  /** The body is of no use afterwards. */
  prepare(body: Uint8Array, format: PayloadFormat, delimiter: number): Promise<PreparedFile>;
  /** As `prepare`, of a body that lists ids. */
  prepareIds(body: Uint8Array): Promise<PreparedIds>;
  /** Its documents, a line each; null where it is gone. */
  lines(name: string): Promise<Uint8Array | null>;
  /** For a payload whose task could not be enqueued. */
  discard(name: string): Promise<void>;
}

interface PreparedFile {
  payload: PayloadRef;
  documentsCount: number;
}

interface PreparedIds {
  payload: PayloadRef;
  idsCount: number;
}

interface SearchCounts {
  running: number;
  waiting: number;
  /** Answered late and incomplete since the start. */
  degraded: number;
}

export interface Services {
  info: ServerInfo;
  log: Log;
  store: Pick<Store, "payloads" | "texts" | "sizeBytes">;
  tasks: Pick<
    TaskLog,
    | "enqueue"
    | "get"
    | "isAhead"
    | "waitingDocuments"
    | "list"
    | "match"
    | "getBatch"
    | "listBatches"
    | "running"
    | "table"
  >;
  /** Who follows the tasks. */
  streams: TaskStreams;
  /** Who waits for the end of a task. */
  waits: Pick<TaskWaits, "hasRoom" | "wait">;
  indexes: { pin(): Snapshot };
  readers: Readers;
  /** Answers to recent searches. */
  answerCache: AnswerCache;
  /** Keys of cached answers by the text of requests. */
  requestKeys: RequestKeyCache;
  /** Vectors for queries. */
  embed: Pick<EmbedClient, "embedQuery">;
  largePayloads: LargePayloads;
  /** For what a request does on behalf of its caller besides what it was let in for. */
  gate: Gate;
  /** Calls to other servers. */
  outgoing: Pick<Outgoing, "open">;
  /** Those of the network. */
  remotes: Pick<Remotes, "post" | "isAvailable">;
  /** Puts hits in the order of a person; null when the operator has set none. */
  reranker: Pick<Reranker, "rank"> | null;
  /** Null on a server without master key. */
  keys: KeyRing | null;
  features: FeatureFlags;
  webhooks: Webhooks;
  network: Network;
  rules: SearchRules;
  chats: Chats;
  /** What a browser is shown, and can read; null where that is not wanted, or not built. */
  page: SiteFiles | null;
  docs: SiteFiles | null;
  /** The servers that share their state with this one; null on a server on its own. */
  cluster: ClusterView | null;
  /** By which those know each other. */
  partsSecret: string;
  /** Set once the routes are known, which is after the services exist. */
  requestMetrics: () => RequestMetrics;
  /** What requests use; null where no usage data is collected. */
  usage: Usage | null;
  /** Counts what is searched; null where that is not wanted. */
  insight: Insight | null;
  telemetry: () => Pick<Telemetry, "view"> | null;
  searchCounts(): SearchCounts;
  /** False while one writer after the other dies before it has begun to work. */
  canWrite(): boolean;
  /** Bytes of the database directory. */
  databaseBytes(): Promise<number>;
}
