/** Where the bytes of an archive go: into a file that has its name only once it is complete, or elsewhere. */
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { removeLeftover } from "../files/leftover.ts";
import { syncDirectory } from "../files/sync-directory.ts";

export interface ArchiveSink {
  /** The name of a file that passing content may take. */
  readonly spool: string;
  /** Resolves when more may come. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all of it is where it belongs, durable. */
  finish(): Promise<void>;
  /** Leaves nothing. */
  abandon(): Promise<void>;
}

export const SPOOL_ENDING = ".spool";

/** `owner` is part of the name that an archive has until it is complete. */
export const draftEnding = (owner: string): string => `.partial${owner}`;

export class FileSink implements ArchiveSink {
  readonly #path: string;
  readonly #draft: string;
  readonly #file: FileHandle;

  private constructor(path: string, draft: string, file: FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#file = file;
  }

  static async open(path: string, owner: string): Promise<FileSink> {
    const draft = `${path}${draftEnding(owner)}`;
    return new FileSink(path, draft, await open(draft, "w"));
  }

  get spool(): string {
    return `${this.#draft}${SPOOL_ENDING}`;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#file.writeFile(chunk);
  }

  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#draft, this.#path);
    syncDirectory(dirname(this.#path));
  }

  async abandon(): Promise<void> {
    await this.#file.close();
    removeLeftover(this.#draft);
  }
}
