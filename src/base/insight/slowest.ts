/** The queries that took longest, each once with its longest time, in bounded memory. What was quick enough is forgotten. */

export interface Slow {
  query: string;
  slowestMs: number;
  /** Times it came, and took in all, since it is among the slowest. */
  count: number;
  totalMs: number;
}

const PLACE_BYTES = 120;

export class Slowest {
  readonly #places: number;
  readonly #byQuery = new Map<string, Slow>();
  /** Of the quickest among them, once all places are taken. */
  #quickest: Slow | null = null;
  #queryUnits = 0;

  constructor(places: number) {
    this.#places = places;
  }

  get bytes(): number {
    return this.#byQuery.size * PLACE_BYTES + this.#queryUnits * 2;
  }

  all(): Iterable<Slow> {
    return this.#byQuery.values();
  }

  add(query: string, ms: number): void {
    const known = this.#byQuery.get(query);
    if (known !== undefined) {
      known.count++;
      known.totalMs += ms;
      if (ms <= known.slowestMs) return;
      known.slowestMs = ms;
      if (known === this.#quickest) this.#findQuickest();
      return;
    }
    const quickest = this.#quickest;
    if (quickest !== null) {
      if (ms <= quickest.slowestMs) return;
      this.#byQuery.delete(quickest.query);
      this.#queryUnits -= quickest.query.length;
      this.#quickest = null;
    }
    this.put({ query, slowestMs: ms, count: 1, totalMs: ms });
  }

  /** One as it was noted earlier; what has no room is left out. */
  put(slow: Slow): void {
    if (this.#byQuery.size >= this.#places || this.#byQuery.has(slow.query)) return;
    this.#byQuery.set(slow.query, slow);
    this.#queryUnits += slow.query.length;
    if (this.#byQuery.size === this.#places) this.#findQuickest();
  }

  #findQuickest(): void {
    for (const slow of this.#byQuery.values()) {
      if (this.#quickest === null || slow.slowestMs < this.#quickest.slowestMs) this.#quickest = slow;
    }
  }
}

export function mergedSlowest(lists: readonly Slowest[]): Slow[] {
  const merged = new Map<string, Slow>();
  for (const list of lists) {
    for (const slow of list.all()) {
      const into = merged.get(slow.query);
      if (into === undefined) merged.set(slow.query, { ...slow });
      else {
        into.slowestMs = Math.max(into.slowestMs, slow.slowestMs);
        into.count += slow.count;
        into.totalMs += slow.totalMs;
      }
    }
  }
  return [...merged.values()].sort((a, b) => b.slowestMs - a.slowestMs || (a.query < b.query ? -1 : 1));
}
