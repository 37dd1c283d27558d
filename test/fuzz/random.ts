/** Choices that a seed repeats. */
import { randomFrom } from "../crash/mixed-writes.ts";

export class Dice {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomFrom(seed);
  }

  /** From 0 up to, but not with, `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  times<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}
