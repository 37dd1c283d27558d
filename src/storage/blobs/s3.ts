/**
 * Shared files as objects of an S3-compatible store. Each ends with the SHA-256 of what comes before: whatever came back damaged or
 * cut off is refused, and never gets its name here. A name is put once; of several who put the same, one does.
 */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { syncDirectory } from "../../base/files/sync-directory.ts";
import { Bucket } from "../s3/bucket.ts";
import { keyBelow, type S3Place } from "../s3/options.ts";
import { type Blob, type Blobs, MissingBlob } from "./blobs.ts";

const HASH = "sha256";
const HASH_BYTES = 32;

export class S3Blobs implements Blobs {
  readonly place: string;
  readonly #bucket: Bucket;
  readonly #prefix: string;

  constructor(place: S3Place, prefix: string) {
    this.place = `s3://${place.bucket}/${prefix}`;
    this.#bucket = new Bucket(place);
    this.#prefix = prefix;
  }

  async put(name: string, file: string): Promise<void> {
    const { size } = await stat(file);
    await this.#bucket.putOnce(this.#key(name), size + HASH_BYTES, () => Readable.from(sealed(file)));
  }

  async get(name: string, file: string): Promise<void> {
    const key = this.#key(name);
    const size = await this.#bucket.sizeOf(key);
    if (size === null) throw new MissingBlob(this.place, name);
    await mkdir(path.dirname(file), { recursive: true });
    const draft = path.join(path.dirname(file), `.${randomUUID()}`);
    try {
      await this.#bring(key, size, draft);
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
    syncDirectory(path.dirname(file));
  }

  async list(prefix: string): Promise<Blob[]> {
    const all = await this.#bucket.list(this.#key(prefix));
    const skipped = this.#key("").length;
    return all.map(({ key, modifiedMs }) => ({ name: key.slice(skipped), putAtMs: modifiedMs }));
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.remove(this.#key(name));
  }

  close(): void {
    this.#bucket.close();
  }

  /** Durable, and what was put, when this resolves. */
  async #bring(key: string, size: number, draft: string): Promise<void> {
    const length = size - HASH_BYTES;
    const hash = createHash(HASH);
    const handle = await open(draft, "wx");
    let at = 0;
    const seal: Uint8Array[] = [];
    try {
      for await (const piece of this.#bucket.read(key, size)) {
        const own = Math.max(0, Math.min(piece.length, length - at));
        hash.update(piece.subarray(0, own));
        seal.push(piece.slice(own));
        await handle.writeFile(piece);
        at += piece.length;
      }
      if (length >= 0) await truncate(draft, length);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (length < 0 || at !== size || !Buffer.concat(seal).equals(hash.digest())) {
      throw new Error(`\`${key}\` came damaged from ${this.place}`);
    }
  }

  #key(name: string): string {
    return keyBelow(this.#prefix, name);
  }
}

/** The bytes of a file, and their hash. */
async function* sealed(file: string): AsyncGenerator<Uint8Array> {
  const hash: Hash = createHash(HASH);
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(piece);
    yield piece;
  }
  yield hash.digest();
}
