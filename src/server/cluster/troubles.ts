/** Tells of what fails and is tried again: the same once in a while, however often it is tried. */
import type { Log } from "../../base/log/log.ts";

/** The same trouble is told once in so long. */
const TROUBLE_MS = 10_000;

export class Troubles {
  readonly #log: Log;
  readonly #toldAt = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  tell({ message }: Error): void {
    const now = performance.now();
    if (now - (this.#toldAt.get(message) ?? Number.NEGATIVE_INFINITY) < TROUBLE_MS) return;
    this.#toldAt.set(message, now);
    this.#log.warn("cluster", "something fails and is tried again", { cause: message });
  }
}
