/**
 * Which shards of indexes this server holds: the files of those are here, and searches on them are answered here. Who leads holds all of
 * them, since it changes them. The others bring what they are to hold, and drop what they are not, as servers come and go.
 *
 * What is here is decided once for each piece, one shard of one index, and then changes only by `arrange`: whoever follows the journal
 * brings the files of a change before it is made, so a piece that is here stays whole.
 */
import { openManifest, readShards } from "../../storage/index/manifest.ts";
import { indexOfPiece, piecesOf, shardOfPiece } from "../../storage/index/shards.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import type { ClusterFiles } from "./files.ts";
import type { Placement } from "./placement.ts";

interface HoldingsParts {
  placement: Placement;
  files: Pick<ClusterFiles, "bringShard">;
  store(): Pick<OwnStore, "manifests" | "refresh" | "shared">;
  leads(): boolean;
  /** These pieces are here no longer, or not yet; all others are. */
  tell(elsewhere: number[]): void;
  onTrouble(problem: Error): void;
}

/** What is no longer to be here stays for a while: whoever is to have it may still be bringing it. */
const LINGER_MS = 60_000;
/** Interval at which this server looks what it should hold. */
const ARRANGE_MS = 5000;
/** What was dropped comes back no sooner than its files are gone. */
const DROPPED_MS = 30_000;
/** So long after a restart others are taken to be about to come back, too. */
const RESUMED_MS = 60_000;

export class Holdings {
  readonly #parts: HoldingsParts;
  readonly #isHere = new Map<number, boolean>();
  /** Their files are on their way: those of later changes are brought as well. */
  readonly #coming = new Set<number>();
  readonly #unwantedSince = new Map<number, number>();
  readonly #droppedAt = new Map<number, number>();
  /** Of each index that was looked at. */
  readonly #shards = new Map<number, number>();
  #arranging: Promise<void> | null = null;
  #arrangedAt = 0;
  /** Nothing is brought before; by the clock of `heard`. */
  #bringsFrom = Number.NEGATIVE_INFINITY;

  constructor(parts: HoldingsParts) {
    this.#parts = parts;
  }

  /** Whether the files of a piece are to be brought when it changes. */
  wants(piece: number): boolean {
    if (this.#parts.placement.copies === null || this.#parts.leads() || this.#coming.has(piece)) return true;
    const known = this.#isHere.get(piece);
    if (known !== undefined) return known;
    const isHere = this.#isPlacedHere(piece);
    this.#isHere.set(piece, isHere);
    return isHere;
  }

  /** Of the pieces of these indexes, or of all that are stored, those that are not here. */
  elsewhere(ids: Iterable<number> | null = null): number[] {
    if (this.#parts.placement.copies === null || this.#parts.leads()) return [];
    const pieces = ids === null ? this.#stored() : [...ids].flatMap((id) => piecesOf(id, this.shardsOf(id)));
    return pieces.filter((piece) => {
      this.wants(piece);
      return this.#isHere.get(piece) === false;
    });
  }

  /** Into how many shards an index is divided: that stays as it is. */
  shardsOf(id: number): number {
    const known = this.#shards.get(id);
    if (known !== undefined) return known;
    const store = this.#parts.store();
    store.refresh();
    const manifest = store.manifests.get(id);
    if (manifest === undefined) return 1;
    const shards = readShards(openManifest(manifest));
    this.#shards.set(id, shards);
    return shards;
  }

  #isPlacedHere(piece: number): boolean {
    return this.#parts.placement.isHere(indexOfPiece(piece), shardOfPiece(piece));
  }

  /**
   * At a restart: what is here stays, what is not is not brought at once. Of several that were stopped the first to be back knows of
   * no others, and is not to take over what they hold. `pieces`: those that have files, and whether they are here.
   */
  resume(pieces: ReadonlyMap<number, boolean>, now: number): void {
    for (const [piece, isHere] of pieces) this.#isHere.set(piece, isHere);
    this.#bringsFrom = now + RESUMED_MS;
  }

  /** Brings all that is not here, before this server leads. */
  async takeAll(): Promise<void> {
    if (this.#parts.placement.copies === null) return;
    for (const piece of this.#stored()) {
      if (this.#isHere.get(piece) === true) continue;
      await this.#bring(piece);
      this.#isHere.set(piece, true);
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
    for (const piece of this.#stored()) {
      const isHere = this.wants(piece);
      const isWanted = this.#isPlacedHere(piece);
      if (isHere === isWanted) this.#unwantedSince.delete(piece);
      else if (isWanted) {
        const droppedAt = this.#droppedAt.get(piece) ?? Number.NEGATIVE_INFINITY;
        if (now >= this.#bringsFrom && now - droppedAt >= DROPPED_MS) wanted.push(piece);
      } else if (now - (this.#unwantedSince.get(piece) ?? now) >= LINGER_MS) unwanted.push(piece);
      else if (!this.#unwantedSince.has(piece)) this.#unwantedSince.set(piece, now);
    }
    if (wanted.length === 0 && unwanted.length === 0) return;
    this.#arranging = this.#move(wanted, unwanted, now)
      .catch((problem: Error) => this.#parts.onTrouble(problem))
      .finally(() => {
        this.#arranging = null;
      });
  }

  async #move(wanted: number[], unwanted: number[], now: number): Promise<void> {
    for (const piece of unwanted) {
      this.#isHere.set(piece, false);
      this.#droppedAt.set(piece, now);
      this.#unwantedSince.delete(piece);
    }
    if (unwanted.length > 0) this.#tell();
    for (const piece of wanted) {
      this.#coming.add(piece);
      try {
        await this.#bring(piece);
        this.#isHere.set(piece, true);
      } finally {
        this.#coming.delete(piece);
      }
      this.#tell();
    }
  }

  #tell(): void {
    if (!this.#parts.leads()) this.#parts.tell(this.elsewhere());
  }

  /** As it is now: whoever makes changes has been asked by now whether they are wanted here, or has made them. */
  async #bring(piece: number): Promise<void> {
    const store = this.#parts.store();
    await store.shared!.idle();
    store.refresh();
    const manifest = store.manifests.get(indexOfPiece(piece));
    if (manifest !== undefined) await this.#parts.files.bringShard(manifest, shardOfPiece(piece));
  }

  /** All pieces; those of indexes that are gone are forgotten. */
  #stored(): number[] {
    const store = this.#parts.store();
    store.refresh();
    const pieces = [...store.manifests.keys()].flatMap((id) => piecesOf(id, this.shardsOf(id)));
    if (this.#isHere.size > pieces.length) {
      const there = new Set(pieces);
      for (const piece of this.#isHere.keys()) {
        if (there.has(piece)) continue;
        this.#isHere.delete(piece);
        this.#shards.delete(indexOfPiece(piece));
      }
    }
    return pieces;
  }
}
