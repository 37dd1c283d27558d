/** The whole interface over a real store, with made-up indexes and readers: no writer, so tasks stay enqueued. */
import { join } from "node:path";
import { type ApiError, malformedPayload } from "../../../src/base/errors/errors.ts";
import { Log } from "../../../src/base/log/log.ts";
import { encodePayload, preparePayload } from "../../../src/base/payload/prepare.ts";
import { guardedGate, openGate } from "../../../src/engine/auth/authorize.ts";
import { KeyRing } from "../../../src/engine/auth/keys.ts";
import type { Scope } from "../../../src/engine/auth/scope.ts";
import { AnswerCache } from "../../../src/engine/cache/answer-cache.ts";
import { RequestKeyCache } from "../../../src/engine/cache/request-keys.ts";
import type { ReaderRequests, RequestKind } from "../../../src/engine/link/requests.ts";
import { handlers } from "../../../src/engine/reader/handlers.ts";
import type { ReaderAnswer } from "../../../src/engine/reader/pool.ts";
import { answerRender, renderFound } from "../../../src/engine/reader/render.ts";
import type { Handler } from "../../../src/engine/reader/task.ts";
import { authorizeRoute } from "../../../src/server/front/authorize.ts";
import { TaskStreams } from "../../../src/server/front/live/task-streams.ts";
import { TaskWaits } from "../../../src/server/front/live/task-waits.ts";
import { RequestMetrics } from "../../../src/server/front/metrics.ts";
import { Opening } from "../../../src/server/front/opening.ts";
import { Router } from "../../../src/server/front/router.ts";
import { allRoutes } from "../../../src/server/front/routes/all.ts";
import { Server } from "../../../src/server/front/server.ts";
import type { Services } from "../../../src/server/front/services.ts";
import { Chats } from "../../../src/server/front/state/chats.ts";
import { FeatureFlags } from "../../../src/server/front/state/features.ts";
import { Network } from "../../../src/server/front/state/network.ts";
import { SearchRules } from "../../../src/server/front/state/rules.ts";
import { Webhooks } from "../../../src/server/front/state/webhooks.ts";
import { chooseTransport, type TransportName } from "../../../src/server/front/transport/choose.ts";
import type { Snapshot } from "../../../src/storage/index/catalog.ts";
import type { IndexView } from "../../../src/storage/index/view.ts";
import { defaultSettings } from "../../../src/storage/settings/update.ts";
import { openStore, type Store } from "../../../src/storage/store/store.ts";
import { TaskLog } from "../../../src/storage/tasks/log.ts";
import { temporaryDirectory } from "../../lib/temporary.ts";

export interface Api {
  base: string;
  store: Store;
  tasks: TaskLog;
  waits: TaskWaits;
  indexes: Map<string, IndexView>;
  services: Services;
  /** What the readers were asked, in order. */
  asked: { kind: string; header: unknown }[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  stop(): Promise<void>;
}

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
  headers: Headers;
}

export function indexNamed(uid: string, changes: Partial<IndexView> = {}): IndexView {
  return {
    uid,
    id: 1,
    version: 1,
    createdAt: 1_700_000_000_000_000,
    updatedAt: 1_700_000_000_500_000,
    primaryKey: "id",
    settings: defaultSettings(),
    contentVersion: 1,
    settingsVersion: 1,
    fieldOrder: ["id", "title"],
    fieldDistribution: { title: 1, id: 2 },
    documentCount: 2,
    segments: [],
    fileBytes: 5000,
    documentBytes: 1000,
    liveDocumentBytes: 1000,
    problem: null,
    ...changes,
  } as IndexView;
}

/** As a reader does it, which has a document of every id. */
/** What is told of the indexes themselves, by those who tell it in earnest. */
const OF_INDEXES: ReadonlySet<RequestKind> = new Set<RequestKind>([
  "indexes.list",
  "indexes.described",
  "indexes.totals",
  "stats",
]);

async function toldOfIndexes(kind: RequestKind, header: object, snapshot: Snapshot): Promise<ReaderAnswer> {
  const context = { snapshot: () => snapshot, canceled: () => false, countDegraded: () => {} };
  const handler = handlers[kind] as Handler<typeof kind>;
  return {
    ...(await handler(header as ReaderRequests[typeof kind], Buffer.alloc(0), context)),
    coding: null,
    marks: null,
  };
}

function rendered(kind: RequestKind, header: object, payload: Uint8Array, snapshot: Snapshot): ReaderAnswer {
  const context = { snapshot: () => snapshot };
  try {
    const reply =
      kind === "render"
        ? answerRender(header as ReaderRequests["render"], payload, context, () => Buffer.from(DOCUMENT))
        : renderFound(header as ReaderRequests["render.found"], payload, context);
    return { ...reply, coding: null, marks: null };
  } catch (error) {
    const { status } = error as ApiError;
    return { status, contentType: "application/json", body: Buffer.from(JSON.stringify(error)), coding: null };
  }
}

const DOCUMENT = '{"id":"7","title":"seven"}';

export async function startApi(transport: TransportName, masterKey: string | null = null): Promise<Api> {
  const folder = temporaryDirectory();
  const store = openStore(join(folder, "store"));
  const tasks = new TaskLog(store, { onEnqueued: () => {} });
  const waits = new TaskWaits(tasks);
  const indexes = new Map<string, IndexView>();
  const asked: Api["asked"] = [];
  const keys = masterKey === null ? null : new KeyRing(store, masterKey);
  await keys?.ensureDefaults();
  const gate = keys === null ? openGate() : guardedGate(masterKey ?? "", keys);
  let metrics: RequestMetrics | null = null;
  const services: Services = {
    info: {
      version: "1.2.3",
      commitSha: "unknown",
      commitDate: "unknown",
      env: "development",
      databasePath: folder,
      payloadBytesMax: 1_000_000,
      searchQueueSize: 1000,
      dropSearchAfterMs: 60_000,
    },
    log: new Log("off", "human", () => {}),
    store,
    tasks,
    streams: new TaskStreams(tasks, store.texts),
    waits,
    indexes: {
      pin: () => ({
        epoch: 1,
        index: (uid) => indexes.get(uid) ?? null,
        indexes: () => [...indexes.values()].sort((a, b) => (a.uid < b.uid ? -1 : 1)),
        known: () => [],
        release: () => {},
      }),
    },
    answerCache: new AnswerCache(1_000_000),
    requestKeys: new RequestKeyCache(),
    page: null,
    docs: null,
    embed: { embedQuery: async () => new Float32Array(0) },
    readers: {
      admit: () => {},
      noteGiven: () => {},
      async request(kind, header, payload) {
        asked.push({ kind, header });
        if (OF_INDEXES.has(kind)) return toldOfIndexes(kind, header, services.indexes.pin());
        if (kind === "render" || kind === "render.found")
          return rendered(kind, header, payload!, services.indexes.pin());
        if (kind !== "payload.prepare") {
          return {
            status: 200,
            contentType: "application/json",
            body: Buffer.from(DOCUMENT),
            coding: null,
          };
        }
        const { format, delimiter } = header as { format: "json" | "ndjson" | "csv"; delimiter: number };
        try {
          const bytes = Buffer.concat(encodePayload(preparePayload(payload!, format, delimiter)));
          return { status: 200, contentType: "application/octet-stream", body: bytes, coding: null };
        } catch {
          const refusal = malformedPayload(format, "no");
          return {
            status: 400,
            contentType: "application/json",
            body: Buffer.from(JSON.stringify(refusal)),
            coding: null,
          };
        }
      },
    },
    largePayloads: {
      prepare: async (body) => ({ payload: { kind: "file", name: "large", bytes: body.length }, documentsCount: 1 }),
      prepareIds: async (body) => ({ payload: { kind: "file", name: "ids", bytes: body.length }, idsCount: 1 }),
      lines: async () => null,
      discard: async () => {},
    },
    gate,
    outgoing: { open: () => Promise.reject(new Error("nothing is reached from here")) },
    reranker: null,
    remotes: { post: () => Promise.reject(new Error("nothing is reached from here")), isAvailable: () => true },
    keys,
    features: new FeatureFlags(store, {}, {}),
    webhooks: new Webhooks(store, null),
    network: new Network(store),
    rules: new SearchRules(store),
    chats: new Chats(store),
    cluster: null,
    partsSecret: "",
    requestMetrics: () => metrics!,
    usage: null,
    insight: null,
    telemetry: () => null,
    searchCounts: () => ({ running: 0, waiting: 0, degraded: 0 }),
    canWrite: () => true,
    databaseBytes: async () => 12_345,
  };
  const router = new Router<Scope>(allRoutes(services));
  metrics = new RequestMetrics(router.routes);
  const server = new Server<Scope>({
    opening: Opening.past(),
    transport: await chooseTransport(transport, services.log),
    router,
    authorize: (request, route) => authorizeRoute(gate, request, route),
    payloadBytesMax: services.info.payloadBytesMax,
    tls: null,
    cluster: null,
    forwarding: null,
    metrics,
    log: services.log,
  });
  const base = `http://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  return {
    base,
    store,
    tasks,
    waits,
    indexes,
    services,
    asked,
    async call(method, path, body, headers = {}) {
      const sent = body === undefined ? headers : { "content-type": "application/json", ...headers };
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const answer = await fetch(base + path, { method, headers: sent, body: text as string });
      const received = await answer.text();
      const isJson = answer.headers.get("content-type") === "application/json";
      return { status: answer.status, body: isJson ? JSON.parse(received) : received, headers: answer.headers };
    },
    async stop() {
      waits.stop();
      await server.stop();
      await store.close();
    },
  };
}
