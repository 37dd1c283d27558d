/**
 * The writer thread: opens what is on disk, shows it to the readers, then runs batches until it is told to stop.
 * The only thread that changes an index. It speaks to the main thread in the messages of `messages.ts`.
 */

import "../../base/native/guard.ts";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { keepCode } from "../../base/bundle/keep.ts";
import { payloadFileOf, type TaskRecord } from "../../base/contract/task.ts";
import { limits } from "../../base/limits.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import { lowerPriority } from "../../base/time/priority.ts";
import { quietMoment } from "../../base/time/quiet-moments.ts";
import { Publisher } from "../../storage/index/publish.ts";
import { type ArenaHost, ArenaSet } from "../../storage/memory/arena-set.ts";
import { Control } from "../../storage/memory/control.ts";
import { collectGarbageSoon } from "../../storage/memory/garbage.ts";
import { openRemoteStore, type RemoteStore } from "../../storage/store/store.ts";
import { pendingTasks } from "../../storage/tasks/pending.ts";
import { TaskQueue } from "../../storage/tasks/queue.ts";
import { HelperClient } from "../helper/client.ts";
import { type IsWorth, isWorthCells, isWorthGraph } from "../vector/cost-model.ts";
import { connectThrough, EmbedClient } from "../vector/embed/client.ts";
import { Committer } from "./commit.ts";
import { follow } from "./follow.ts";
import { FreshTasks } from "./fresh-tasks.ts";
import type { IndexState } from "./index-state.ts";
import { Indexes, readManifests } from "./indexes.ts";
import { sweepArchives } from "./leftovers.ts";
import { Merger } from "./merges.ts";
import type { FromWriter, ToWriter, WriterStart } from "./messages.ts";
import { Mutex } from "./mutex.ts";
import { OpeningOrder } from "./opening-order.ts";
import { RetiredFiles } from "./retired-files.ts";
import { Runner } from "./runner.ts";
import { sharing } from "./share-files.ts";
import { VectorPartBuilder } from "./vector-parts.ts";
import { Verification } from "./verification.ts";

/** Evacuating memory moves at most this much at once, so that batches wait no longer than a copy of it takes. */
const EVACUATED_BYTES = 64 * 1024 * 1024;
const IDLE_INTERVAL_MS = 500;
const KEEP_CODE_AFTER_TICKS = 5;
/** Requests that come right after the start have the cores to themselves for so long. */
const VERIFIED_WITHIN_MS = 5000;

const port = parentPort!;
const say = (message: FromWriter, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved);

// Started before there is anything to do: code is loaded, and what to work on comes when the main thread has opened it.
const startPort = workerData as MessagePort;
startPort.once("message", (start: WriterStart) => {
  startPort.close();
  const store = openRemoteStore(path.join(start.databasePath, "store"), start.storePort);
  // The last commit of a writer that died may still be on its way. One that follows makes none.
  const isNext = start.memories.size > 0 && start.shared?.leads !== false;
  const settled = isNext ? store.settled() : Promise.resolve();
  void settled.then(() => run(start, store));
});

function run(start: WriterStart, store: RemoteStore): void {
  const helpers = new HelperClient(start.helperPort);
  const control = new Control(start.control);
  const arenasReady = new Map<number, () => void>();
  const host: ArenaHost = {
    announce: (arena, memory) =>
      new Promise((resolve) => {
        arenasReady.set(arena, resolve);
        say({ kind: "arena", arena, memory });
      }),
    dismiss: (arena) => say({ kind: "arenaGone", arena }),
  };
  const arenas = new ArenaSet(host, limits.arenaBytes, start.memoryBytesMax, start.workspacesBytes);
  const indexFolder = path.join(start.databasePath, "indexes");
  const publisher = new Publisher(control, arenas, (id, file) => path.join(indexFolder, id, file));
  if (start.shared?.leads === false) {
    const close = (): void => {
      helpers.close();
      start.embedPort.close();
    };
    const onArenaReady = (arena: number): void => arenasReady.get(arena)?.();
    void follow({ start, store, publisher, control, port, say, onArenaReady, evacuatedBytes: EVACUATED_BYTES, close });
    return;
  }
  // The front of a server that leads has a part in what every other one does. Tasks that wait meanwhile share a batch.
  if (start.shared !== null) lowerPriority();
  const number = store.mark()?.number ?? 0;
  const nextIndexId = store.meta.get("nextIndexId");
  const nextId = typeof nextIndexId === "number" ? nextIndexId : 0;
  const indexes = new Indexes(start.databasePath, publisher, nextId, start.shared?.shards);
  const fresh = new FreshTasks(store.tasks);
  const { tasks: tasksMax, payloadBytes: payloadBytesMax } = start.batchLimits;
  const queue = new TaskQueue((uid) => fresh.take(uid), { tasksMax, payloadBytesMax });
  const mutex = new Mutex();
  const share = start.shared === null ? null : sharing(start.shared.blobs, start.databasePath, say);
  const committer = new Committer(store, publisher, indexes, new RetiredFiles(control), share);
  const work = {
    store,
    indexes,
    helpers,
    builders: start.builders,
    databasePath: start.databasePath,
    dumpDirectory: start.dumpDirectory,
    snapshotDirectory: start.snapshotDirectory,
    s3: start.s3,
    payloadBytesMax: start.payloadBytesMax,
    outgoing: new Outgoing(new AddressPolicy(start.allowedIpNetworks)),
    embed: new EmbedClient(connectThrough(start.embedPort)),
    ignoredFailures: start.ignoredFailures,
  };
  /** Tasks that have to wait for an embedder keep nobody else from working. */
  const isBusy = (): boolean => queue.size > 0 && !runner.isIdle;
  const merger = new Merger(work, committer, mutex, {
    isBusy,
    onFailure: (problem) => say({ kind: "log", level: "error", message: `a merge failed: ${problem}` }),
  });
  const from = (count: number | null, isWorth: IsWorth): IsWorth => (count === null ? isWorth : (own) => own >= count);
  const vectorParts = new VectorPartBuilder(
    work,
    committer,
    mutex,
    {
      isBusy: () => isBusy() || merger.isRunning,
      onFailure: (problem) =>
        say({ kind: "log", level: "warn", message: `cells or a graph of vectors were not made: ${problem}` }),
    },
    {
      isWorth: { cells: from(start.cellsFrom, isWorthCells), graphs: from(start.graphsFrom, isWorthGraph) },
      graphBuilder: start.graphBuilder,
    },
  );
  const runner = new Runner({ work, queue, committer, merger, mutex, say });
  const order = new OpeningOrder(readManifests(store));

  port.on("message", (message: ToWriter) => {
    switch (message.kind) {
      case "tasks":
        store.refresh();
        queue.add(fresh.waiting(message.uids));
        runner.wake();
        break;
      case "wanted":
        order.want(message.uid);
        break;
      case "arenaReady":
        arenasReady.get(message.arena)?.();
        arenasReady.delete(message.arena);
        break;
      case "stop":
        runner.stop();
        break;
    }
  });

  void open().then(serve);

  /** Shows what is on disk, some of it before the rest is read. */
  async function open(): Promise<void> {
    if (start.memories.size > 0) await publisher.adopt(start.memories);
    const verification = new Verification(indexes);
    for (const group of indexes.load(order)) {
      await show(verification.begin(group));
      say({ kind: "shown" });
      // What somebody waits for is heard of here.
      await turn();
    }
    await show(
      [],
      publisher.shownUids().filter((uid) => indexes.get(uid) === null),
    );
    const waiting = [...pendingTasks(store)];
    indexes.sweepSegments();
    // A writer that replaces a dead one finds payloads of requests that are still being received.
    if (start.memories.size === 0) indexes.sweepPayloads(payloadFiles(waiting));
    sweepArchives(start.databasePath, [start.dumpDirectory, start.snapshotDirectory]);
    queue.add(waiting);
    say({ kind: "ready", number });
    await quietMoment(VERIFIED_WITHIN_MS, () => queue.size > 0 || runner.isStopping);
    const verify = (file: string): Promise<string | null> => helpers.run("segment.verifyBodies", { path: file });
    const unreadable = await verification.readOthers(verify, () => runner.isStopping);
    if (unreadable.length > 0) await show(unreadable);
    merger.consider();
  }

  async function show(states: readonly IndexState[], remove: string[] = []): Promise<void> {
    if (states.length === 0 && remove.length === 0) return;
    await publisher.publish({
      put: states.map(({ uid, manifest, problem }) => ({ uid, manifest, ...(problem === null ? {} : { problem }) })),
      remove,
    });
    for (const { uid, problem } of states) {
      if (problem !== null)
        say({ kind: "log", level: "error", message: `index \`${uid}\` cannot be served: ${problem}` });
    }
  }

  /** Runs batches until it is told to stop. */
  async function serve(): Promise<void> {
    /** Memory that deletions and merges have left half empty goes back to the system when there is nothing else to do. */
    let busySince = true;
    let ticksUntilKeeping = KEEP_CODE_AFTER_TICKS;
    const tidying = setInterval(() => {
      if (isBusy()) {
        busySince = true;
        return;
      }
      // An engine that has nothing to do does not collect what the last batches left.
      if (busySince) collectGarbageSoon();
      busySince = false;
      if (--ticksUntilKeeping <= 0) keepCode();
      vectorParts.consider();
      mutex
        .run(async () => {
          // Batches that wait aside look into segments where they lie now.
          const moved = mutex.held.size > 0 ? null : await publisher.evacuate(EVACUATED_BYTES);
          if (moved !== null) indexes.reopen(moved);
        })
        .catch((problem) => say({ kind: "log", level: "warn", message: `memory could not be given back: ${problem}` }));
    }, IDLE_INTERVAL_MS);

    await runner.run();
    clearInterval(tidying);
    vectorParts.stop();
    await merger.stop();
    await store.close();
    helpers.close();
    work.outgoing.close();
    work.embed.close();
    start.embedPort.close();
    say({ kind: "stopped" });
    port.close();
  }

  function payloadFiles(tasks: readonly TaskRecord[]): Set<string> {
    return new Set(tasks.flatMap(({ content }) => payloadFileOf(content) ?? []));
  }
}
