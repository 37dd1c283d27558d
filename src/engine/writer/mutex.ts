/**
 * One at a time, in the order of asking: a batch and a finished merge never prepare changes from the same state at once. A
 * batch that waits for somebody else lets others go ahead and holds its index meanwhile: nothing else may change that one.
 */
import { within } from "../../base/time/within.ts";

interface Hold {
  released: Promise<void>;
  release(): void;
}

export class Mutex {
  #turn: Promise<unknown> = Promise.resolve();
  readonly #holds = new Map<string, Hold>();

  run<T>(action: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(action);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Uids of indexes that others must leave as they are. */
  get held(): Pick<ReadonlyMap<string, unknown>, "has" | "size"> {
    return this.#holds;
  }

  hold(uid: string): void {
    if (this.#holds.has(uid)) throw new Error(`index \`${uid}\` is held already`);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#holds.set(uid, { released, release });
  }

  release(uid: string): void {
    this.#holds.get(uid)?.release();
    this.#holds.delete(uid);
  }

  /** As `run`, once nobody holds the index. False when that has taken too long and nothing was done. */
  async runOn(uid: () => string, msMax: number, action: () => Promise<void>): Promise<boolean> {
    const end = performance.now() + msMax;
    for (;;) {
      const isDone = await this.run(async () => {
        if (this.#holds.has(uid())) return false;
        await action();
        return true;
      });
      if (isDone) return true;
      const leftMs = end - performance.now();
      if (leftMs <= 0) return false;
      await within(leftMs, this.#holds.get(uid())?.released);
    }
  }
}
