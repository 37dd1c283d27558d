/**
 * Which indexes this server holds: the files of those are here, and searches on them are answered here. Who leads holds all of them,
 * since it changes them. The others bring what they are to hold, and drop what they are not, as servers come and go.
 *
 * What is here is decided once for each index, and then changes only by `arrange`: whoever follows the journal brings the files of a
 * change before it is made, so an index that is here stays whole.
 */
import type { OwnStore } from "../../storage/store/store.ts";
import type { ClusterFiles } from "./files.ts";
import type { Placement } from "./placement.ts";

interface HoldingsParts {
  placement: Placement;
  files: Pick<ClusterFiles, "bringIndex">;
  store(): Pick<OwnStore, "manifests" | "refresh" | "shared">;
  leads(): boolean;
  /** These are here no longer, or not yet; all others are. */
  tell(elsewhere: number[]): void;
  onTrouble(problem: Error): void;
}

/** What is no longer to be here stays for a while: whoever is to have it may still be bringing it. */
const LINGER_MS = 60_000;
/** Interval at which this server looks what it should hold. */
const ARRANGE_MS = 5000;
/** What was dropped comes back no sooner than its files are gone. */
const DROPPED_MS = 30_000;

export class Holdings {
  readonly #parts: HoldingsParts;
  readonly #isHere = new Map<number, boolean>();
  /** Their files are on their way: those of later changes are brought as well. */
  readonly #coming = new Set<number>();
  readonly #unwantedSince = new Map<number, number>();
  readonly #droppedAt = new Map<number, number>();
  #arranging: Promise<void> | null = null;
  #arrangedAt = 0;

  constructor(parts: HoldingsParts) {
    this.#parts = parts;
  }

  /** Whether the files of an index are to be brought when it changes. */
  wants(id: number): boolean {
    if (this.#parts.placement.copies === null || this.#parts.leads() || this.#coming.has(id)) return true;
    const known = this.#isHere.get(id);
    if (known !== undefined) return known;
    const isHere = this.#parts.placement.isHere(id);
    this.#isHere.set(id, isHere);
    return isHere;
  }

  /** Of these, or of all that are stored, those that are not here. */
  elsewhere(ids: Iterable<number> = this.#stored()): number[] {
    if (this.#parts.placement.copies === null || this.#parts.leads()) return [];
    return [...ids].filter((id) => {
      this.wants(id);
      return this.#isHere.get(id) === false;
    });
  }

  /** Brings all that is not here, before this server leads. */
  async takeAll(): Promise<void> {
    if (this.#parts.placement.copies === null) return;
    for (const id of this.#stored()) {
      if (this.#isHere.get(id) === true) continue;
      await this.#bring(id);
      this.#isHere.set(id, true);
    }
  }

  /** These servers are there. Where they are others than before, and now and then, what is here is arranged anew. */
  heard(names: readonly string[], now: number): void {
    const isOther = this.#parts.placement.heard(names, now);
    if (!isOther && now - this.#arrangedAt < ARRANGE_MS) return;
    this.#arrangedAt = now;
    this.arrange(now);
  }

  /** Brings and drops what other servers that come and go have changed. */
  arrange(now: number): void {
    if (this.#parts.placement.copies === null || this.#arranging !== null || this.#parts.leads()) return;
    const wanted: number[] = [];
    const unwanted: number[] = [];
    for (const id of this.#stored()) {
      const isHere = this.wants(id);
      const isWanted = this.#parts.placement.isHere(id);
      if (isHere === isWanted) this.#unwantedSince.delete(id);
      else if (isWanted) {
        if (now - (this.#droppedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= DROPPED_MS) wanted.push(id);
      } else if (now - (this.#unwantedSince.get(id) ?? now) >= LINGER_MS) unwanted.push(id);
      else if (!this.#unwantedSince.has(id)) this.#unwantedSince.set(id, now);
    }
    if (wanted.length === 0 && unwanted.length === 0) return;
    this.#arranging = this.#move(wanted, unwanted, now)
      .catch((problem: Error) => this.#parts.onTrouble(problem))
      .finally(() => {
        this.#arranging = null;
      });
  }

  async #move(wanted: number[], unwanted: number[], now: number): Promise<void> {
    for (const id of unwanted) {
      this.#isHere.set(id, false);
      this.#droppedAt.set(id, now);
      this.#unwantedSince.delete(id);
    }
    if (unwanted.length > 0) this.#tell();
    for (const id of wanted) {
      this.#coming.add(id);
      try {
        await this.#bring(id);
        this.#isHere.set(id, true);
      } finally {
        this.#coming.delete(id);
      }
      this.#tell();
    }
  }

  #tell(): void {
    if (!this.#parts.leads()) this.#parts.tell(this.elsewhere());
  }

  /** As it is now: whoever makes changes has been asked by now whether they are wanted here, or has made them. */
  async #bring(id: number): Promise<void> {
    const store = this.#parts.store();
    await store.shared!.idle();
    store.refresh();
    const manifest = store.manifests.get(id);
    if (manifest !== undefined) await this.#parts.files.bringIndex(manifest);
  }

  /** Ids that are gone are forgotten. */
  #stored(): number[] {
    const store = this.#parts.store();
    store.refresh();
    const ids = [...store.manifests.keys()];
    if (this.#isHere.size > ids.length) {
      const there = new Set(ids);
      for (const id of this.#isHere.keys()) if (!there.has(id)) this.#isHere.delete(id);
    }
    return ids;
  }
}
