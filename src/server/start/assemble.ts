/**
 * The parts of the server, put together in the order in which they need each other, and taken apart in reverse:
 *
 *   database ─ keys ─ task log ─ shared memory ─ readers ─ helpers ─ writer ─ front
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { limits } from "../../base/limits.ts";
import type { Log } from "../../base/log/log.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import { Remotes } from "../../base/net/remotes.ts";
import { quietMoment } from "../../base/time/quiet-moments.ts";
import { guardedGate, openGate } from "../../engine/auth/authorize.ts";
import { KeyRing } from "../../engine/auth/keys.ts";
import type { Scope } from "../../engine/auth/scope.ts";
import { AnswerCache } from "../../engine/cache/answer-cache.ts";
import { RequestKeyCache } from "../../engine/cache/request-keys.ts";
import { serveHelperClient } from "../../engine/helper/client.ts";
import { HNSWLIB_COMMAND, hnswlib } from "../../engine/helper/hnswlib.ts";
import { HelperPool } from "../../engine/helper/pool.ts";
import { ReaderPool } from "../../engine/reader/pool.ts";
import { EmbedClient } from "../../engine/vector/embed/client.ts";
import { startEmbedThread } from "../../engine/vector/embed/host.ts";
import { ignoredFailures } from "../../engine/writer/embedding/failures.ts";
import { Catalog } from "../../storage/index/catalog.ts";
import { segmentPathIn } from "../../storage/index/paths.ts";
import { ArenaViews } from "../../storage/memory/arena-views.ts";
import { Control, FRONT_PIN } from "../../storage/memory/control.ts";
import { collectGarbageSoon } from "../../storage/memory/garbage.ts";
import { workspaceBytes } from "../../storage/memory/workspace.ts";
import { onceOpen } from "../../storage/store/fault.ts";
import { openStore } from "../../storage/store/store.ts";
import { forgetUpgrade } from "../../storage/store/version.ts";
import { TaskLog } from "../../storage/tasks/log.ts";
import { type Piece, taskPieces } from "../../storage/tasks/views.ts";
import { authorizeRoute } from "../front/authorize.ts";
import { partsSecret } from "../front/divided/part-servers.ts";
import { largePayloadsIn } from "../front/large-payloads.ts";
import { TaskStreams } from "../front/live/task-streams.ts";
import { TaskWaits } from "../front/live/task-waits.ts";
import { RequestMetrics } from "../front/metrics.ts";
import { Opening } from "../front/opening.ts";
import { practiseQuestions } from "../front/practice.ts";
import { Router } from "../front/router.ts";
import { allRoutes } from "../front/routes/all.ts";
import { Server } from "../front/server.ts";
import type { Services } from "../front/services.ts";
import { builtSite } from "../front/site-files.ts";
import { Chats } from "../front/state/chats.ts";
import { Network } from "../front/state/network.ts";
import { SearchRules } from "../front/state/rules.ts";
import { WebhookDelivery } from "../front/state/webhook-delivery.ts";
import { Webhooks } from "../front/state/webhooks.ts";
import type { Telemetry } from "../front/telemetry/telemetry.ts";
import { Usage } from "../front/telemetry/usage.ts";
import { type WriterHost, WriterLink } from "../front/writer-link.ts";
import type { PreparedWriter } from "../front/writer-thread.ts";
import { OptionError, type Options } from "../options/options.ts";
import {
  dividedReadsFor,
  followingFor,
  forwardingFor,
  joinCluster,
  mustBelongToNone,
  sharedPayloads,
  urlFor,
} from "./cluster.ts";
import { openDatabase } from "./database.ts";
import { diskUsage } from "./disk-usage.ts";
import { commandLineWebhook, featureFlags, rerankerFor, tlsFiles, transportFor } from "./from-options.ts";
import { followIndexes, forgetMissing, startInsight } from "./insight.ts";
import { mustHaveOpenFiles } from "./open-files.ts";
import { closeDirectory, writePrivately } from "./private-files.ts";
import { remoteDeadlineMs } from "./remote-deadline.ts";
import { startTelemetry } from "./telemetry.ts";
import { warmModels } from "./warm-models.ts";

/** Code that opens a store is loaded with the rest of the server, or not at all. */
export { listBackups, restoreFrom } from "./backups.ts";

/** Even if the server is never quiet. */
const HELPERS_WARM_WITHIN_MS = 10_000;

interface Assembled {
  /** What serves the requests, by its name. */
  transport: string;
  listen(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

export async function assemble(
  options: Options,
  version: string,
  log: Log,
  firstWriter: PreparedWriter,
): Promise<Assembled> {
  if (options.vectorGraphBuilder === "hnswlib" && hnswlib() === null) {
    throw new OptionError(
      `\`--vector-graph-builder hnswlib\` needs hnswlib-node, to be compiled by: ${HNSWLIB_COMMAND}`,
    );
  }
  mustHaveOpenFiles();
  writePrivately();
  const database = await openDatabase(options, version, log);
  closeDirectory(options.dbPath, log);
  const buildersInMemory = Math.floor(options.maxIndexingMemory / limits.buildBytes);
  const builders = Math.max(1, Math.min(options.maxIndexingThreads, buildersInMemory));
  // One more merges what they have built meanwhile, where there is memory for it.
  const helpers = new HelperPool(Math.max(builders, Math.min(builders + 1, buildersInMemory)));
  const cluster = await joinCluster(options, version, helpers, log);
  const store = openStore(join(options.dbPath, "store"), {
    ...(cluster === null ? {} : { shared: cluster.shared }),
    isOwn: () => database.isOwn(),
    onBroken(fault) {
      log.error("store", "a commit or read failed; the store is opened anew", { cause: fault.message });
      writer.replace();
    },
    onReopened: () => tasks.onStoreReopened(),
    onFenced(fault) {
      // Nothing that is left to do may be done: whatever is in memory is no longer what is on disk.
      queueMicrotask(() => {
        throw fault;
      });
    },
  });
  if (cluster === null) mustBelongToNone(store);
  else await cluster.open(store);
  const tasks = new TaskLog(store, { onEnqueued: (uid) => writer.enqueued(uid) });
  cluster?.attachTasks(tasks);
  const waits = new TaskWaits(tasks);
  const insight = startInsight(options, log);

  const control = Control.create();
  const views = new ArenaViews();
  const catalog = new Catalog(control, FRONT_PIN, views, segmentPathIn(options.dbPath), collectGarbageSoon);
  const embedThread = startEmbedThread({
    allowedIpNetworks: options.allowedIpNetworks,
    cacheEntries: options.embeddingCacheEntries,
    modelsDir: options.modelsDir,
    modelsDownload: options.modelsDownload,
    log,
  });
  const embed = new EmbedClient((port) => embedThread.take(port));
  const webhooks = new Webhooks(store, commandLineWebhook(options));
  const rules = new SearchRules(store);
  const outgoing = new Outgoing(new AddressPolicy(options.allowedIpNetworks));
  const delivery = new WebhookDelivery(log, outgoing);
  const remotes = new Remotes(outgoing, { deadlineMs: remoteDeadlineMs(process.env) });
  const readers = new ReaderPool({
    control,
    databasePath: options.dbPath,
    readers: options.readers,
    workspaceBytes: workspaceBytes(options.readers),
    keptBytes: options.searchCacheSize / 2,
    warmUp: !options.noWarmup,
    queuedRequestsMax: options.searchQueueSize,
    onReaderDeath: (error) => log.error("reader", "a reader thread died and is replaced", { cause: String(error) }),
  });
  const onFinished: WriterHost["onFinished"] = (ended) => {
    rules.forget();
    followIndexes(insight, ended);
    const lines = function* (): Generator<Piece> {
      for (const task of ended.tasks.heads()) {
        yield* taskPieces(task, store.texts);
        yield "\n";
      }
    };
    onceOpen(() => webhooks.list())
      .then((all) => delivery.tell(all, { count: ended.tasks.count, lines }))
      .catch((error: Error) => log.error("webhooks", "webhooks cannot be told of tasks", { cause: error.message }));
  };
  const writer = new WriterLink({
    start: () => {
      const storePorts = new MessageChannel();
      store.serve(storePorts.port1, cluster?.refusal());
      const { port1, port2 } = new MessageChannel();
      serveHelperClient(helpers, port1);
      const embedPorts = new MessageChannel();
      embedThread.serve(embedPorts.port1);
      const data = {
        databasePath: options.dbPath,
        control: control.buffer,
        memories: new Map(views.memories()),
        storePort: storePorts.port2,
        helperPort: port2,
        builders,
        memoryBytesMax: options.memoryBudget,
        workspacesBytes: options.readers * workspaceBytes(options.readers),
        batchLimits: { tasks: options.maxBatchedTasks, payloadBytes: options.batchedTasksTotalSize },
        dumpDirectory: options.dumpDir,
        snapshotDirectory: options.snapshotDir,
        s3: options.s3,
        payloadBytesMax: options.httpPayloadSizeLimit,
        allowedIpNetworks: options.allowedIpNetworks,
        embedPort: embedPorts.port2,
        ignoredFailures: ignoredFailures(process.env),
        cellsFrom: options.vectorCellsFrom,
        graphsFrom: options.vectorGraphsFrom,
        graphBuilder: options.vectorGraphBuilder,
        shared: cluster?.writerStart() ?? null,
      };
      return { data, transfer: [storePorts.port2, port2, embedPorts.port2] };
    },
    async addArena(arena, memory) {
      views.add(arena, memory);
      readers.addArena(arena, memory);
    },
    removeArena(arena) {
      readers.dropArena(arena);
      catalog.sweep();
    },
    onShown: () => opening.progress(),
    tasks,
    onFinished,
    ...(cluster === null ? {} : followingFor(cluster)),
    beforeNext: () => store.reopen().then(() => cluster?.beforeWriter()),
    first: firstWriter,
    log,
  });
  const opening = new Opening(
    (uid) => isReadable(catalog, uid),
    (uid) => writer.want(uid),
  );
  // The writer opens what is on disk while the rest is put together here.
  const opened = writer.start();
  mkdirSync(options.dumpDir, { recursive: true });
  mkdirSync(options.snapshotDir, { recursive: true });
  const transport = await transportFor(options, log);
  const keys = options.masterKey === null ? null : new KeyRing(store, options.masterKey);
  // Nobody can know of keys that do not exist yet, so answers wait for them, but the start does not.
  const ready = Promise.all([opened, keys?.ensureDefaults()]);
  void ready.then(() => {
    opening.end();
    forgetMissing(insight, catalog);
  });
  const gate = keys === null ? openGate() : guardedGate(options.masterKey ?? "", keys);
  if (database.upgradedFrom !== null && cluster?.leads !== false) {
    await tasks.enqueue({ type: "upgradeDatabase", from: `v${database.upgradedFrom}`, to: `v${version}` }, null);
    forgetUpgrade(options.dbPath);
  }

  let metrics: RequestMetrics | null = null;
  let telemetry: Telemetry | null = null;
  const services: Services = {
    info: {
      version,
      commitSha: "unknown",
      commitDate: "unknown",
      env: options.env,
      databasePath: options.dbPath,
      payloadBytesMax: options.httpPayloadSizeLimit,
      searchQueueSize: options.searchQueueSize,
      dropSearchAfterMs: options.dropSearchAfter * 1000,
    },
    log,
    store,
    tasks,
    streams: new TaskStreams(tasks, store.texts),
    waits,
    indexes: catalog,
    readers: dividedReadsFor(options, cluster, readers),
    answerCache: new AnswerCache(options.searchCacheSize / 2),
    requestKeys: new RequestKeyCache(),
    embed,
    largePayloads: sharedPayloads(largePayloadsIn(options.dbPath, helpers), cluster),
    gate,
    outgoing,
    remotes,
    reranker: rerankerFor(options),
    keys,
    features: featureFlags(store, options),
    webhooks,
    network: new Network(store, (name) => remotes.isAvailable(name)),
    rules,
    chats: new Chats(store),
    page: options.noDashboard ? null : builtSite("page"),
    docs: options.noDashboard ? null : builtSite("docs"),
    requestMetrics: () => {
      if (metrics === null) throw new Error("asked for metrics before the first request");
      return metrics;
    },
    cluster,
    partsSecret: partsSecret(options.masterKey),
    usage: options.noAnalytics ? null : new Usage(),
    insight,
    telemetry: () => telemetry,
    searchCounts: () => ({
      running: Math.min(readers.pending, options.readers),
      waiting: Math.max(0, readers.pending - options.readers),
      degraded: readers.degraded,
    }),
    canWrite: () => writer.canWrite,
    databaseBytes: diskUsage(options.dbPath),
  };
  cluster?.attach({ ...services, tasks, writer, onFinished });
  const router = new Router<Scope>(allRoutes(services));
  metrics = new RequestMetrics(router.routes);
  const server = new Server<Scope>({
    transport,
    router,
    opening,
    authorize: (request, route) => authorizeRoute(gate, request, route),
    payloadBytesMax: options.httpPayloadSizeLimit,
    tls: tlsFiles(options),
    metrics,
    cluster,
    forwarding: forwardingFor(options, cluster, catalog, readers),
    log,
  });
  const snapshots = scheduleSnapshots(tasks, options.scheduleSnapshot, () => cluster?.leads ?? true, log);
  return {
    transport: server.transport,
    async listen(host, port) {
      const bound = await server.listen(host, port);
      cluster?.onListening(urlFor(options, host, bound));
      readers.start(ready, () => opening.isAwaited);
      if (!options.noWarmup) void practiseQuestions();
      telemetry = startTelemetry(options, version, services);
      ready
        .then(() => {
          // Not at once: the first requests have the cores to themselves.
          void quietMoment(HELPERS_WARM_WITHIN_MS).then(() => helpers.warm());
          return warmModels(catalog, embed);
        })
        .catch(() => {});
      return bound;
    },
    async stop() {
      clearInterval(snapshots);
      telemetry?.stop();
      waits.stop();
      await server.stop();
      await insight?.stop();
      await writer.stop();
      await cluster?.stop();
      await readers.stop();
      await helpers.stop();
      embed.close();
      await embedThread.stop();
      await store.close();
      await cluster?.close();
      database.close();
    },
  };
}

/** Whether searches in an index can be answered: where documents of others belong to the answer, not before these are open, too. */
function isReadable(indexes: Catalog, uid: string): boolean {
  const snapshot = indexes.pin();
  try {
    return snapshot.index(uid)?.settings.foreignKeys.length === 0;
  } finally {
    snapshot.release();
  }
}

/** Of several servers, the one that leads makes them. */
function scheduleSnapshots(
  tasks: TaskLog,
  intervalSeconds: number | null,
  leads: () => boolean,
  log: Log,
): NodeJS.Timeout | undefined {
  if (intervalSeconds === null) return undefined;
  return setInterval(() => {
    if (!leads()) return;
    tasks.enqueue({ type: "snapshotCreation" }, null).catch((error: Error) => {
      log.error("main", "a snapshot could not be scheduled", { cause: error.message });
    });
  }, intervalSeconds * 1000);
}
