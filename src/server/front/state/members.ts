/**
 * The servers of a cluster as `/network` shows them: beside the remotes that somebody has named, this one and who leads, and beside the
 * shards that somebody has named, those of divided indexes and who is to hold them.
 */
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { DividedIndex } from "../../../engine/link/requests.ts";
import type { ClusterView } from "../cluster-view.ts";

/** `behind`: how many records of the journal searches there do not see yet. `divided`: all indexes that lie in shards. */
export function withMembers(network: JsonObject, cluster: ClusterView, divided: readonly DividedIndex[]): JsonObject {
  const { last } = cluster.progress;
  const remotes: Record<string, Json> = {};
  for (const { name, isLive, url, version, shown, isIn } of cluster.members()) {
    if (name === cluster.name || !isLive || url === null) continue;
    const behind = Math.max(0, last - shown);
    const status = isIn ? "available" : "unavailable";
    remotes[name] = { url, searchApiKey: null, writeApiKey: null, status, version, behind };
  }
  const { leader, name, shown } = cluster;
  return {
    ...network,
    self: name,
    remotes: { ...(network["remotes"] as JsonObject), ...remotes },
    shards: { ...(network["shards"] as JsonObject), ...shardsOf(divided, cluster) },
    leader: leader?.node ?? null,
    term: leader?.term ?? 0,
    sequence: shown,
    behind: Math.max(0, last - shown),
  };
}

function shardsOf(divided: readonly DividedIndex[], { askable }: Pick<ClusterView, "askable">): Record<string, Json> {
  const shards: Record<string, Json> = {};
  for (const { uid, id } of divided) {
    for (const [shard, names] of askable.byShard(Number(id)).entries()) shards[`${uid}/${shard}`] = { remotes: names };
  }
  return shards;
}
