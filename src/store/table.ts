/**
 * One typed table of the store: reads at once, writes only inside `store.write()`.
 * Knows keys and codecs; never what a value means.
 */
import type { Database } from "lmdb";
import type { WriteSession } from "./write-session.ts";

export interface Codec<V> {
  encode(value: V): Uint8Array;
  /** `bytes` is borrowed: valid only during the call. */
  decode(bytes: Uint8Array, key: number | string): V;
}

export interface KeyRange<K> {
  start?: K;
  /** Exclusive. */
  end?: K;
  limit?: number;
}

export class Table<K extends number | string, V> {
  readonly name: string;
  readonly #database: Database<Uint8Array, number | string>;
  readonly #session: WriteSession;
  readonly #codec: Codec<V>;

  constructor(name: string, database: Database<Uint8Array, number | string>, session: WriteSession, codec: Codec<V>) {
    this.name = name;
    this.#database = database;
    this.#session = session;
    this.#codec = codec;
  }

  get(key: K): V | undefined {
    const bytes = this.#database.getBinaryFast(key);
    // The binding hands out one reused buffer and tells the size of the value only by its `length`.
    return bytes === undefined ? undefined : this.#codec.decode(bytes.subarray(0, bytes.length), key);
  }

  has(key: K): boolean {
    return this.#database.doesExist(key);
  }

  put(key: K, value: V): void {
    this.#session.put(this.#database, key, this.#codec.encode(value));
  }

  remove(key: K): void {
    this.#session.remove(this.#database, key);
  }

  *entries(range: KeyRange<K> = {}): Generator<[K, V]> {
    for (const { key, value } of this.#database.getRange(range)) yield [key as K, this.#codec.decode(value, key)];
  }

  *keys(range: KeyRange<K> = {}): Generator<K> {
    for (const key of this.#database.getKeys(range)) yield key as K;
  }

  /** Undecoded values in key order, for readers that need only a few bytes of each. */
  scan(visit: (key: K, bytes: Uint8Array) => void, range: KeyRange<K> = {}): void {
    for (const { key, value } of this.#database.getRange(range)) visit(key as K, value);
  }

  lastKey(): K | null {
    for (const key of this.#database.getKeys({ reverse: true, limit: 1 })) return key as K;
    // Walking backwards the binding stops before key 0, so a table that holds only that one is asked forwards.
    for (const key of this.keys({ limit: 1 })) return key;
    return null;
  }

  count(): number {
    return (this.#database.getStats() as { entryCount: number }).entryCount;
  }

  /** Pages this table really uses, overflow pages included; the file itself never shrinks. */
  pagesUsed(): number {
    const stats = this.#database.getStats() as {
      treeBranchPageCount: number;
      treeLeafPageCount: number;
      overflowPages: number;
    };
    return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
  }
}
