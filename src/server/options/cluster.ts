/** The options of a server that shares its state with others: where they meet, and what it is called there. */
import { hostname } from "node:os";
import path from "node:path";
import type { BlobsPlace } from "../../storage/blobs/blobs.ts";
import { SHARDS_MAX } from "../../storage/index/shards.ts";
import type { NatsPlace } from "../../storage/journal/nats-place.ts";
import { blobsPlace, folderOf, type StoreFacts } from "./blobs.ts";
import { OptionError } from "./error.ts";
import { choice, count, flag, text, type Values } from "./kinds.ts";

export interface ClusterOptions {
  place: { kind: "directory"; path: string } | NatsPlace;
  blobs: BlobsPlace;
  node: string;
  /** Where the others reach this server; null for the address it listens on. */
  url: string | null;
  /** Between two checkpoints. */
  checkpointSeconds: number;
  /** Whether a task shows as finished only when every server shows what it did. */
  waitsForAll: boolean;
  /** How many servers hold each index; null for all. */
  copies: number | null;
  /** Into how many shards new indexes are divided. */
  shards: number;
  /** Whether this server may lead, and so hold all indexes. */
  mayLead: boolean;
}

export const CLUSTER_TABLE = {
  // It may hold a password.
  cluster: text(
    "cluster",
    "Shares its state with the servers that meet there: nats:// and hosts, or file: and a directory",
    {
      value: "place",
      shown: "none",
      secret: true,
    },
  ),
  blobs: text("cluster-blobs", "Where they keep the files of indexes: s3://bucket/prefix, or file: and a directory", {
    value: "place",
    shown: "beside the rest",
  }),
  checkpointSeconds: count("cluster-checkpoint-interval", "Seconds between two checkpoints, from which servers join", {
    value: "seconds",
    least: 1,
    otherwise: 300,
  }),
  visibility: choice(
    "task-visibility",
    "When a task shows as finished: when all servers of the cluster show what it did, or the one that is asked",
    ["all", "local"],
    { otherwise: "all" },
  ),
  copies: count(
    "cluster-copies",
    "How many servers hold each index, besides the one that leads; the others ask those",
    {
      value: "number",
      least: 1,
      shown: "all",
    },
  ),
  shards: count(
    "cluster-shards",
    "Into how many shards new indexes are divided; each may lie on other servers, as many as hold an index",
    { value: "number", least: 1, most: SHARDS_MAX, shown: "one" },
  ),
  neverLeads: flag("cluster-never-leads", "Let others lead, which hold all indexes"),
  node: text("cluster-node", "What this server is called there", { value: "name", shown: "the name of the machine" }),
  url: text("cluster-url", "Where the others reach this server", {
    value: "url",
    shown: "the address it listens on",
    check: checkUrl,
  }),
};

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NATS = /^(nats|tls):\/\/(?:([^:@/]+)(?::([^@/]+))?@)?([^/?]+)(?:\/([^?]*))?(?:\?monitor=([\d,]+|none))?$/;
const NATS_PORT = 4222;
const MONITOR_PORT = 8222;
const CLUSTER_NAME = "default";

export function resolveCluster(given: Values<typeof CLUSTER_TABLE>, store: StoreFacts): ClusterOptions | null {
  const { cluster, blobs, node, url, checkpointSeconds, visibility, copies, shards, neverLeads } = given;
  if (cluster === null) {
    if ((blobs ?? node ?? url ?? copies ?? shards) !== null || neverLeads) {
      throw new OptionError(
        "`--cluster-blobs`, `--cluster-node`, `--cluster-url`, `--cluster-copies`, `--cluster-shards` and `--cluster-never-leads` need `--cluster`",
      );
    }
    return null;
  }
  const place = natsPlace(cluster) ?? {
    kind: "directory" as const,
    path: folderOf(cluster, "--cluster", ", or nats:// and hosts"),
  };
  const name = node ?? hostname().replaceAll(/[^A-Za-z0-9_-]/g, "-");
  if (!NAME.test(name)) {
    throw new OptionError(`\`--cluster-node ${name}\`: a name has up to 64 letters, digits, hyphens and underscores`);
  }
  if (blobs === null && place.kind === "nats") {
    throw new OptionError("`--cluster nats://…` needs `--cluster-blobs`: where the files of indexes are kept");
  }
  const beside = place.kind === "directory" ? path.join(place.path, "blobs") : "";
  const files =
    blobs === null ? { kind: "directory" as const, path: beside } : blobsPlace(blobs, "--cluster-blobs", store);
  const reached = url?.replace(/\/+$/, "") ?? null;
  const waitsForAll = visibility === "all";
  return {
    place,
    blobs: files,
    node: name,
    url: reached,
    checkpointSeconds,
    waitsForAll,
    copies,
    shards: shards ?? 1,
    mayLead: !neverLeads,
  };
}

/** `nats://user:password@a:4222,b:4222,c:4222/name?monitor=8222`, all but one host may be left out. Null for anything else. */
function natsPlace(given: string): NatsPlace | null {
  const [, scheme, user, password, hosts, name, monitor] = NATS.exec(given) ?? [];
  if (hosts === undefined) return null;
  const cluster = name || CLUSTER_NAME;
  if (!NAME.test(cluster)) throw new OptionError(`\`--cluster\`: \`${cluster}\` is no name for a cluster`);
  return {
    kind: "nats",
    servers: hosts.split(",").map((host) => (/:\d+$/.test(host) ? host : `${host}:${NATS_PORT}`)),
    name: cluster,
    user: user === undefined ? null : decodeURIComponent(user),
    password: password === undefined ? null : decodeURIComponent(password),
    tls: scheme === "tls",
    monitorPorts: monitor === "none" ? null : (monitor ?? String(MONITOR_PORT)).split(",").map(Number),
  };
}

function checkUrl(url: string, from: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return;
  throw new OptionError(`${from}: \`${url}\` is no address such as http://search-1.internal:7700`);
}
