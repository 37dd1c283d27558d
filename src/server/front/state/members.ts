/** The servers of a cluster as `/network` shows them: beside the remotes that somebody has named, this one and who leads. */
import type { Json, JsonObject } from "../../../base/json/value.ts";
import type { ClusterView } from "../cluster-view.ts";

/** `behind`: how many records of the journal searches there do not see yet. */
export function withMembers(network: JsonObject, cluster: ClusterView): JsonObject {
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
    leader: leader?.node ?? null,
    term: leader?.term ?? 0,
    sequence: shown,
    behind: Math.max(0, last - shown),
  };
}
