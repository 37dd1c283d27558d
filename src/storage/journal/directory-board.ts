/** Notes in a directory that all servers can reach: one file each. */
import { mkdirSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../../base/files/whole.ts";
import type { Board } from "./board.ts";

const SUFFIX = ".json";

export class DirectoryBoard implements Board {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  async put(name: string, note: string): Promise<void> {
    // It is put again soon after a power cut.
    await writeWhole(this.#file(name), [note], { durable: "no" });
  }

  async all(): Promise<Map<string, string>> {
    const notes = new Map<string, string>();
    for (const file of await readdir(this.#folder)) {
      if (!file.endsWith(SUFFIX)) continue;
      const note = await readFile(path.join(this.#folder, file), "utf8").catch(() => null);
      if (note !== null) notes.set(file.slice(0, -SUFFIX.length), note);
    }
    return notes;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  async close(): Promise<void> {}

  #file(name: string): string {
    return path.join(this.#folder, `${name}${SUFFIX}`);
  }
}
