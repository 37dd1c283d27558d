/** What a server of a cluster is made with: where all of them meet, and what is its own. Shapes only. */
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import type { MeasuredBlobs } from "../../storage/blobs/measured.ts";
import type { Board } from "../../storage/journal/board.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { ClusterFiles } from "./files.ts";

/** Where all servers of a cluster meet. */
export interface ClusterPlace {
  journal: Journal;
  board: Board;
  blobs: BlobsPlace;
  shared: MeasuredBlobs;
  files: ClusterFiles;
  checkpoints: Checkpoints;
  databasePath: string;
  /** Whether the store was begun with a checkpoint just now. */
  isJoined: boolean;
  /** Between two checkpoints. */
  checkpointMs: number;
  /** Closes what the place itself has open. */
  close(): Promise<void>;
}

/** Of this server. */
export interface NodeFacts {
  name: string;
  version: string;
  /** Whether a task shows as finished only when every server shows what it did. */
  waitsForAll: boolean;
  /** How many servers hold each index; null for all. */
  copies: number | null;
  /** Into how many shards new indexes are divided. */
  shards: number;
  /** Whether it may lead. */
  mayLead: boolean;
}
