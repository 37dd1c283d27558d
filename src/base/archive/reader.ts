/**
 * Reads a gzipped tar archive from front to back, and unpacks one into a folder. Trusts nothing that an archive says:
 * names stay inside the folder, only plain files and folders are made, and a cut or damaged archive is an error.
 */
import { createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { syncDirectory } from "../files/sync-directory.ts";
import {
  ArchiveDamage,
  BLOCK_BYTES,
  decodeExtended,
  decodeHeader,
  isZeroBlock,
  NAME_BYTES_MAX,
  paddingOf,
  TYPE_DIRECTORY,
  TYPE_EXTENDED,
  TYPE_FILE,
  TYPE_LONG_NAME,
} from "./tar.ts";

const CHUNK_BYTES = 1 << 18;
/** A record before an entry, such as a long name with all that other programs add to it. */
const RECORD_BYTES_MAX = 1 << 20;

interface ArchiveEntry {
  /** Without `./` before it or `/` after it; empty for the archive's own top folder. */
  name: string;
  kind: "file" | "folder";
  size: number;
  /** The content; what is not read is skipped. Each piece is valid until the next. */
  pieces(): AsyncGenerator<Buffer>;
}

/** A file, or the bytes of one as they come. */
export type ArchiveSource = string | AsyncIterable<Uint8Array>;

/** Entries in the order of the archive; links, devices and the like are left out. */
export async function* readArchive(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const input = new Input(source);
  try {
    let override: { name?: string; size?: number } = {};
    for (;;) {
      const block = await input.take(BLOCK_BYTES);
      if (isZeroBlock(block)) return;
      const header = decodeHeader(block);
      if (header.type === TYPE_LONG_NAME || header.type === TYPE_EXTENDED) {
        const record = await input.takeRecord(header.size);
        if (header.type === TYPE_EXTENDED) override = { ...override, ...decodeExtended(record) };
        else override.name = record.toString("utf8").replace(/\0.*$/s, "");
        continue;
      }
      const size = header.type === TYPE_DIRECTORY ? 0 : (override.size ?? header.size);
      const name = cleanName(override.name ?? header.name);
      override = {};
      let left = size;
      const pieces = async function* (): AsyncGenerator<Buffer> {
        while (left > 0) {
          const piece = await input.takeSome(left);
          left -= piece.length;
          yield piece;
        }
      };
      if (header.type === TYPE_DIRECTORY) yield { name, kind: "folder", size, pieces };
      else if (header.type === TYPE_FILE) yield { name, kind: "file", size, pieces };
      for await (const _ of pieces());
      await input.take(paddingOf(size));
    }
  } finally {
    input.close();
  }
}

/** Every file is durable when this resolves. */
export async function unpackArchive(source: ArchiveSource, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const folders = new Set([folder]);
  for await (const entry of readArchive(source)) {
    const target = join(folder, entry.name);
    const parent = entry.kind === "folder" ? target : dirname(target);
    if (!folders.has(parent)) await mkdir(parent, { recursive: true });
    for (let at = parent; !folders.has(at); at = dirname(at)) folders.add(at);
    if (entry.kind === "file") await writeEntry(entry, target, true);
  }
  for (const made of folders) syncDirectory(made);
}

/**
 * The files of an archive by name, each in a file of `folder` that has a number for a name: what an archive calls its
 * entries may be too long for a file. For passing use, so nothing is made durable.
 */
export async function spreadArchive(path: string, folder: string): Promise<Map<string, string>> {
  await mkdir(folder, { recursive: true });
  const files = new Map<string, string>();
  for await (const entry of readArchive(path)) {
    if (entry.kind === "folder") continue;
    const target = join(folder, `${files.size}`);
    await writeEntry(entry, target, false);
    files.set(entry.name, target);
  }
  return files;
}

async function writeEntry(entry: ArchiveEntry, target: string, durable: boolean): Promise<void> {
  const file = await open(target, "w");
  try {
    for await (const piece of entry.pieces()) await file.writeFile(piece);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
}

/** A name that leads out of the folder, by mistake or on purpose, is refused. */
function cleanName(name: string): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || parts.includes("..") || /[\\\0]/.test(name) || Buffer.byteLength(name) > NAME_BYTES_MAX) {
    throw new ArchiveDamage(`the archive holds an entry with an unacceptable name: \`${name.slice(0, 200)}\``);
  }
  return parts.join("/");
}

/** The unzipped bytes, taken in pieces of the caller's choice. */
class Input {
  readonly #stream;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(source: ArchiveSource) {
    this.#stream = createGunzip({ chunkSize: CHUNK_BYTES });
    const zipped =
      typeof source === "string" ? createReadStream(source, { highWaterMark: CHUNK_BYTES }) : Readable.from(source);
    // What goes wrong shows where the unzipped bytes are read.
    pipeline(zipped, this.#stream, () => {});
    this.#chunks = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Between 1 and `most` bytes. */
  async takeSome(most: number): Promise<Buffer> {
    while (this.#chunk.length === 0) {
      const next = await this.#next();
      if (next.done === true) throw new ArchiveDamage("the archive is cut short");
      this.#chunk = next.value;
    }
    const piece = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(piece.length);
    return piece;
  }

  async take(count: number): Promise<Buffer> {
    const bytes = Buffer.alloc(count);
    for (let done = 0; done < count; ) done += (await this.takeSome(count - done)).copy(bytes, done);
    return bytes;
  }

  async takeRecord(size: number): Promise<Buffer> {
    if (size > RECORD_BYTES_MAX) throw new ArchiveDamage("the record before an entry is too large");
    const record = await this.take(size);
    await this.take(paddingOf(size));
    return record;
  }

  close(): void {
    this.#stream.destroy();
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#chunks.next();
    } catch (problem) {
      const { code } = problem as NodeJS.ErrnoException;
      if (code?.startsWith("Z_"))
        throw new ArchiveDamage(`the archive cannot be unzipped: ${(problem as Error).message}`);
      throw problem;
    }
  }
}
