/**
 * Which servers are to hold a shard of an index, where not all hold all: those of all that are there whose names, hashed together
 * with the id of the index and the number of the shard, come first. One that is not divided has one shard. Whoever comes takes over only what it comes first for, and whoever goes leaves only that to others.
 *
 * Rendezvous hashing: Thaler and Ravishankar 1998, "Using Name-Based Mappings to Increase Hit Rates".
 */
import { hash } from "node:crypto";

/** Silence after which a server no longer counts for placement; a restart takes less, and moves nothing. */
const GONE_MS = 60_000;

export class Placement {
  /** How many servers are to hold each shard; null for all. */
  readonly copies: number | null;
  readonly #self: string;
  /** When each was heard of last. */
  readonly #heard = new Map<string, number>();
  #names: readonly string[];

  constructor(self: string, copies: number | null) {
    this.#self = self;
    this.copies = copies;
    this.#names = [self];
  }

  /** `now` is that of a clock that never goes back. Returns whether others are there than before. */
  heard(names: Iterable<string>, now: number): boolean {
    for (const name of names) this.#heard.set(name, now);
    this.#heard.set(this.#self, now);
    for (const [name, at] of this.#heard) if (now - at >= GONE_MS) this.#heard.delete(name);
    const known = [...this.#heard.keys()].sort();
    const isOther = known.join() !== this.#names.join();
    this.#names = known;
    return isOther;
  }

  /** The first of them is asked first. */
  holdersOf(id: number, shard = 0): string[] {
    const what = shard === 0 ? `${id}` : `${id}/${shard}`;
    const ranked = this.#names.map((name) => ({ name, rank: hash("sha256", `${what} ${name}`) }));
    ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    return ranked.slice(0, this.copies ?? ranked.length).map(({ name }) => name);
  }

  isHere(id: number, shard = 0): boolean {
    return this.copies === null || this.holdersOf(id, shard).includes(this.#self);
  }
}
