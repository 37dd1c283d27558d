/** A server among several, where the options say so; its code is loaded only then. */
import { hostname } from "node:os";
import type { PayloadRef } from "../../base/contract/task.ts";
import type { Log } from "../../base/log/log.ts";
import { AddressPolicy } from "../../base/net/address-policy.ts";
import { Outgoing } from "../../base/net/outgoing.ts";
import { Proxies } from "../../base/net/proxies.ts";
import type { HelperPool } from "../../engine/helper/pool.ts";
import type { ReaderPool } from "../../engine/reader/pool.ts";
import type { Catalog } from "../../storage/index/catalog.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import type { ClusterNode } from "../cluster/node.ts";
import { ShardDivision } from "../front/divided/division.ts";
import { PartServers, partsSecret } from "../front/divided/part-servers.ts";
import { DividedReads } from "../front/divided/reads.ts";
import { Forwarding } from "../front/forwarding.ts";
import type { LargePayloads, Readers } from "../front/services.ts";
import type { WriterHost } from "../front/writer-link.ts";
import { OptionError, type Options } from "../options/options.ts";

/** Such an address is that of every network card. */
const ANY_HOSTS = new Set(["0.0.0.0", "::", "[::]"]);

export async function joinCluster(
  options: Options,
  version: string,
  helpers: HelperPool,
  log: Log,
): Promise<ClusterNode | null> {
  if (options.cluster === null) return null;
  const { openCluster } = await import("../cluster/open.ts");
  return openCluster(options.cluster, { databasePath: options.dbPath, version, helpers, log });
}

/** Where the others reach a server that listens here. */
export function urlFor({ cluster, sslCertPath }: Options, host: string, port: number): string {
  if (cluster !== null && cluster.url !== null) return cluster.url;
  const name = ANY_HOSTS.has(host) ? hostname() : host;
  return `${sslCertPath === null ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** What a cluster hears of the writer thread of its server. */
export function followingFor(
  cluster: ClusterNode,
): Pick<WriterHost, "onFollowed" | "whenShown" | "onReady" | "onShared"> {
  return {
    onFollowed: (number) => cluster.onFollowed(number),
    whenShown: (batch, show) => cluster.onFinished(batch, show),
    onShared: (traffic) => cluster.onShared(traffic),
    onReady: (number) => cluster.onWriterReady(number),
  };
}

/** Asks others where this server does not hold an index; null where each holds all. */
export function forwardingFor(
  options: Options,
  cluster: ClusterNode | null,
  indexes: Catalog,
  readers: ReaderPool,
): Forwarding | null {
  if (cluster === null || options.cluster === null || options.cluster.copies === null) return null;
  // Those are named by nobody but themselves, and are where they say.
  const outgoing = new Outgoing(new AddressPolicy(["any"]), new Proxies({}));
  return new Forwarding({ indexes, cluster, outgoing, readers });
}

/** Reads that ask other servers for parts of indexes, where not all hold all. */
export function dividedReadsFor(options: Options, cluster: ClusterNode | null, readers: ReaderPool): Readers {
  if (cluster === null || options.cluster === null || options.cluster.copies === null) return readers;
  const servers = new PartServers({
    name: cluster.name,
    secret: partsSecret(options.masterKey),
    outgoing: new Outgoing(new AddressPolicy(["any"]), new Proxies({})),
    here: (call, question) => readers.request("part", call, question),
  });
  return new DividedReads({ readers, division: new ShardDivision(cluster), servers, cluster });
}

/** What a server on its own wrote to the database of one of several would be known to none of the others. */
export function mustBelongToNone(store: Pick<OwnStore, "mark">): void {
  if (store.mark() === null) return;
  throw new OptionError("the database belongs to a server of a cluster; start with --cluster, or from a dump of it");
}

/** Payloads that are files are there for all servers before their tasks are. */
export function sharedPayloads(payloads: LargePayloads, cluster: ClusterNode | null): LargePayloads {
  if (cluster === null) return payloads;
  const share = async <Prepared extends { payload: PayloadRef }>(prepared: Prepared): Promise<Prepared> => {
    await cluster.sharePayload(prepared.payload.name);
    return prepared;
  };
  return {
    ...payloads,
    prepare: async (body, format, delimiter) => share(await payloads.prepare(body, format, delimiter)),
    prepareIds: async (body) => share(await payloads.prepareIds(body)),
  };
}
