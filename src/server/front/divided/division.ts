/** Which servers hold which shards of an index that is divided. */
import type { AskableServers, Member } from "../cluster-view.ts";

/** Shards that the same servers hold. */
export interface HeldShards {
  shards: number[];
  /** Those that are to hold them, whether they can be asked or not. */
  names: readonly string[];
  /** Who can be asked, in this order; null stands for this server. */
  holders: readonly (Member | null)[];
}

export interface Division {
  groupsOf(id: string): HeldShards[];
}

interface DivisionParts {
  /** Of this server. */
  name: string;
  askable: Pick<AskableServers, "byShard" | "holdersOf">;
}

/** Shards with the same holders are one part, so that each of these can answer for it. */
export class ShardDivision implements Division {
  readonly #parts: DivisionParts;

  constructor(parts: DivisionParts) {
    this.#parts = parts;
  }

  groupsOf(id: string): HeldShards[] {
    const { askable, name } = this.#parts;
    const groups = new Map<string, { names: string[]; shards: number[] }>();
    for (const [shard, names] of askable.byShard(Number(id)).entries()) {
      const key = [...names].sort().join();
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { names, shards: [shard] });
      else known.shards.push(shard);
    }
    return Array.from(groups.values(), ({ names, shards }) => {
      const others = askable.holdersOf(Number(id), shards[0]!);
      return { shards, names, holders: names.includes(name) ? [null, ...others] : others };
    });
  }
}
