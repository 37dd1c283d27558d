/**
 * How far an import has come, so that it can go on where it was when it, or the server, ended: the bytes of the file that the
 * server has on its disk. One small file for each file, index and server, replaced as a whole.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { removeWhole, writeWholeSync } from "../../../base/files/whole.ts";

export interface Progress {
  /** Bytes of the documents that were acknowledged, from the beginning of the file. */
  offset: number;
  documents: number;
  /** What the cutter must know to go on. */
  memory: string;
  /** Tasks of which it is not known yet what became of them. */
  taskUids: number[];
}

export class ImportState {
  readonly #file: string;

  constructor(env: NodeJS.ProcessEnv, ...identity: readonly string[]) {
    const folder = path.join(env["XDG_STATE_HOME"] || path.join(homedir(), ".local", "state"), "sabre", "imports");
    const name = createHash("sha256").update(identity.join("\n")).digest("hex").slice(0, 32);
    this.#file = path.join(folder, `${name}.json`);
  }

  /** Null when there is nothing to go on with. */
  load(): Progress | null {
    try {
      return JSON.parse(readFileSync(this.#file, "utf8")) as Progress;
    } catch {
      return null;
    }
  }

  save(progress: Progress): void {
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    writeWholeSync(this.#file, [JSON.stringify(progress)], { durable: "no", mode: 0o600 });
  }

  forget(): void {
    removeWhole(this.#file);
  }
}
