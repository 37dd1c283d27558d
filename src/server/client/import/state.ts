/**
 * How far an import has come, so that it can go on where it was when it, or the server, ended: the bytes of the file that the
 * server has on its disk. One small file for each file, index and server, replaced as a whole.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { removeWhole, writeWholeSync } from "../../../base/files/whole.ts";
import type { Task } from "../api.ts";
import { type Connection, ServerError } from "../connection.ts";

export interface Progress {
  /** Bytes of the documents that were acknowledged, from the beginning of the file. */
  offset: number;
  documents: number;
  /** What the cutter must know to go on. */
  memory: string;
  /** Tasks of which it is not known yet what became of them. */
  taskUids: number[];
  /** When the last of them was made: no other server has such a task under that number. */
  lastEnqueuedAt: string;
}

export const FRESH: Progress = { offset: 0, documents: 0, memory: "", taskUids: [], lastEnqueuedAt: "" };

/** Whether the server has what it acknowledged: it may be another one by now, or begin anew with an empty directory. */
export async function stillThere(
  connection: Connection,
  { taskUids, lastEnqueuedAt }: Pick<Progress, "taskUids" | "lastEnqueuedAt">,
): Promise<boolean> {
  const last = taskUids.at(-1);
  if (last === undefined) return true;
  try {
    return (await connection.json<Task>("GET", `/tasks/${last}`)).enqueuedAt === lastEnqueuedAt;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.status === 404) return false;
    // A key may be good for writing alone.
    if (error.status === 403) return true;
    throw error;
  }
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
