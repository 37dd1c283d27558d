/**
 * What one atomic write is made of, gathered before the database hears of it: an encoder that throws leaves nothing
 * half queued. Never does I/O itself.
 */
import type { Change } from "./environment.ts";

/** The database refuses keys beyond 1,978 bytes, but only half way through a batch. */
const KEY_BYTES_MAX = 1900;

export class WriteSession {
  #changes: Change[] = [];
  #open = false;

  gather(action: () => void): Change[] {
    if (this.#open) throw new Error("A store write cannot be nested in another one.");
    this.#open = true;
    try {
      action();
      return this.#changes;
    } finally {
      this.#changes = [];
      this.#open = false;
    }
  }

  add(change: Change): void {
    if (!this.#open) throw new Error("Store tables change only inside store.write().");
    const { key } = change;
    if (typeof key === "string" && (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)) {
      throw new Error(`A store key holds between 1 and ${KEY_BYTES_MAX} bytes.`);
    }
    this.#changes.push(change);
  }
}
