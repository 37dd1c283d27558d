/**
 * Analytics that stay on this machine: what is searched, what finds nothing, what is slow, what is clicked, by index and day.
 * A search only leaves a note, in a list of fixed length; notes are counted a moment later, many at a time, or when somebody
 * wants to see. Files follow at intervals and at the end: after a crash, what came since is not counted.
 */
import type { Log } from "../log/log.ts";
import { Book, type DaySheet } from "./book.ts";
import { DAY_MS } from "./days.ts";
import { readBook, writeBook } from "./files.ts";
import { countedQuery } from "./query-text.ts";
import type { Click, SeenSearch } from "./sheet.ts";

/** Notes that wait to be counted, at most, and for how long. */
const NOTES = 512;
const COUNT_AFTER_MS = 100;
const WRITE_EVERY_MS = 30_000;

interface InsightSetup {
  /** Where its files lie. */
  folder: string;
  log: Log;
  book?: Book;
  /** Milliseconds since 1970. */
  now?: () => number;
  writeEveryMs?: number;
}

export class Insight {
  readonly #folder: string;
  readonly #log: Log;
  readonly #book: Book;
  readonly #now: () => number;
  readonly #notes: SeenSearch[] = [];
  readonly #timer: NodeJS.Timeout;
  #counting: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** Whether the log was told that files cannot be written. */
  #hasComplained = false;

  constructor({ folder, log, book = new Book(), now = Date.now, writeEveryMs = WRITE_EVERY_MS }: InsightSetup) {
    this.#folder = folder;
    this.#log = log;
    this.#book = book;
    this.#now = now;
    readBook(folder, book, (file, cause) => log.warn("insight", "a file of analytics is damaged", { file, cause }));
    this.#book.endAt(this.today);
    this.#timer = setInterval(() => void this.write(), writeEveryMs).unref();
  }

  get today(): number {
    return Math.floor(this.#now() / DAY_MS);
  }

  get bytes(): number {
    return this.#book.bytes;
  }

  /** A search that is answered. */
  search(indexUid: string, query: string | null, found: number | null, ms: number): void {
    this.#notes.push({ indexUid, query: query ?? "", found, ms });
    if (this.#notes.length >= NOTES) this.#count();
    else this.#counting ??= setTimeout(() => this.#count(), COUNT_AFTER_MS).unref();
  }

  click(click: Click): void {
    // A click belongs to searches that came before it.
    this.#count();
    this.#book.click({ ...click, query: countedQuery(click.query) }, this.today);
  }

  /** Newest first; both days are among them. */
  between(indexUid: string, from: number, to: number): DaySheet[] {
    this.#count();
    this.#book.endAt(this.today);
    return this.#book.between(indexUid, from, to);
  }

  forget(indexUid: string): void {
    this.#count();
    this.#book.keepIndexes((each) => each !== indexUid);
  }

  /** All but these. */
  keepIndexes(uids: ReadonlySet<string>): void {
    this.#count();
    this.#book.keepIndexes((uid) => uids.has(uid));
  }

  rename(indexUid: string, newUid: string): void {
    this.#count();
    this.#book.rename(indexUid, newUid);
  }

  /** Resolves when all that was counted is on disk, or cannot be. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      this.#count();
      this.#book.endAt(this.today);
      try {
        await writeBook(this.#folder, this.#book);
        this.#hasComplained = false;
      } catch (error) {
        if (!this.#hasComplained) {
          const { message: cause } = error as Error;
          this.#log.warn("insight", "analytics cannot be written for now; they are counted on", { cause });
        }
        this.#hasComplained = true;
      }
    });
    return this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  #count(): void {
    if (this.#counting !== null) clearTimeout(this.#counting);
    this.#counting = null;
    const day = this.today;
    for (const note of this.#notes) {
      note.query = countedQuery(note.query);
      this.#book.search(note, day);
    }
    this.#notes.length = 0;
  }
}
