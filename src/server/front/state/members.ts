/**
 * The servers of a cluster as `/network` shows them: beside the remotes that somebody has named, this one and who leads, and beside the
 * shards that somebody has named, those of divided indexes and who is to hold them.
 */
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { IndexView } from "../../../storage/index/view.ts";
import type { ClusterView } from "../cluster-view.ts";

/** `behind`: how many records of the journal searches there do not see yet. `indexes`: all that there are. */
export function withMembers(
  network: JsonObject,
  cluster: ClusterView,
  indexes: readonly Pick<IndexView, "uid" | "id" | "shards">[],
): JsonObject {
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
    shards: { ...(network["shards"] as JsonObject), ...shardsOf(indexes, cluster) },
    leader: leader?.node ?? null,
    term: leader?.term ?? 0,
    sequence: shown,
    behind: Math.max(0, last - shown),
  };
}

function shardsOf(
  indexes: readonly Pick<IndexView, "uid" | "id" | "shards">[],
  { askable }: Pick<ClusterView, "askable">,
): Record<string, Json> {
  const shards: Record<string, Json> = {};
  for (const { uid, id, shards: count } of indexes) {
    if (count === 1) continue;
    for (const [shard, names] of askable.byShard(Number(id)).entries()) shards[`${uid}/${shard}`] = { remotes: names };
  }
  return shards;
}
