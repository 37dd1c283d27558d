/** From what the options say to the place where the servers of a cluster meet. */
import path from "node:path";
import type { Log } from "../../base/log/log.ts";
import type { HelperPool } from "../../engine/helper/pool.ts";
import { openBlobs } from "../../storage/blobs/open.ts";
import { DirectoryJournal } from "../../storage/journal/directory.ts";
import { DirectoryBoard } from "../../storage/journal/directory-board.ts";
import type { ClusterOptions } from "../options/cluster.ts";
import { ClusterFiles } from "./files.ts";
import { ClusterNode } from "./node.ts";

export interface ClusterSetup {
  databasePath: string;
  /** Where others reach this server. */
  address: string;
  helpers: Pick<HelperPool, "run">;
  log: Log;
}

export async function openCluster({ place, blobs, node }: ClusterOptions, setup: ClusterSetup): Promise<ClusterNode> {
  const { databasePath, address, helpers, log } = setup;
  const shared = openBlobs(blobs);
  const files = new ClusterFiles(databasePath, shared, (file) => helpers.run("segment.verifyBodies", { path: file }));
  const journal = new DirectoryJournal(path.join(place.path, "journal"));
  const board = new DirectoryBoard(path.join(place.path, "members"));
  const close = async (): Promise<void> => shared.close();
  return new ClusterNode(node, address, { journal, board, blobs, files, close }, log);
}
