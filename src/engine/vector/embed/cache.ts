/** Vectors of recent queries, the least recently used given up first; bounded by number and by memory. */

/** Longer texts are hardly ever asked twice. */
export const CACHED_TEXT_BYTES_MAX = 2000;
const CACHE_BYTES_MAX = 64 << 20;
/** What an entry takes beside its key and its vector. */
const ENTRY_BYTES = 200;

export class QueryCache {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  /** In the order of their last use. */
  readonly #vectors = new Map<string, Float32Array>();
  #bytes = 0;

  /** 0 entries keeps nothing. */
  constructor(entriesMax: number, bytesMax = CACHE_BYTES_MAX) {
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  get(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (vector !== undefined) {
      this.#vectors.delete(key);
      this.#vectors.set(key, vector);
    }
    return vector;
  }

  set(key: string, vector: Float32Array): void {
    if (this.#entriesMax === 0) return;
    this.#remove(key);
    this.#vectors.set(key, vector);
    this.#bytes += entryBytes(key, vector);
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= this.#entriesMax && this.#bytes <= this.#bytesMax) break;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#vectors.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const vector = this.#vectors.get(key);
    if (vector === undefined) return;
    this.#vectors.delete(key);
    this.#bytes -= entryBytes(key, vector);
  }
}

function entryBytes(key: string, vector: Float32Array): number {
  return 2 * key.length + vector.byteLength + ENTRY_BYTES;
}
