/** The options of a server that shares its state with others: where they meet, and what it is called there. */
import { hostname } from "node:os";
import path from "node:path";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import { OptionError } from "./error.ts";
import { text, type Values } from "./kinds.ts";

export interface ClusterOptions {
  place: { kind: "directory"; path: string };
  blobs: BlobsPlace;
  node: string;
}

export const CLUSTER_TABLE = {
  cluster: text("cluster", "Shares its state with the servers that meet there: file: and a directory", {
    value: "place",
    shown: "none",
  }),
  blobs: text("cluster-blobs", "Where they keep the files of indexes: file: and a directory", {
    value: "place",
    shown: "beside the rest",
  }),
  node: text("cluster-node", "What this server is called there", { value: "name", shown: "the name of the machine" }),
};

const FILE = "file:";
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function resolveCluster({ cluster, blobs, node }: Values<typeof CLUSTER_TABLE>): ClusterOptions | null {
  if (cluster === null) {
    const given = blobs === null ? node : blobs;
    if (given !== null) throw new OptionError("`--cluster-blobs` and `--cluster-node` need `--cluster`");
    return null;
  }
  const folder = folderOf(cluster, "--cluster");
  const name = node ?? hostname().replaceAll(/[^A-Za-z0-9_-]/g, "-");
  if (!NAME.test(name)) {
    throw new OptionError(`\`--cluster-node ${name}\`: a name has up to 64 letters, digits, hyphens and underscores`);
  }
  const files = blobs === null ? path.join(folder, "blobs") : folderOf(blobs, "--cluster-blobs");
  return { place: { kind: "directory", path: folder }, blobs: { kind: "directory", path: files }, node: name };
}

function folderOf(given: string, option: string): string {
  if (!given.startsWith(FILE) || given.length === FILE.length) {
    throw new OptionError(`\`${option} ${given}\` is no place that is known; write file: and a directory`);
  }
  return path.resolve(given.slice(FILE.length).replace(/^\/\/(?=\/)/, ""));
}
