/**
 * Which records of the journal searches on this server see, and what is told once every server shows them. Records come in
 * order; what shows them may finish out of order, and a record counts only when all before it do.
 */

/** What has to happen until searches see a record: nothing, the writer thread shows it, or it finishes this batch. */
export type Needs = "nothing" | "writer" | { batch: number };

interface Entry {
  number: number;
  needs: Needs;
  isShown: boolean;
  release: Release | null;
  /** Set when the batch was run here. */
  show: (() => void) | null;
}

/** Called once all servers show a record. `show` tells of its batch where this server has run it. */
type Release = (show: (() => void) | null) => void;

export class ShownRecords {
  /** Those that are not shown yet, or not released. */
  readonly #entries: Entry[] = [];
  /** So many of them, from the first on, are shown. */
  #shownCount = 0;
  #applied = 0;
  #awaited = 0;

  /** Number of the last record that searches see. */
  get shown(): number {
    const hidden = this.#entries[this.#shownCount];
    return hidden === undefined ? this.#applied : hidden.number - 1;
  }

  /** Number of the last record that is shown and of which something is told once all servers show it. */
  get awaited(): number {
    return this.#awaited;
  }

  applied(number: number, needs: Needs, release: Release | null): void {
    this.#applied = number;
    if (needs === "nothing" && release === null) return;
    this.#entries.push({ number, needs, isShown: needs === "nothing", release, show: null });
    this.#count();
  }

  /** The writer thread shows all up to this record, or has read them when it started. */
  followed(number: number): void {
    for (let i = this.#shownCount; i < this.#entries.length && this.#entries[i]!.number <= number; i++) {
      this.#entries[i]!.isShown = true;
    }
    this.#count();
  }

  /** The writer thread has published the batch. */
  finished(batch: number, show: () => void): void {
    const entry = this.#entries.find(({ needs }) => typeof needs === "object" && needs.batch === batch);
    if (entry === undefined) {
      this.applied(this.#applied, "nothing", show);
      return;
    }
    entry.isShown = true;
    entry.show = show;
    this.#count();
  }

  /** Every server shows all up to this record. */
  release(number: number): void {
    while (this.#shownCount > 0 && this.#entries[0]!.number <= number) {
      this.#shownCount--;
      const { release, show } = this.#entries.shift()!;
      release?.(show);
    }
  }

  #count(): void {
    for (; this.#entries[this.#shownCount]?.isShown === true; this.#shownCount++) {
      const { number, release } = this.#entries[this.#shownCount]!;
      if (release !== null) this.#awaited = number;
    }
  }
}
