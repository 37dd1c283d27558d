/** Notes in a directory that all servers can reach: one file each, and one for news. */
import { type FSWatcher, mkdirSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../../base/files/whole.ts";
import type { Board, Sight } from "./board.ts";
import { Rounds } from "./rounds.ts";
import { watched } from "./watched.ts";

const NOTE = ".json";
const NEWS = ".news";
/** Where the system does not tell of new files, somebody has to look. */
const LOOK_MS = 100;

export class DirectoryBoard implements Board {
  readonly places = 1;
  readonly #folder: string;
  readonly #looking: NodeJS.Timeout;
  readonly #watcher: FSWatcher | null;
  readonly #looks = new Rounds(async () => {
    // Whoever has not asked to be told is not.
    if (this.#see === null) return;
    const sight = await this.#sight();
    this.#see?.(sight);
  });
  readonly #hearings = new Rounds(() => this.#hearAll());
  #see: ((sight: Sight) => void) | null = null;
  #hear: (name: string, news: string) => void = () => {};
  /** The file of the notes that are left by whoever has this open. */
  #own: string | null = null;
  /** What is told while the file is being written; only the last matters. */
  #next: string | null = null;
  #isTelling = false;
  /** The note that is put after the one that is being written; only the last matters. */
  #waiting: { file: string; note: string; done: Promise<void> } | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    // A directory that cannot be read now is looked at again soon.
    const look = (): void => {
      this.#looks.run().catch(() => {});
      this.#hearings.run().catch(() => {});
    };
    this.#looking = setInterval(look, LOOK_MS).unref();
    this.#watcher = watched(folder, look);
  }

  put(name: string, note: string): Promise<void> {
    const file = `${name}${NOTE}`;
    this.#own = file;
    if (this.#waiting?.file === file) {
      this.#waiting.note = note;
      return this.#waiting.done;
    }
    const waiting = { file, note, done: this.#writing };
    this.#waiting = waiting;
    waiting.done = this.#writing.then(async () => {
      if (this.#waiting === waiting) this.#waiting = null;
      await this.#replace(file, waiting.note);
      await this.#looks.run();
    });
    this.#writing = waiting.done.catch(() => {});
    return waiting.done;
  }

  async look(): Promise<Sight[]> {
    return [await this.#sight()];
  }

  async remove(name: string): Promise<void> {
    await this.#writing;
    for (const suffix of [NOTE, NEWS]) await rm(path.join(this.#folder, `${name}${suffix}`), { force: true });
  }

  tell(name: string, news: string): void {
    this.#next = news;
    if (!this.#isTelling) void this.#tellNext(name);
  }

  onNews(hear: (name: string, news: string) => void): void {
    this.#hear = hear;
  }

  onSight(see: (sight: Sight) => void): void {
    this.#see = see;
  }

  /** A directory that cannot be reached may be there for others. */
  onGone(): void {}

  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#watcher?.close();
    this.#see = null;
    this.#hear = () => {};
  }

  /** A file is replaced as a whole, and lost only with the directory. */
  async #sight(): Promise<Sight> {
    return { place: 0, notes: await this.#files(NOTE), isNew: false, ageMs: Number.POSITIVE_INFINITY };
  }

  async #hearAll(): Promise<void> {
    for (const [name, news] of await this.#files(NEWS)) this.#hear(name, news);
  }

  async #tellNext(name: string): Promise<void> {
    this.#isTelling = true;
    while (this.#next !== null) {
      const news = this.#next;
      this.#next = null;
      // The next note says the same, only later.
      await this.#replace(`${name}${NEWS}`, news).catch(() => {});
    }
    this.#isTelling = false;
  }

  async #replace(name: string, text: string): Promise<void> {
    // It is put again soon after a power cut.
    await writeWhole(path.join(this.#folder, name), [text], { durable: "no" });
  }

  async #files(suffix: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const files = (await readdir(this.#folder)).filter((file) => file.endsWith(suffix));
    // Its own before the others: what was left before it is there when they are read.
    for (const file of files.sort((a, b) => Number(b === this.#own) - Number(a === this.#own))) {
      const text = await readFile(path.join(this.#folder, file), "utf8").catch(() => null);
      if (text !== null) found.set(file.slice(0, -suffix.length), text);
    }
    return found;
  }
}
