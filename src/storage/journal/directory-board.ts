/** Notes in a directory that all servers can reach: one file each, and one for news. */
import { type FSWatcher, mkdirSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../../base/files/whole.ts";
import type { Board } from "./board.ts";
import { watched } from "./watched.ts";

const NOTE = ".json";
const NEWS = ".news";
/** Where the system does not tell of new files, somebody has to look. */
const LOOK_MS = 100;

export class DirectoryBoard implements Board {
  readonly #folder: string;
  readonly #looking: NodeJS.Timeout;
  readonly #watcher: FSWatcher | null;
  #changed: () => void = () => {};
  #hear: (name: string, news: string) => void = () => {};
  #isHearing = false;
  #hearAgain = false;
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
    const look = (): void => {
      this.#changed();
      void this.#hearAll();
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
    waiting.done = this.#writing.then(() => {
      if (this.#waiting === waiting) this.#waiting = null;
      return this.#replace(file, waiting.note);
    });
    this.#writing = waiting.done.catch(() => {});
    return waiting.done;
  }

  all(): Promise<Map<string, string>> {
    return this.#files(NOTE);
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

  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#watcher?.close();
    this.#changed = () => {};
    this.#hear = () => {};
  }

  /** Tells of all that is there; what is told meanwhile, afterwards. */
  async #hearAll(): Promise<void> {
    this.#hearAgain = true;
    if (this.#isHearing) return;
    this.#isHearing = true;
    while (this.#hearAgain) {
      this.#hearAgain = false;
      // A directory that cannot be read now is looked at again soon.
      const told = await this.#files(NEWS).catch(() => new Map<string, string>());
      for (const [name, news] of told) this.#hear(name, news);
    }
    this.#isHearing = false;
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
