/**
 * An archive on its way into a bucket. It is cut into parts, each of which waits in a file of its own until it is sent: a
 * bounded number at a time, so that neither the memory nor the disk ever holds much of it. When it is given up, the store
 * is told to forget what it was sent.
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import type { ArchiveSink } from "../../base/archive/sink.ts";
import { apiError } from "../../base/errors/errors.ts";
import type { Bucket } from "./bucket.ts";

/** More parts no store takes. */
const PARTS_MAX = 10_000;

interface UploadOptions {
  bucket: Bucket;
  key: string;
  /** For the parts that wait; it is made, and removed at the end. */
  folder: string;
  partBytes: number;
  partsAtOnce: number;
  /** Ends whatever is under way. */
  signal: AbortSignal;
}

export class Upload implements ArchiveSink {
  readonly #options: UploadOptions;
  readonly #id: string;
  /** By the number of the part less one. */
  readonly #tags: string[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #part: { file: FileHandle; path: string; bytes: number } | null = null;
  #parts = 0;
  #failure: unknown = null;

  private constructor(options: UploadOptions, id: string) {
    this.#options = options;
    this.#id = id;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  static async begin(options: UploadOptions): Promise<Upload> {
    const { bucket, key, folder, signal } = options;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return new Upload(options, await bucket.beginUpload(key, signal));
  }

  get spool(): string {
    return path.join(this.#options.folder, "spool");
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { partBytes } = this.#options;
    for (let at = 0; at < chunk.length; ) {
      this.#part ??= await this.#beginPart();
      const piece = chunk.subarray(at, at + partBytes - this.#part.bytes);
      await this.#part.file.writeFile(piece);
      this.#part.bytes += piece.length;
      at += piece.length;
      if (this.#part.bytes === partBytes) await this.#endPart();
    }
  }

  async finish(): Promise<void> {
    const { bucket, key, folder } = this.#options;
    if (this.#part !== null) await this.#endPart();
    await Promise.all(this.#sending);
    this.#check();
    await bucket.completeUpload(key, this.#id, this.#tags, this.#signal);
    await rm(folder, { recursive: true, force: true });
  }

  async abandon(): Promise<void> {
    const { bucket, key, folder } = this.#options;
    this.#stop.abort(new Error("the upload was given up"));
    await Promise.all(this.#sending);
    await this.#part?.file.close();
    await rm(folder, { recursive: true, force: true });
    // The store forgets it by itself some day where it is set up to; why it was given up matters more than this.
    await bucket.abortUpload(key, this.#id).catch(() => {});
  }

  async #beginPart(): Promise<{ file: FileHandle; path: string; bytes: number }> {
    this.#check();
    if (this.#parts === PARTS_MAX) {
      const message = `The snapshot has more than ${PARTS_MAX} parts: make them larger.`;
      throw apiError("invalid_s3_snapshot_parameters", message);
    }
    const file = path.join(this.#options.folder, `${++this.#parts}`);
    return { file: await open(file, "w"), path: file, bytes: 0 };
  }

  async #endPart(): Promise<void> {
    const part = this.#part!;
    const number = this.#parts;
    this.#part = null;
    await part.file.close();
    const sending: Promise<void> = this.#send(number, part.path).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
    while (this.#sending.size >= this.#options.partsAtOnce) await Promise.race(this.#sending);
  }

  /** Never rejects: what went wrong is told to who writes. */
  async #send(number: number, file: string): Promise<void> {
    const { bucket, key } = this.#options;
    try {
      this.#tags[number - 1] = await bucket.sendPart(key, this.#id, number, file, this.#signal);
    } catch (problem) {
      this.#failure ??= problem;
    } finally {
      await rm(file, { force: true });
    }
  }

  #check(): void {
    this.#signal.throwIfAborted();
    if (this.#failure !== null) throw this.#failure;
  }
}
