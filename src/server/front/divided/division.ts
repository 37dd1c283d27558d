/** Which servers hold which shards of an index that is divided. */
import { SHARDS } from "../../../engine/parts/divide.ts";
import type { ClusterView, Member } from "../cluster-view.ts";

/** Shards that the same servers hold. */
export interface HeldShards {
  shards: number[];
  /** In the order in which to ask them; null stands for this one. */
  holders: readonly (Member | null)[];
}

export interface Division {
  /** Null for an index that is answered here. */
  groupsOf(id: string): HeldShards[] | null;
}

/** For trials: every server holds all, and of as many parts as there are to be each is asked for its own. */
export class TrialDivision implements Division {
  readonly #cluster: Pick<ClusterView, "members" | "name"> | null;

  constructor(cluster: Pick<ClusterView, "members" | "name"> | null) {
    this.#cluster = cluster;
  }

  groupsOf(): HeldShards[] | null {
    const holders = this.#servers();
    return Array.from({ length: SHARDS }, (_, shard) => {
      const first = shard % holders.length;
      return { shards: [shard], holders: [...holders.slice(first), ...holders.slice(0, first)] };
    });
  }

  #servers(): (Member | null)[] {
    if (this.#cluster === null) return [null];
    const { name: own } = this.#cluster;
    const members = this.#cluster
      .members()
      .filter(({ isIn, isLive, name, url }) => name === own || (isLive && isIn && url));
    const servers = members.map((member) => (member.name === own ? null : member));
    return servers.includes(null) ? servers : [null, ...servers];
  }
}
