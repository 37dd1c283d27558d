/**
 * Lets in what comes for the second time: most of what is asked once is never asked again, and what is kept for nothing lives
 * just long enough to be a burden on the garbage collector.
 */

/** Remembered at once; then all are forgotten. */
const NAMES_MAX = 1024;

export class Doorkeeper {
  readonly #seen = new Set<string>();

  /** Whether the name came before, lately. */
  knows(name: string): boolean {
    if (this.#seen.has(name)) return true;
    if (this.#seen.size === NAMES_MAX) this.#seen.clear();
    this.#seen.add(name);
    return false;
  }
}
