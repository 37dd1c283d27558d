/**
 * One typed table of the store: reads at once, writes only inside `store.write()`.
 * Knows keys, codecs and seals; never what a value means.
 */
import type { Environment, RawTable } from "./environment.ts";
import { DamagedRecord, SEAL_BYTES, seal, unseal } from "./seal.ts";
import { type TableName, tablePosition } from "./tables.ts";
import type { WriteSession } from "./write-session.ts";

export interface Codec<V> {
  /** What it gives is lent until the next call. */
  encode(value: V): Uint8Array;
  /** `bytes` is borrowed: valid only during the call. */
  decode(bytes: Uint8Array, key: number | string): V;
}

interface KeyRange<K> {
  start?: K;
  /** Exclusive. */
  end?: K;
  limit?: number;
}

/** Where the tables lie: another place after the store was opened anew. */
export interface TableSource {
  /** Throws while nothing can be read. */
  environment(): Pick<Environment, "tables">;
  /** What to throw for a read that failed. */
  failure(problem: unknown): unknown;
}

export interface PageCounts {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

export class Table<K extends number | string, V> {
  readonly name: TableName;
  readonly #position: number;
  readonly #source: TableSource;
  readonly #session: WriteSession;
  readonly #codec: Codec<V>;

  constructor(name: TableName, source: TableSource, session: WriteSession, codec: Codec<V>) {
    this.name = name;
    this.#position = tablePosition(name);
    this.#source = source;
    this.#session = session;
    this.#codec = codec;
  }

  get(key: K): V | undefined {
    const bytes = this.#read((database) => database.getBinaryFast(key));
    // The binding hands out one reused buffer and tells the size of the value only by its `length`.
    return bytes === undefined ? undefined : this.#decode(key, bytes.subarray(0, bytes.length));
  }

  has(key: K): boolean {
    return this.#read((database) => database.doesExist(key));
  }

  /** Gives what is stored, but the seal. */
  put(key: K, value: V): Uint8Array {
    const sealed = seal(this.name, key, this.#codec.encode(value));
    this.putSealed(key, sealed);
    return sealed.subarray(0, sealed.length - SEAL_BYTES);
  }

  /** What another thread has encoded and sealed. */
  putSealed(key: K, sealed: Uint8Array): void {
    this.#session.add({ table: this.#position, key, value: sealed });
  }

  remove(key: K): void {
    this.#session.add({ table: this.#position, key, value: null });
  }

  *entries(range: KeyRange<K> = {}): Generator<[K, V]> {
    for (const { key, value } of this.#each((database) => database.getRange(range))) {
      yield [key as K, this.#decode(key as K, value)];
    }
  }

  *keys(range: KeyRange<K> = {}): Generator<K> {
    for (const key of this.#each((database) => database.getKeys(range))) yield key as K;
  }

  /** Undecoded values in key order, for readers that need only a few bytes of each. */
  scan(visit: (key: K, bytes: Uint8Array) => void, range: KeyRange<K> = {}): void {
    for (const { key, value } of this.#each((database) => database.getRange(range))) {
      visit(key as K, this.#unseal(key as K, value));
    }
  }

  lastKey(): K | null {
    for (const key of this.#each((database) => database.getKeys({ reverse: true, limit: 1 }))) return key as K;
    // Walking backwards the binding stops before key 0, so a table that holds only that one is asked forwards.
    for (const key of this.keys({ limit: 1 })) return key;
    return null;
  }

  count(): number {
    return this.#read((database) => database.getStats() as { entryCount: number }).entryCount;
  }

  /** Pages this table really uses, overflow pages included; the file itself never shrinks. */
  pagesUsed(): number {
    const stats = this.#read((database) => database.getStats() as PageCounts);
    return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
  }

  #read<T>(action: (database: RawTable) => T): T {
    const database = this.#source.environment().tables[this.#position]!;
    try {
      return action(database);
    } catch (problem) {
      throw this.#source.failure(problem);
    }
  }

  *#each<T>(range: (database: RawTable) => Iterable<T>): Generator<T> {
    const records = this.#read((database) => range(database)[Symbol.iterator]());
    try {
      for (;;) {
        const next = this.#read(() => records.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      records.return?.();
    }
  }

  #decode(key: K, sealed: Uint8Array): V {
    return this.#codec.decode(this.#unseal(key, sealed), key);
  }

  #unseal(key: K, sealed: Uint8Array): Uint8Array {
    const bytes = unseal(this.name, key, sealed);
    if (bytes === null) throw new DamagedRecord(this.name, key);
    return bytes;
  }
}
