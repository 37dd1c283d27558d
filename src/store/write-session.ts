/**
 * What one atomic write is made of, gathered before the database hears of it: an encoder that throws leaves nothing
 * half queued. Never does I/O itself.
 */
import type { Database } from "lmdb";

/** The database refuses keys beyond 1,978 bytes, but only half way through a batch. */
const KEY_BYTES_MAX = 1900;

type RawTable = Database<Uint8Array, number | string>;

export class WriteSession {
  #tables: RawTable[] = [];
  #keys: (number | string)[] = [];
  #values: (Uint8Array | null)[] = [];
  #open = false;

  gather(action: () => void): void {
    if (this.#open) throw new Error("A store write cannot be nested in another one.");
    this.#open = true;
    try {
      action();
    } catch (error) {
      this.#clear();
      throw error;
    } finally {
      this.#open = false;
    }
  }

  put(table: RawTable, key: number | string, value: Uint8Array): void {
    this.#push(table, key, value);
  }

  remove(table: RawTable, key: number | string): void {
    this.#push(table, key, null);
  }

  /** Hands everything gathered to the database; must be called inside the database's own batch. */
  issue(): void {
    for (let i = 0; i < this.#tables.length; i++) {
      const value = this.#values[i]!;
      if (value === null) this.#tables[i]!.remove(this.#keys[i]!);
      else this.#tables[i]!.put(this.#keys[i]!, value);
    }
    this.#clear();
  }

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  #push(table: RawTable, key: number | string, value: Uint8Array | null): void {
    if (!this.#open) throw new Error("Store tables change only inside store.write().");
    if (typeof key === "string" && (key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX)) {
      throw new Error(`A store key holds between 1 and ${KEY_BYTES_MAX} bytes.`);
    }
    this.#tables.push(table);
    this.#keys.push(key);
    this.#values.push(value);
  }

  #clear(): void {
    this.#tables = [];
    this.#keys = [];
    this.#values = [];
  }
}
