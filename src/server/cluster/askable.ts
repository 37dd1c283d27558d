/**
 * Which other servers can be asked for what this one does not hold, in the order in which to ask them: those that are to hold it, each
 * in its turn, and after them the one that leads, which holds all. One that is still to bring it says so when it is asked.
 */
import type { AskableServers, LeaderRecord, Member } from "../front/cluster-view.ts";
import type { Holdings } from "./holdings.ts";
import type { Placement } from "./placement.ts";

interface AskableParts {
  /** Of this server. */
  name: string;
  placement: Pick<Placement, "holdersOf">;
  holdings: Pick<Holdings, "shardsOf">;
  members(): Member[];
  leader(): LeaderRecord | null;
}

export class Askable implements AskableServers {
  readonly #parts: AskableParts;
  #asked = 0;

  constructor(parts: AskableParts) {
    this.#parts = parts;
  }

  holders(id: number): Member[] {
    const [first, ...others] = this.byShard(id);
    return this.#inOrder(first!.filter((name) => others.every((names) => names.includes(name))));
  }

  holdersOf(id: number, shard: number): Member[] {
    return this.#inOrder(this.#parts.placement.holdersOf(id, shard));
  }

  byShard(id: number): string[][] {
    const { placement, holdings } = this.#parts;
    return Array.from({ length: holdings.shardsOf(id) }, (_, shard) => placement.holdersOf(id, shard));
  }

  #inOrder(holders: readonly string[]): Member[] {
    const { name: own, members, leader } = this.#parts;
    const others = members().filter(({ name, isLive, isIn, url }) => name !== own && isLive && isIn && url);
    const first = this.#asked++ % Math.max(1, holders.length);
    const names = [...holders.slice(first), ...holders.slice(0, first), leader()?.node ?? ""];
    return [...new Set(names)].flatMap((name) => others.find((other) => other.name === name) ?? []);
  }
}
