/** Notes in a bucket of NATS; they are told as they change, so looking at all of them asks nobody. */
import type { Board } from "./board.ts";
import type { KV } from "./nats-clients.ts";

const RESUME_MS = 500;

export class NatsBoard implements Board {
  readonly #bucket: KV;
  readonly #notes = new Map<string, string>();
  #isClosed = false;
  #watch: { stop(): void } | null = null;

  private constructor(bucket: KV) {
    this.#bucket = bucket;
  }

  /** With all notes that are there. */
  static async open(bucket: KV): Promise<NatsBoard> {
    const board = new NatsBoard(bucket);
    const keys: string[] = [];
    for await (const key of await bucket.keys()) keys.push(key);
    for (const key of keys) {
      const entry = await bucket.get(key);
      if (entry?.operation === "PUT") board.#notes.set(key, entry.string());
    }
    void board.#follow();
    return board;
  }

  async put(name: string, note: string): Promise<void> {
    await this.#bucket.put(name, note);
  }

  async all(): Promise<Map<string, string>> {
    return new Map(this.#notes);
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.delete(name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.stop();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const watch = await this.#bucket.watch();
        this.#watch = watch;
        for await (const entry of watch) {
          if (entry.operation === "PUT") this.#notes.set(entry.key, entry.string());
          else this.#notes.delete(entry.key);
        }
      } catch {
        // Tried again below. Notes that do not change meanwhile are those of servers that are not heard of.
      }
      await new Promise((resume) => setTimeout(resume, RESUME_MS).unref());
    }
  }
}
