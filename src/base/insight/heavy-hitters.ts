/**
 * The most frequent of many texts, counted in bounded memory: the Space-Saving sketch (Metwally, Agrawal and El Abbadi, "Efficient
 * computation of frequent and top-k elements in data streams", 2005). A text that finds no room takes the place of the least
 * frequent one, and inherits its count as the error of its own. Of N texts counted in k places,
 *
 *   - every text that came more than N / k times has a place,
 *   - no count is too small, and none is too large by more than its error, which is at most N / k.
 */

export interface Hitter {
  key: string;
  /** At least as often as it came. */
  count: number;
  /** By how much the count may be too large: as often it came unseen, at most. */
  error: number;
  /** Totals of what came with it, since it has its place. */
  sums: number[];
}

/** What a place takes of memory beside its text, roughly. */
const PLACE_BYTES = 160;

export class HeavyHitters {
  readonly #places: number;
  readonly #hitters: Hitter[] = [];
  readonly #byKey = new Map<string, Hitter>();
  #keyUnits = 0;
  /** The smallest count, once all places are taken; no hitter before `#cursor` has it any more, as counts only grow. */
  #least = 0;
  #cursor = 0;

  constructor(places: number) {
    this.#places = places;
  }

  get size(): number {
    return this.#hitters.length;
  }

  get bytes(): number {
    return this.size * PLACE_BYTES + this.#keyUnits * 2;
  }

  /** As often a text without a place may have come. */
  get unseen(): number {
    if (this.size < this.#places) return 0;
    this.#findLeast();
    return this.#least;
  }

  get(key: string): Hitter | undefined {
    return this.#byKey.get(key);
  }

  all(): readonly Hitter[] {
    return this.#hitters;
  }

  /** One more of it, with so many sums that begin at 0 where it is new. */
  add(key: string, sums: number): Hitter {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.count++;
      return known;
    }
    if (this.size < this.#places) return this.put({ key, count: 1, error: 0, sums: new Array<number>(sums).fill(0) });
    const hitter = this.#findLeast();
    this.#byKey.delete(hitter.key);
    this.#byKey.set(key, hitter);
    this.#keyUnits += key.length - hitter.key.length;
    hitter.key = key;
    hitter.error = hitter.count;
    hitter.count++;
    hitter.sums.fill(0);
    return hitter;
  }

  /** One as it was noted earlier; what has no room is left out. */
  put(hitter: Hitter): Hitter {
    if (this.size >= this.#places || this.#byKey.has(hitter.key)) return hitter;
    this.#hitters.push(hitter);
    this.#byKey.set(hitter.key, hitter);
    this.#keyUnits += hitter.key.length;
    return hitter;
  }

  /** Every place is looked at once for each smallest count, however many texts take places meanwhile. */
  #findLeast(): Hitter {
    for (;;) {
      for (; this.#cursor < this.size; this.#cursor++) {
        const hitter = this.#hitters[this.#cursor]!;
        if (hitter.count === this.#least) return hitter;
      }
      this.#least = Number.POSITIVE_INFINITY;
      for (const { count } of this.#hitters) this.#least = Math.min(this.#least, count);
      this.#cursor = 0;
    }
  }
}

/** The hitters of all sketches together, with the same promise: what has no place in one of them may have come there unseen. */
export function mergedHitters(sketches: readonly HeavyHitters[]): Hitter[] {
  const merged = new Map<string, Hitter>();
  let unseen = 0;
  for (const sketch of sketches) {
    const least = sketch.unseen;
    unseen += least;
    for (const { key, count, error, sums } of sketch.all()) {
      const into = merged.get(key);
      if (into === undefined) merged.set(key, { key, count: count - least, error: error - least, sums: [...sums] });
      else {
        into.count += count - least;
        into.error += error - least;
        for (const [i, sum] of sums.entries()) into.sums[i]! += sum;
      }
    }
  }
  const hitters = [...merged.values()];
  for (const hitter of hitters) {
    hitter.count += unseen;
    hitter.error += unseen;
  }
  return hitters.sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}
