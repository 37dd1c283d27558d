/** Has the leader make checkpoints, now and then and when much was written, and forget what is no longer needed. */
import type { Log } from "../../base/log/log.ts";
import type { Journal } from "../../storage/journal/journal.ts";
import type { OwnStore } from "../../storage/store/store.ts";
import type { Member } from "../front/cluster-view.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** So much in the journal is too much to follow from the beginning. */
const CHECKPOINT_BYTES = 64 << 20;

interface KeeperParts {
  store: OwnStore;
  journal: Journal;
  checkpoints: Checkpoints;
  intervalMs: number;
  leads(): boolean;
  members(): Member[];
  onTrouble(problem: Error): void;
  log: Log;
}

export class CheckpointKeeper {
  readonly #parts: KeeperParts;
  readonly #timer: NodeJS.Timeout;
  #making: Promise<void> | null = null;
  /** Bytes of records since the last one. */
  #bytes = 0;
  #isStopped = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#consider(), parts.intervalMs);
  }

  written(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > CHECKPOINT_BYTES) this.#consider();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#making;
  }

  #consider(): void {
    const { leads, onTrouble } = this.#parts;
    if (!leads() || this.#making !== null || this.#isStopped) return;
    this.#bytes = 0;
    this.#making = this.#make()
      .catch(onTrouble)
      .finally(() => {
        this.#making = null;
      });
  }

  /** Unless nothing has happened since the last one. */
  async #make(): Promise<void> {
    const { store, journal, checkpoints, log } = this.#parts;
    const [newest] = await checkpoints.list();
    if (newest !== undefined && newest.number >= store.shared!.mark.number) return;
    const record = await checkpoints.make(store);
    const kept = await checkpoints.list();
    const needed = checkpoints.neededFrom(kept);
    if (needed === null) return;
    // Servers that are behind, but there, need not begin anew.
    const live = this.#parts.members().flatMap(({ isLive, applied }) => (isLive ? [applied + 1] : []));
    const journalFrom = Math.min(...live, needed);
    await journal.trim(journalFrom);
    const filesRemoved = journalFrom === needed ? await checkpoints.collect(kept, store) : 0;
    log.info("cluster", "a checkpoint is made", { record, journalFrom, filesRemoved });
  }
}
