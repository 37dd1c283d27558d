/** From what the options say to the place where the servers of a cluster meet. */
import { statSync } from "node:fs";
import path from "node:path";
import { KIB } from "../../base/limits.ts";
import type { Log } from "../../base/log/log.ts";
import type { HelperPool } from "../../engine/helper/pool.ts";
import type { Blobs } from "../../storage/blobs/blobs.ts";
import { MeasuredBlobs } from "../../storage/blobs/measured.ts";
import { openBlobs } from "../../storage/blobs/open.ts";
import { DirectoryJournal } from "../../storage/journal/directory.ts";
import { DirectoryBoard } from "../../storage/journal/directory-board.ts";
import { UnfitNats } from "../../storage/journal/nats-place.ts";
import { type OpenedNats, openNats } from "../../storage/journal/open-nats.ts";
import { verifySegment } from "../../storage/segment/container.ts";
import type { ClusterOptions } from "../options/cluster.ts";
import { OptionError } from "../options/options.ts";
import { Checkpoints } from "./checkpoints.ts";
import { ClusterFiles } from "./files.ts";
import { beginStore } from "./joining.ts";
import { ClusterNode } from "./node.ts";

/** To have another thread look at a file takes as long as to look at so much of one that was written a moment ago. */
const VERIFIED_HERE_BYTES_MAX = 64 * KIB;

interface ClusterSetup {
  databasePath: string;
  version: string;
  helpers: Pick<HelperPool, "run">;
  log: Log;
}

export async function openCluster(options: ClusterOptions, setup: ClusterSetup): Promise<ClusterNode> {
  const { place, blobs, node: name, checkpointSeconds, waitsForAll, copies, shards, mayLead } = options;
  const { databasePath, version, helpers, log } = setup;
  const shared = new MeasuredBlobs(openBlobs(blobs));
  const verify = async (file: string): Promise<string | null> =>
    statSync(file).size <= VERIFIED_HERE_BYTES_MAX
      ? verifySegment(file, "bodies")
      : helpers.run("segment.verifyBodies", { path: file });
  const files = new ClusterFiles(databasePath, shared, verify);
  const meeting = await meet(place, shared, databasePath);
  const close = async (): Promise<void> => {
    await meeting.close();
    shared.close();
  };
  if (place.kind === "nats" && place.monitorPorts === null) {
    log.warn("cluster", "nobody looks whether NATS syncs what it acknowledges; unless it does, tasks can be lost");
  }
  const check = (file: string): Promise<null> => helpers.run("store.check", { path: file });
  const checkpoints = new Checkpoints(shared, databasePath, check);
  const checkpointMs = checkpointSeconds * 1000;
  const isJoined = await beginStore({ ...meeting, checkpoints }, path.join(databasePath, "store"), log);
  const shares = { ...meeting, blobs, shared, databasePath, isJoined, files, checkpoints, checkpointMs, close };
  return new ClusterNode({ name, version, waitsForAll, copies, shards, mayLead }, shares, log);
}

async function meet(place: ClusterOptions["place"], blobs: Blobs, databasePath: string): Promise<OpenedNats> {
  if (place.kind === "directory") {
    const journal = new DirectoryJournal(path.join(place.path, "journal"));
    const board = new DirectoryBoard(path.join(place.path, "members"));
    return { journal, board, close: async () => {} };
  }
  try {
    return await openNats(place, blobs, path.join(databasePath, "records"));
  } catch (problem) {
    if (problem instanceof UnfitNats) throw new OptionError(`\`--cluster\`: ${problem.message}`);
    throw problem;
  }
}
