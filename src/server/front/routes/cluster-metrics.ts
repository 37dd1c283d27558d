/** What `/metrics` tells of a server that shares its state with others. */
import type { ClusterView } from "../cluster-view.ts";
import type { MetricsText } from "../metrics.ts";

const NAME = "sabre_cluster_";

export function clusterMetrics(cluster: ClusterView, out: MetricsText): void {
  const { progress, counts, leader, leads, isWell } = cluster;
  const { applied, shown, last } = progress;
  const gauge = (name: string, help: string, value: number): void => out.single(`${NAME}${name}`, "gauge", help, value);
  gauge("applied_sequence", "The last record of the journal that is stored here", applied);
  gauge("shown_sequence", "The last record that searches here see", shown);
  gauge("last_sequence", "The last record that any server is known to have stored", last);
  gauge("lag", "Records that searches here do not see yet", Math.max(0, last - shown));
  gauge("term", "How often the lead has changed", leader?.term ?? 0);
  gauge("leader", "1 on the server that leads", leads ? 1 : 0);
  gauge("ready", "1 unless this server is cut off or catching up", isWell ? 1 : 0);
  gauge("members", "Servers that are there", cluster.members().filter(({ isLive }) => isLive).length);
  out.single(`${NAME}refused_commits_total`, "counter", "Records whose number another server had", counts.refused);
  for (const way of ["sent", "brought"] as const) {
    const { files, bytes, seconds } = counts[way];
    const count = (name: string, help: string, value: number): void =>
      out.single(`${NAME}blobs_${way}_${name}_total`, "counter", help, value);
    count("files", `Shared files that were ${way}`, files);
    count("bytes", `Bytes of them`, bytes);
    count("seconds", `Seconds that this took`, seconds);
  }
}
