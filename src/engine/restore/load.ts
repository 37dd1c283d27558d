/**
 * Fills an empty database directory from a dump, with a writer of its own that nobody reads from. What it leaves when it
 * fails half way is of no use: whoever calls it starts over with an empty directory.
 */
import { rm } from "node:fs/promises";
import path from "node:path";
import { MessageChannel } from "node:worker_threads";
import { spreadArchive } from "../../base/archive/reader.ts";
import { limits } from "../../base/limits.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import { DumpFolder } from "../../storage/dump/files.ts";
import { openDump } from "../../storage/dump/open.ts";
import type { Warn } from "../../storage/dump/source.ts";
import { segmentPathIn } from "../../storage/index/paths.ts";
import { Publisher } from "../../storage/index/publish.ts";
import { ArenaSet } from "../../storage/memory/arena-set.ts";
import { Control } from "../../storage/memory/control.ts";
import { openStore } from "../../storage/store/store.ts";
import { HelperClient, serveHelperClient } from "../helper/client.ts";
import { HelperPool } from "../helper/pool.ts";
import { EmbedClient } from "../vector/embed/client.ts";
import { startEmbedThread } from "../vector/embed/host.ts";
import { noRequests } from "../vector/embed/messages.ts";
import { Committer } from "../writer/commit.ts";
import { ignoredFailures } from "../writer/embedding/failures.ts";
import { Indexes } from "../writer/indexes.ts";
import { Merger } from "../writer/merges.ts";
import { Mutex } from "../writer/mutex.ts";
import { Progress } from "../writer/progress.ts";
import { RetiredFiles } from "../writer/retired-files.ts";
import type { Work } from "../writer/work.ts";
import { loadIndexes } from "./load-indexes.ts";
import { loadRecords } from "./load-records.ts";

export interface DumpLoad {
  dumpPath: string;
  databasePath: string;
  /** Threads that build segments. */
  builders: number;
  /** For documents that come without the vectors an embedder is to make. */
  embed: { allowedIpNetworks: readonly string[]; modelsDir: string | null; modelsDownload: boolean };
}

export async function loadDump(load: DumpLoad, warnAlways: Warn): Promise<void> {
  const warn = once(warnAlways);
  const { databasePath, builders } = load;
  const unpacked = path.join(databasePath, "unpacked-dump");
  const dump = await openDump(new DumpFolder(await spreadArchive(load.dumpPath, unpacked)), warn);
  const pool = new HelperPool(builders);
  const { port1, port2 } = new MessageChannel();
  serveHelperClient(pool, port1);
  const helpers = new HelperClient(port2);
  const store = openStore(path.join(databasePath, "store"));
  const log = { error: (_: string, message: string) => warn(message), info: () => {} };
  const embedThread = startEmbedThread({ ...load.embed, cacheEntries: 0, log });
  const embed = new EmbedClient((port) => embedThread.take(port));
  try {
    await loadRecords(dump, { store, helpers, databasePath, warn });
    const control = Control.create();
    const arenas = new ArenaSet({ announce: async () => {}, dismiss: () => {} });
    const publisher = new Publisher(control, arenas, segmentPathIn(databasePath));
    const indexes = new Indexes(databasePath, publisher, 0);
    const committer = new Committer(store, publisher, indexes, new RetiredFiles(control));
    const mutex = new Mutex();
    const work: Work = {
      store,
      indexes,
      helpers,
      builders,
      databasePath,
      dumpDirectory: databasePath,
      snapshotDirectory: databasePath,
      s3: null,
      payloadBytesMax: limits.payloadBytes,
      outgoing: new Outgoing(new AddressPolicy([])),
      embed,
      ignoredFailures: ignoredFailures(process.env),
      progress: new Progress(() => {}),
      requests: noRequests(),
      builds: { total: 0, waited: 0 },
      patiently: (call) => call,
      moveTo: async () => {},
      checkpoint: () => {},
    };
    const onFailure = (problem: unknown) => warn(`a merge failed: ${problem}`);
    // Only what must be merged is: the rest can wait until the server runs.
    const merger = new Merger(work, committer, mutex, { isBusy: () => true, onFailure });
    await loadIndexes(dump, { work, committer, merger, mutex });
    await merger.stop();
  } finally {
    helpers.close();
    embed.close();
    await embedThread.stop();
    await pool.stop();
    await store.close();
  }
  await rm(unpacked, { recursive: true, force: true });
}

/** Tells the same thing one time only. */
function once(warn: Warn): Warn {
  const told = new Set<string>();
  return (message) => {
    if (told.has(message)) return;
    told.add(message);
    warn(message);
  };
}
