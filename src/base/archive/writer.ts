/**
 * Writes a gzipped tar archive piece by piece: nothing is held beyond the buffers of the streams, compressing happens
 * on pool threads. Where the bytes go is the business of a sink.
 */
import { createReadStream, readdirSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { createGzip, type Gzip } from "node:zlib";
import { removeLeftover } from "../files/leftover.ts";
import { type ArchiveSink, draftEnding, FileSink, SPOOL_ENDING } from "./sink.ts";
import { BLOCK_BYTES, encodeFolder, encodeHeader, paddingOf } from "./tar.ts";

/** Beyond this, more effort costs far more time than it saves room. */
const GZIP_LEVEL = 3;
const CHUNK_BYTES = 1 << 18;

/** Removes what archives of this owner have left that were never completed. Only while it makes none. */
export function sweepDrafts(folder: string, owner: string): void {
  const endings = [draftEnding(owner), `${draftEnding(owner)}${SPOOL_ENDING}`];
  for (const name of namesIn(folder)) {
    if (endings.some((ending) => name.endsWith(ending))) removeLeftover(join(folder, name));
  }
}

/** None in a folder that is gone or cannot be read: whoever makes the next archive there will say so. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * @example
 * const archive = await ArchiveWriter.create("/backups/a.tar.gz");
 * try {
 *   await archive.add("a.json", Buffer.from("{}"));
 *   await archive.finish();
 * } catch (problem) {
 *   await archive.abandon();
 *   throw problem;
 * }
 */
export class ArchiveWriter {
  readonly #sink: ArchiveSink;
  readonly #gzip: Gzip;
  readonly #written: Promise<void>;
  readonly #mtime = Math.floor(Date.now() / 1000);
  #failure: unknown = null;

  constructor(sink: ArchiveSink, level = GZIP_LEVEL) {
    this.#sink = sink;
    this.#gzip = createGzip({ level, chunkSize: CHUNK_BYTES });
    this.#gzip.on("error", (problem) => {
      this.#failure ??= problem;
    });
    this.#written = this.#pump();
    this.#written.catch((problem) => {
      this.#failure ??= problem;
      this.#gzip.destroy();
    });
  }

  /** Into a file; `owner` is part of the name it has until it is complete: see `sweepDrafts`. */
  static async create(path: string, owner = ""): Promise<ArchiveWriter> {
    return new ArchiveWriter(await FileSink.open(path, owner));
  }

  async add(name: string, content: Uint8Array): Promise<void> {
    await this.addPieces(name, content.length, [content]);
  }

  /** For a folder that may stay empty; those of files need no entry. */
  async addFolder(name: string): Promise<void> {
    await this.#write(encodeFolder(name, this.#mtime));
  }

  /** The file must not change meanwhile. `onChunk` is called now and then, and may throw to give up. */
  async addFile(name: string, path: string, onChunk: () => void = () => {}): Promise<void> {
    const { size } = await stat(path);
    const pieces = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    try {
      await this.addPieces(name, size, pieces, onChunk);
    } finally {
      pieces.destroy();
    }
  }

  /** `size` is what the pieces add up to. A piece may be reused by its maker once the next one is asked for. */
  async addPieces(
    name: string,
    size: number,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    onChunk: () => void = () => {},
  ): Promise<void> {
    await this.#write(encodeHeader(name, size, this.#mtime));
    let written = 0;
    for await (const piece of pieces) {
      onChunk();
      written += piece.length;
      await this.#write(piece);
    }
    if (written !== size) throw new Error(`\`${name}\` was announced with ${size} bytes and has ${written}`);
    await this.#write(new Uint8Array(paddingOf(size)));
  }

  /** For content whose size shows only when it is there: it passes through a file of its own. */
  async addUnsized(name: string, pieces: Iterable<Uint8Array>, onChunk: () => void = () => {}): Promise<void> {
    const { spool } = this.#sink;
    try {
      const file = await open(spool, "w");
      try {
        for (const piece of pieces) {
          onChunk();
          await file.writeFile(piece);
        }
      } finally {
        await file.close();
      }
      await this.addFile(name, spool, onChunk);
    } finally {
      removeLeftover(spool);
    }
  }

  /** Resolves when the archive is durable under its name. */
  async finish(): Promise<void> {
    await this.#write(new Uint8Array(2 * BLOCK_BYTES));
    this.#gzip.end();
    await this.#written;
    await this.#sink.finish();
  }

  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    await this.#sink.abandon();
  }

  async #pump(): Promise<void> {
    for await (const chunk of this.#gzip) await this.#sink.write(chunk as Buffer);
  }

  /** Resolves when the bytes have been taken in. */
  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (bytes.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(bytes, (problem) => (problem ? reject(this.#failure ?? problem) : resolve()));
    });
  }
}
