/** The files of an unpacked dump, by the names the archive gave them. */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { isObject, type Json, type JsonObject } from "../tasks/task.ts";
import { DUMP_FILES, DUMP_VERSION, INDEX_FOLDER } from "./layout.ts";

/** The file is no dump, or none that can be loaded. */
export class DumpProblem extends Error {
  override readonly name = "DumpProblem";
}

export class DumpFolder {
  readonly #files: ReadonlyMap<string, string>;

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  /** Where a file lies, or null. */
  pathOf(name: string): string | null {
    return this.#files.get(name) ?? null;
  }

  namesIn(folder: string): string[] {
    return [...this.#files.keys()].filter((name) => name.startsWith(folder)).sort();
  }

  indexUids(): string[] {
    return this.namesIn(INDEX_FOLDER)
      .map((name) => name.slice(INDEX_FOLDER.length).split("/"))
      .filter(([, part]) => part === "metadata.json")
      .map(([uid]) => uid!);
  }

  async checkVersion(): Promise<void> {
    const metadata = await this.json(DUMP_FILES.metadata);
    const version = isObject(metadata ?? null) ? (metadata as JsonObject)["dumpVersion"] : undefined;
    if (version === undefined) throw new DumpProblem("it is no dump: it does not say which version it has");
    if (version !== DUMP_VERSION) {
      throw new DumpProblem(`dumps of version ${JSON.stringify(version)} cannot be loaded, only ${DUMP_VERSION}`);
    }
  }

  /** Undefined when the dump does not have the file. */
  async json(name: string): Promise<Json | undefined> {
    const path = this.pathOf(name);
    if (path === null) return undefined;
    const text = await readFile(path, "utf8");
    return text.trim() === "" ? undefined : parse(text, name);
  }

  async object(name: string): Promise<JsonObject> {
    const value = await this.json(name);
    return isObject(value) ? value : {};
  }

  /** Objects of a file with one a line; none when the dump does not have the file. */
  async *lines(name: string): AsyncGenerator<JsonObject> {
    const path = this.pathOf(name);
    if (path === null) return;
    const input = createReadStream(path);
    try {
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (line.trim() === "") continue;
        const value = parse(line, name);
        if (!isObject(value)) throw new DumpProblem(`\`${name}\` holds a line that is no object`);
        yield value;
      }
    } finally {
      input.destroy();
    }
  }
}

function parse(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (problem) {
    throw new DumpProblem(`\`${name}\` is not valid JSON: ${(problem as Error).message}`);
  }
}
