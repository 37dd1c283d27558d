/**
 * Notes in a bucket of NATS; they are told as they change, so looking at all of them asks nobody. News are plain messages, which
 * no server keeps.
 */
import type { Board } from "./board.ts";
import type { KV, KvWatchEntry, NatsConnection, Subscription } from "./nats-clients.ts";

const RESUME_MS = 100;
/** When this server's own note is stored but not told of for this time, the subscription is dead. */
const UNSEEN_MS_MAX = 1000;

export class NatsBoard implements Board {
  readonly #bucket: KV;
  readonly #connection: NatsConnection;
  readonly #subject: string;
  readonly #listening: Subscription;
  #changed: () => void = () => {};
  #hear: (name: string, news: string) => void = () => {};
  readonly #notes = new Map<string, string>();
  #isClosed = false;
  #watch: { stop(): void } | null = null;
  #following: Promise<void> = Promise.resolve();
  /** The last note that was told of, and when the first later one was kept. */
  #seen = 0;
  #unseenSince: number | null = null;

  private constructor(bucket: KV, connection: NatsConnection, subject: string) {
    this.#bucket = bucket;
    this.#connection = connection;
    this.#subject = subject;
    this.#listening = connection.subscribe(`${subject}.*`, {
      callback: (problem, message) => {
        if (problem === null) this.#hear(message.subject.slice(subject.length + 1), message.string());
      },
    });
  }

  /** With all notes that are there. `subject`: where news are told. */
  static async open(bucket: KV, connection: NatsConnection, subject: string): Promise<NatsBoard> {
    const board = new NatsBoard(bucket, connection, subject);
    const keys: string[] = [];
    for await (const key of await bucket.keys()) keys.push(key);
    for (const key of keys) {
      const entry = await bucket.get(key);
      if (entry?.operation === "PUT") board.#notes.set(key, entry.string());
    }
    board.#following = board.#follow();
    return board;
  }

  async put(name: string, note: string): Promise<void> {
    if (this.#unseenSince !== null && performance.now() - this.#unseenSince > UNSEEN_MS_MAX) this.onReconnected();
    if ((await this.#bucket.put(name, note)) > this.#seen) this.#unseenSince ??= performance.now();
  }

  /** Whoever told of notes may be gone, and is not waited for. */
  onReconnected(): void {
    this.#unseenSince = null;
    this.#watch?.stop();
  }

  async all(): Promise<Map<string, string>> {
    return new Map(this.#notes);
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.delete(name);
  }

  tell(name: string, news: string): void {
    if (!this.#connection.isClosed()) this.#connection.publish(`${this.#subject}.${name}`, news);
  }

  onNews(hear: (name: string, news: string) => void): void {
    this.#hear = hear;
  }

  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changed = () => {};
    this.#hear = () => {};
    if (!this.#connection.isClosed()) this.#listening.unsubscribe();
    this.#watch?.stop();
    // While there is a connection: a watch that begins without one never ends.
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const watch = await this.#bucket.watch();
        this.#watch = watch;
        if (this.#isClosed) watch.stop();
        let come: KvWatchEntry[] = [];
        for await (const entry of watch) {
          come.push(entry);
          // Those that were there before this began come one by one, and only together are they of one moment.
          if ((entry.delta ?? 0) > 0) continue;
          this.#take(come);
          come = [];
        }
      } catch {
        // Tried again below. Notes that do not change meanwhile are those of servers that are not heard of.
      }
      await new Promise((resume) => setTimeout(resume, RESUME_MS).unref());
    }
  }

  #take(entries: readonly KvWatchEntry[]): void {
    for (const entry of entries) {
      if (entry.operation === "PUT") this.#notes.set(entry.key, entry.string());
      else this.#notes.delete(entry.key);
      this.#seen = entry.revision;
    }
    this.#unseenSince = null;
    this.#changed();
  }
}
