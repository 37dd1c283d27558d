/** The files of an unpacked dump, by the names the archive gave them. */

import { readFile, stat } from "node:fs/promises";
import { isObject, type Json, type JsonObject } from "../../base/json/value.ts";
import { MIB } from "../../base/limits.ts";

import { linePieces, RECORD_BYTES_MAX } from "./lines.ts";
import { DumpProblem } from "./problem.ts";

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

  /** Undefined when the dump does not have the file. */
  async json(name: string): Promise<Json | undefined> {
    const text = await this.text(name);
    return text === null ? undefined : parse(text, name);
  }

  async object(name: string): Promise<JsonObject> {
    const value = await this.json(name);
    return isObject(value) ? value : {};
  }

  /** Without the space around it; null when the dump does not have the file, or nothing is in it. */
  async text(name: string): Promise<string | null> {
    const path = this.pathOf(name);
    if (path === null) return null;
    if ((await stat(path)).size > RECORD_BYTES_MAX) throw new DumpProblem(`\`${name}\` is too large`);
    const text = (await readFile(path, "utf8")).trim();
    return text === "" ? null : text;
  }

  /** For files that are known to be small. */
  async allLines(name: string): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    for await (const line of this.lines(name)) all.push(line);
    return all;
  }

  /** Objects of a file with one a line; none when the dump does not have the file. */
  async *lines(name: string): AsyncGenerator<JsonObject> {
    const path = this.pathOf(name);
    if (path === null) return;
    for await (const piece of linePieces(path, MIB)) {
      for (const line of piece.toString("utf8").split("\n")) {
        if (line.trim() === "") continue;
        const value = parse(line, name);
        if (!isObject(value)) throw new DumpProblem(`\`${name}\` holds a line that is no object`);
        yield value;
      }
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
