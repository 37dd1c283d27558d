/**
 * How a batch that waits for another server lets the rest go ahead: it gives up its turn, and holds the index that it works
 * on, so that nobody changes that meanwhile. Where too many wait like that already, it is to be given up and tried again.
 */
import type { Mutex } from "./mutex.ts";

/** An answer that takes longer has the batch step aside. */
const PATIENCE_MS = 100;
/** How often a batch that waits for an index is asked whether it is still wanted. */
const WATCH_MS = 250;

export class Aside {
  /** Resolves when others may go ahead; never for a batch that is done before. */
  readonly begun: Promise<void>;
  readonly #mutex: Mutex;
  readonly #mayBegin: () => boolean;
  /** The one that is worked on. */
  #indexUid: string | null;
  #letGo: () => void = () => {};
  #isAside = false;
  #isDeferred = false;
  #isOver = false;

  constructor(mutex: Mutex, indexUid: string | null, mayBegin: () => boolean) {
    this.#mutex = mutex;
    this.#indexUid = indexUid;
    this.#mayBegin = mayBegin;
    this.begun = new Promise((resolve) => {
      this.#letGo = resolve;
    });
  }

  get isAside(): boolean {
    return this.#isAside;
  }

  /** Whether the batch has to be given up until fewer wait. */
  get isDeferred(): boolean {
    return this.#isDeferred;
  }

  /** Others do not wait for the call when it takes long. */
  async patiently<T>(call: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#begin(), PATIENCE_MS);
    try {
      return await call;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The batch goes on to this index, once nobody else holds it. `checkpoint` throws when the batch is to stop. */
  async moveTo(uid: string, checkpoint: () => void): Promise<void> {
    this.release();
    if (this.#mutex.held.has(uid)) this.#begin();
    const hold = async (): Promise<void> => {
      this.#mutex.hold(uid);
    };
    if (this.#isAside) while (!(await this.#mutex.runOn(() => uid, WATCH_MS, hold))) checkpoint();
    this.#indexUid = uid;
  }

  /** Nothing is prepared any more: it is too late to step aside. */
  end(): void {
    this.#isOver = true;
  }

  release(): void {
    if (this.#isAside && this.#indexUid !== null) this.#mutex.release(this.#indexUid);
    this.#indexUid = null;
  }

  #begin(): void {
    if (this.#isAside || this.#isOver) return;
    if (!this.#mayBegin()) {
      this.#isDeferred = true;
      return;
    }
    this.#isAside = true;
    if (this.#indexUid !== null) this.#mutex.hold(this.#indexUid);
    this.#letGo();
  }
}
